# SPDX-License-Identifier: BSD-3-Clause
"""
The mpirun of one MPI library starts a program of the other: each process is a job of its own. The
report says so. It does not where ranks find each other.
"""

of = "wrappers/mpi/library tools/report"
mpi = ["mpich", "openmpi"]
SAID = "2 MPI jobs of one rank each"


def report(run, name, launcher, said):
    words = run.command(["{programs}/mpi_random{mpi}"])
    text = run.says("report", run.record(name, [launcher, "-n", "2", *words])[1])
    run.expect("Regions" in text, text)
    run.equal(SAID in " ".join(text.split()), said, f"what is said of the jobs in\n{text}")


def main(run):
    other = {"mpich": "openmpi", "openmpi": "mpich"}[run.mpi]
    report(run, "own", f"mpirun.{run.mpi}", False)
    report(run, "other", f"mpirun.{other}", True)
