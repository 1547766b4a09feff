# SPDX-License-Identifier: BSD-3-Clause
"""
`mpirun ... spur recover` with a rank on each host finishes what killed processes of several hosts have left:
each rank sees that those of its host are dead, and moves what lies there. `spur recover` on one host after
the other makes the same archive, byte by byte. With --recover the archive is that of one process.
"""

import os
import shlex

import run_case
from archive_bytes import archive_bytes

of = "finish tools/session"
two_hosts = run_case.load_case("two_hosts")

mpi = ["mpich", "openmpi"]
command = ["{programs}/left{mpi}", "10", "unseen"]
env = {"SPUR_CLOCK": "monotonic"}


def killed(run, name, then, more=None):
    """A job is killed, and `then` runs on the front end: the directory, and the lines of spur."""
    archive = os.path.join(run.scratch, name)
    job = [run.spur, "-o", archive] + two_hosts.launcher(run) + run.command()
    script = "\n".join([shlex.join(job), *(line.format(archive=archive) for line in then)])
    result = two_hosts.record(run, name, ["sh", "-c", script], more)
    run.equal(result.status, 0, f"status of recover: {result.spur}")
    return archive, result.spur


def recover(run, words="{archive}"):
    return shlex.join(two_hosts.launcher(run, a_host=1) + [run.spur, "recover"]) + " " + words


def check(run, archive, lines):
    run.expect("processes, " in lines[-1] and "lost is" not in lines[-1], f"the last line: {lines}")
    run.expect(not os.path.exists(os.path.join(archive, ".spur")), "nothing else left")
    trace = run.judge(archive, unfinished=True)
    run.equal(trace.processes(), list(range(two_hosts.N)), "ranks")
    two_hosts.check_hosts(run, trace)


def shared(run):
    rsh = os.path.join(two_hosts.HOSTS, "rsh")
    turns = [f"{rsh} 10.77.0.{host} {run.spur} recover {{archive}}.turns 2>{{archive}}.said{host} || :"
             for host in (2, 1)]
    archive, lines = killed(run, "shared", [
        *(f"cp -a {{archive}} {{archive}}.{way}" for way in ("one", "all", "turns")), recover(run),
        recover(run, "--recover {archive}.all 2>/dev/null"), *turns,
        f"{rsh} 10.77.0.1 {run.spur} recover --recover {{archive}}.one 2>/dev/null"])
    run.expect(any("on host" in line for line in lines), f"processes of a host that cannot be seen: {lines}")
    check(run, archive, lines)
    for way, other in (("all", ".one"), ("turns", "")):
        run.equal(archive_bytes(f"{archive}.{way}"), archive_bytes(archive + other), f"the archive of {way}")
    with open(archive + ".said2", encoding="utf-8") as said:
        run.expect("still recorded by" in said.read(), "the first host cannot know of the other one")


def local(run):
    """And nothing is left on the hosts."""
    left = "ls -d /run/hosts/memory*/spur-* >{archive}.%s 2>/dev/null || :"
    archive, lines = killed(run, "local", [left % "before", recover(run), left % "after"],
                            {"SPUR_LOCAL": "/dev/shm"})
    check(run, archive, lines)
    found = []
    for when in ("before", "after"):
        with open(f"{archive}.{when}", encoding="utf-8") as file:
            found.append(len(file.read().split()))
    run.equal(found, [2, 0], "hosts that have something, before and after")


def main(run):
    shared(run)
    local(run)
