# SPDX-License-Identifier: BSD-3-Clause
"""
With SPUR_LOCAL processes record in a directory of their host: in every form of a launch, with children
and programs that they become, and when they are killed, the archive is whole and nothing stays behind.
"""

import os
import shutil
import tempfile

of = "agent/state finish/find"
mpi = ["mpich", "openmpi"]
command = ["{programs}/ring{mpi}"]
ranks = 4
forms = ["outer", "inner", "preload"]
env = {}
SENDS = 15     # of each rank
PROGRAMS = 5   # a shell, and the program four times


class Local:
    """A directory in memory, as a host has one; it is empty before and after each run."""

    def __init__(self, run):
        self.run = run
        self.path = tempfile.mkdtemp(prefix="spur-test-local-", dir="/dev/shm")
        env["SPUR_LOCAL"] = self.path

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        shutil.rmtree(self.path)

    def is_left(self, what):
        self.run.equal(os.listdir(self.path), [], f"left of {what}")


def jobs(run, local):
    """Each form, and the directory while the job runs."""
    plain = run.untraced()
    for form in forms:
        result, archive = run.traced(form)
        run.same(result, plain)
        trace = run.judge(archive)
        run.equal(trace.processes(), list(range(ranks)), f"processes, {form}")
        run.equal(trace.kinds()["MpiSend"], SENDS * ranks, f"MpiSend, {form}")
        local.is_left(form)


def tree(run, local):
    """Children, programs one after the other in a process, and one that is not waited for."""
    serial = run.command(["{programs}/serial"])[0]
    shell = f"{serial}; ({serial}); {serial} & wait; exec {serial}"
    for name, words in (("launcher", [run.spur, "-o", os.path.join(run.scratch, "tree.archive")]),
                        ("preloaded", run.preloading())):
        more = {} if name == "launcher" else {
            "SPUR_DIR": os.path.join(run.scratch, "preloaded.archive"), "SPUR_WRAP": "default,process"}
        result = run.execute(words + ["sh", "-c", shell], name, more)
        run.equal(result.status, 3, f"status, {name}")  # that of the program
        archive = os.path.join(run.scratch, ("tree" if name == "launcher" else name) + ".archive")
        trace = run.judge(archive, unfinished=True)
        run.equal(trace.kinds()["ProgramBegin"], PROGRAMS, f"programs, {name}")
        local.is_left(name)


def killed(run, local):
    """What a killed process has left is in memory of the host: the launcher takes it, or the user."""
    program = run.command(["{programs}/serial_killed"])
    _, archive = run.record("killed", program, {"SPUR_PTHREAD": "all"}, status=-9)
    trace = run.judge(archive, unfinished=True)
    run.equal(trace.kinds()["ThreadAcquireLock"], 1001, "ThreadAcquireLock")
    local.is_left("a killed process")
    archive = os.path.join(run.scratch, "alone.archive")
    run.execute(run.preloading() + program, "alone", {"SPUR_PTHREAD": "all", "SPUR_DIR": archive})
    run.equal(sorted(os.listdir(archive)), [".spur"], "what a process without a launcher leaves")
    run.equal(len(os.listdir(local.path)), 1, "places on the host")
    run.equal(run.execute([run.spur, "recover", archive], "recover").status, 0, "recover")
    trace = run.judge(archive, unfinished=True)
    run.equal(trace.kinds()["ThreadAcquireLock"], 1001, "ThreadAcquireLock, recovered")
    local.is_left("a process that was recovered")


def switched(run, local):
    """What runs is reached on its host by the directory's name, and so is what comes later."""
    serial = run.command(["{programs}/serial"])[0]
    archive = os.path.join(run.scratch, "switched.archive")
    script = f"{serial}; {run.spur} off {archive}; {serial}; true"
    result = run.execute([run.spur, "-o", archive, "sh", "-c", script], "switched")
    run.equal(result.status, 0, "status")
    run.expect("paused in 2 processes" in result.spur[-1], f"a shell and a later program: {result.spur}")
    run.judge(archive, unfinished=True)
    local.is_left("a switched session")


def removed(run, local):
    """The session directory is gone at the end: what the host has is an archive of its own."""
    archive = os.path.join(run.scratch, "removed.archive")
    words = ["{programs}/thread_moves", archive, archive + ".moved", "removed", "parent"]
    result, _ = run.record("removed", run.command(words), {"SPUR_PTHREAD": "all"}, status=3)
    lines = [line for line in result.spur if "was removed or renamed" in line]
    run.equal(len(lines), 1, f"lines: {result.spur}")
    place = os.path.join(local.path, os.listdir(local.path)[0])
    run.expect(f"'spur recover {place}'" in lines[0], f"the place in {lines[0]}")
    run.equal(run.execute([run.spur, "recover", place], "recover").status, 0, "recover")
    run.expect(run.judge(place).kinds()["ThreadAcquireLock"] > 0, "locks")
    shutil.rmtree(place)


VANISHES = """
import ctypes, glob, shutil
calls, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
def lock(n):
    for _ in range(n):
        calls.pthread_mutex_lock(mutex)
        calls.pthread_mutex_unlock(mutex)
lock(1)
for folder in glob.glob("%s/*"):
    shutil.rmtree(folder)
lock(20000)
"""


def vanished(run, local):
    """The directory on the host is gone while a program records: the line names what chooses it."""
    result, archive = run.record("vanished", ["/usr/bin/python3", "-c", VANISHES % local.path],
                                 {"SPUR_PTHREAD": "all", "SPUR_BUFFER": "1M"})
    lines = [line for line in result.spur if "recording stopped" in line]
    run.equal(len(lines), 1, f"lines: {result.spur}")
    run.expect(lines[0].endswith("give a directory that can be written with --local"), lines[0])
    run.expect(f"'spur recover --recover {archive}'" in result.spur[-1], f"what is lost: {result.spur[-1]}")
    local.is_left("a directory that vanished")


def unusable(run, _):
    """One line, and the session is recorded as without the setting."""
    for local, why in (("/dev/shm/spur-test-is-not-there", "No such file"),
                       ("relative", "does not begin with /"), ("/dev/null", "Not a directory")):
        result, archive = run.record(f"unusable.{why.replace(' ', '-').replace('/', '')}",
                                     run.launcher() + run.command(), {"SPUR_LOCAL": local})
        lines = [line for line in result.spur if "SPUR_LOCAL" in line]
        run.equal(len(lines), 1, f"{local}: {result.spur}")
        run.expect(why in lines[0], f"'{why}' in {lines[0]}")
        run.equal(run.judge(archive).kinds()["MpiSend"], SENDS * ranks, f"MpiSend, {local}")


def main(run):
    with Local(run) as local:
        for part in (jobs, tree, killed, switched, removed, vanished, unusable):
            part(run, local)
