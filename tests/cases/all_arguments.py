# SPDX-License-Identifier: BSD-3-Clause
"""
Every function that the installed MPI libraries have gets the words that its caller has passed, in
all languages: two libraries, one before the agent and one behind it, compare them call by call.
"""

import glob
import os

of = "wrappers/mpi wrappers/mpi/tables"
command = ["{programs}/all{mpi}"]
ranks = 2
mpi = None
env = {"SPUR_WRAP": "mpi", "SPUR_MPI": "all"}

LANGUAGES = ("all", "all_mpif", "all_mod", "all_f08")


def log_of(run, language, libraries, label):
    """The lines of all processes of the program with these libraries preloaded."""
    program = run.command(["{programs}/" + language + "{mpi}", "--act", "main"])
    log = os.path.join(run.scratch, label + ".log")
    result = run.execute(run.launcher() + ["env", "LD_PRELOAD=" + ":".join(libraries)] + program,
                         label, {"SPUR_DIR": os.path.join(run.scratch, label + ".archive"),
                                 "ARGUMENTS_LOG": log})
    run.equal(result.status, 0, "exit status of " + label)
    lines = []
    for path in glob.glob(log + ".*"):
        with open(path, encoding="utf-8") as file:
            lines += file.read().splitlines()
    return lines


def main(run):
    before, behind = (f"{run.programs}/arguments_{place}.so" for place in ("before", "behind"))
    for run.mpi in ("mpich", "openmpi"):
        for language in LANGUAGES:
            label = f"{language}.{run.mpi}"
            lines = log_of(run, language, [before, run.library, behind], label)
            faults = [line for line in lines if line.startswith("fault: ")]
            run.expect(not faults, f"all words as {label} passes them (before/behind):\n  " +
                       "\n  ".join(faults[:20]))
            calls = [int(line.split()[0]) for line in lines if line.endswith(" calls")]
            run.expect(len(calls) >= ranks and min(calls) > 300, f"calls of {label}: {calls}")
    # The comparison sees a call that does not arrive.
    lines = log_of(run, "all", [before, run.library], "nobody_behind")
    run.expect(any(line.startswith("fault: MPI_Send: ") for line in lines), "a fault to be seen")
