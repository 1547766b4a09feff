# SPDX-License-Identifier: BSD-3-Clause
"""
A job on four hosts that record locally (SPUR_LOCAL): while it runs, the shared directory gets as many files
and operations from 16 ranks as from four. A host that dies with its memory is told, and the others make the
archive, in a container of each kind for each host.
"""

import collections
import glob
import os
import re

import run_case

of = "agent/state finish/find"
two_hosts = run_case.load_case("two_hosts")
sion_containers = run_case.load_case("sion_containers")

mpi = ["mpich", "openmpi"]
command = ["{programs}/crowd{mpi}"]
env = {"SPUR_CLOCK": "monotonic"}
HOSTS = 4
RANKS = (1, 4)  # of a host
DEAD = 2  # the host that dies
# Of each host: its file, what says that all of its ranks are there; of the job: what is the answer, the
# folders, the definitions of all. Each of the notes has a name of its own at first.
A_HOST, A_JOB = 4, 8
CALL = re.compile(r"^(\w+)\((.*) = (-?\d+)")
MAKES = ("mkdirat", "mkdir", "symlinkat", "linkat", "renameat", "renameat2")


def launcher(run, ranks):
    return two_hosts.launcher(run, HOSTS, ranks)


def before_the_end(traces, archive):
    """
    (Lines of calls that made something in the directory, all calls on names there) by processes that had not
    begun to move, or finish, what they have.
    """
    made, calls = [], collections.Counter()
    end = re.compile(rf'\.moving-|settled-|"finishing"|/traces>|{re.escape(archive)}/\.spur/host\d')
    for path in glob.glob(traces + ".*"):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if end.search(line):
                    break
                call = CALL.match(line)
                where = call[2].split(",", 1)[-1] if call and call[1] == "symlinkat" else line
                if not call or archive not in where:
                    continue
                calls[call[1]] += 1
                if int(call[3]) >= 0 and (call[1] in MAKES or (call[1][:4] == "open" and "O_CREAT" in line)):
                    made.append(line.strip())
    return made, calls


def a_job(run, local, ranks):
    """How many files were made in the shared directory while the job ran, and how many calls named any."""
    archive = os.path.join(run.scratch, f"job{ranks}.archive")
    trace = os.path.join(run.scratch, f"job{ranks}.strace")
    words = [run.spur, "--local", local, "-o", archive] + launcher(run, ranks) + run.command()
    result = two_hosts.record(run, f"job{ranks}", ["strace", "-ff", "--seccomp-bpf", "-y", "-qq", "-o", trace,
                                                   "-e", "trace=%file"] + words, n_hosts=HOSTS)
    run.equal(result.status, 0, "exit status")
    judged = run.judge(archive)
    run.equal(judged.processes(), list(range(HOSTS * ranks)), "processes")
    two_hosts.check_hosts(run, judged, HOSTS)
    made, calls = before_the_end(trace, archive)
    print(f"  {len(made)} files made by {HOSTS * ranks} ranks on {HOSTS} hosts, calls: {dict(calls)}")
    run.expect(HOSTS < len(made) <= A_HOST * HOSTS + A_JOB,
               f"few files while the job runs, not {len(made)}:\n  " + "\n  ".join(made))
    return len(made), sum(calls.values())


def a_host_that_dies(run, ranks):
    """Its processes are killed, and what they had on their host is gone."""
    archive = os.path.join(run.scratch, "dies.archive")
    job = [run.spur, "--local", "/dev/shm", "-o", archive] + launcher(run, ranks)
    job += run.command(["{programs}/left{mpi}", "10"])
    recover = [f"{two_hosts.HOSTS}/rsh 10.77.0.{host} {run.spur} recover {archive}"
               for host in range(1, HOSTS + 1) if host != DEAD]
    script = "\n".join(['"$@"', f"rm -r /run/hosts/memory{DEAD}/spur-*", *recover,
                        f"{two_hosts.HOSTS}/rsh 10.77.0.1 {run.spur} recover --recover {archive}"])
    result = two_hosts.record(run, "dies", ["sh", "-c", script, "sh"] + job, {"SPUR_CONTAINER": "sion"},
                              HOSTS)
    run.equal(result.status, 0, f"status of recover: {result.spur}")
    told = [line for line in result.spur if "not moved what was recorded" in line]
    run.expect(told and all(f"host{DEAD} (in /dev/shm/spur-" in line for line in told),
               f"a line about host{DEAD}: {result.spur}")
    run.expect(not any("still recorded" in line for line in result.spur),
               f"where it is finished, what other hosts have seen to be dead is dead: {result.spur}")
    lost = re.search(r"lost is what was recorded on ([^;]*)", result.spur[-1])
    run.expect(lost and re.findall(r"host\d", lost[1]) == [f"host{DEAD}"],
               f"the loss in the last line: {result.spur}")
    run.equal(len(os.listdir(os.path.join(archive, "traces"))), 2 * HOSTS,
              "containers of the hosts, and of lost ranks")
    trace = run.judge(sion_containers.taken_out(run, archive, "dies"), unfinished=True)
    left = [rank for rank in range(HOSTS * ranks) if rank // ranks + 1 != DEAD]
    run.equal([group for group in trace.processes() if group in left], left, "ranks of the other hosts")


def main(run):
    counts = [a_job(run, "/dev/shm", ranks) for ranks in RANKS]
    made, calls = [count[0] for count in counts], [count[1] for count in counts]
    run.expect(max(made) - min(made) <= HOSTS, f"as many files for any number of ranks: {made}")
    # Some look again and again until others are there; four times as many ranks are not twice the calls.
    run.expect(max(calls) <= 2 * min(calls), f"as many operations for any number of ranks: {calls}")
    a_host_that_dies(run, RANKS[-1])
