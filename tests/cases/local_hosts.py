# SPDX-License-Identifier: BSD-3-Clause
"""
A job on two hosts that record locally (SPUR_LOCAL): while it runs, the shared directory gets as many files
from eight ranks as from two. A host that dies with its memory is told, and the others make the archive.
"""

import glob
import os
import re

import run_case

two_hosts = run_case.load_case("two_hosts")

mpi = ["mpich", "openmpi"]
command = ["{programs}/ring{mpi}"]
env = {"SPUR_CLOCK": "monotonic"}
HOSTS = 2
RANKS = {"mpich": (1,), "openmpi": (1, 4)}  # a host, see two_hosts
# Of each host: its file, what says that all of its ranks are there; of the job: what is the answer, the
# folders, the definitions of all. Each of the notes has a name of its own at first.
A_HOST, A_JOB = 3, 12
MADE = re.compile(r"^(openat2?|mkdirat|mkdir|symlinkat|linkat|renameat2?)\((.*) = \d+")


def launcher(run, ranks):
    """As two_hosts does it, with so many ranks on each host."""
    two_hosts.A_HOST[run.mpi] = ranks
    return two_hosts.launcher(run)


def made_before_the_end(traces, archive):
    """What was made in the directory by processes that had not begun to move, or finish, what they have."""
    made = []
    for path in glob.glob(traces + ".*"):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if "/.moving-" in line or '"finishing"' in line:
                    break
                call = MADE.match(line)
                if call and archive in line and (call[1][:4] != "open" or "O_CREAT" in line):
                    made.append(line.strip())
    return made


def a_job(run, local, ranks):
    """The number of files that were made in the shared directory while the job ran."""
    archive = os.path.join(run.scratch, f"job{ranks}.archive")
    trace = os.path.join(run.scratch, f"job{ranks}.strace")
    words = [run.spur, "--local", local, "-o", archive] + launcher(run, ranks) + run.command()
    result = two_hosts.record(run, f"job{ranks}", ["strace", "-ff", "-y", "-qq", "-o", trace, "-e",
                                                   "trace=%file"] + words)
    run.equal(result.status, 0, "exit status")
    judged = run.judge(archive)
    run.equal(judged.processes(), list(range(HOSTS * ranks)), "processes")
    two_hosts.check_hosts(run, judged)
    made = made_before_the_end(trace, archive)
    print(f"  {len(made)} files made by {HOSTS * ranks} ranks on {HOSTS} hosts")
    run.expect(HOSTS < len(made) <= A_HOST * HOSTS + A_JOB,
               f"few files while the job runs, not {len(made)}:\n  " + "\n  ".join(made))
    return len(made)


def a_host_that_dies(run):
    """Its processes are killed, and what they had on their host is gone."""
    archive = os.path.join(run.scratch, "dies.archive")
    job = [run.spur, "--local", "/dev/shm", "-o", archive] + launcher(run, 1)
    job += run.command(["{programs}/left{mpi}", "10"])
    recover = f"{two_hosts.HOSTS}/rsh 10.77.0.1 {run.spur} recover"
    script = f'"$@"; rm -r /run/hosts/memory2/spur-*; {recover} {archive}; {recover} --recover {archive}'
    result = two_hosts.record(run, "dies", ["sh", "-c", script, "sh"] + job)
    run.equal(result.status, 0, f"status of recover: {result.spur}")
    told = [line for line in result.spur if "is not finished" in line]
    run.expect(told and "host2 (in /dev/shm/spur-" in told[-1] and "host1" not in told[-1],
               f"a line about host2 only: {result.spur}")
    run.expect("lost is what was recorded on host2" in result.spur[-1],
               f"the loss in the last line: {result.spur}")
    trace = run.judge(archive, unfinished=True)
    run.equal([group for group in trace.processes() if group == 0], [0], "rank 0 is there")


def main(run):
    counts = [a_job(run, "/dev/shm", ranks) for ranks in RANKS[run.mpi]]
    run.expect(max(counts) - min(counts) <= HOSTS, f"as many files for any number of ranks: {counts}")
    a_host_that_dies(run)
