# SPDX-License-Identifier: BSD-3-Clause
"""
kill -9 at system calls that the end of a thread makes. Between any two of them, all that the thread has
recorded is in its file, with what is gathered of others, or still in memory. Finishing knows which. The
same at the end of a process in a file system in memory, which gives memory back chunk by chunk. The calls of
each of these take turns (lib/turns.py).
"""

import os
import platform
import subprocess
import tempfile

from process_ends import leaves, read_counts
from turns import some

of = "agent/segment agent/process"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records


def opening():
    """How files of a session are opened: see base/beneath.c."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        is_filtered = "\nSeccomp:\t2\n" in file.read()
    return "openat" if is_filtered else "openat2"


# Where gdb stops a thread that is not the main one, so often before: a call begins and returns.
ANOTHER = "$_thread != 1"
PLACES = [("files", call, ANOTHER, before) for call, before in
          ((opening(), 0), ("pwrite64", 0), ("pwrite64", 1), ("close", 1), ("rt_sigpending", 3))]
# Of threads that need no file what is gathered goes to one, when there is no more room for it.
PLACES += [("threads", call, ANOTHER, before) for call, before in
           ((opening(), 1), ("write", 1), ("close", 1), ("rt_sigpending", 1))]
# Before the first chunk is given back, behind it, and behind later ones.
MADV_REMOVE, THIRD_ARGUMENT = 9, {"x86_64": "$rdx", "aarch64": "$x2"}
PLACES += [("long", "madvise", f"{THIRD_ARGUMENT[platform.machine()]} == {MADV_REMOVE}", before)
           for before in (0, 1, 2, 5)]
LOCKS = ("pthread_mutex_lock", "pthread_mutex_unlock")


def kill_at(run, folder, place):
    mode, call, condition, before = place
    scratch = os.path.join(folder, f"{mode}.{call}.{before}")
    os.makedirs(scratch)
    archive, counts = os.path.join(scratch, "archive"), os.path.join(scratch, "counts")
    steps = [f"set exec-wrapper env LD_PRELOAD={run.library} SPUR_DIR={archive}",
             f"catch syscall {call}", f"condition 1 {condition}", f"ignore 1 {before}",
             "run", "info program", "kill"]
    words = ["gdb", "-q", "-batch"] + [word for step in steps for word in ("-ex", step)]
    words += ["--args"] + run.command(["{programs}/thread_kills", mode, counts])
    said = subprocess.run(words, cwd=scratch, env=run.environment({}), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    run.expect("It stopped at breakpoint 1" in said, f"{mode}, {call}: a thread that ends: {said}")
    return archive, counts


def check(run, archive, counts, what):
    from check_trace import Trace
    run.equal(run.execute([run.spur, "recover", archive], "recover").status, 0, what)
    run.spur_check(archive, True)
    trace = Trace(os.path.join(archive, "traces.otf2"), True, with_opinions=False)
    run.equal(trace.faults, [], what + "faults")
    for thread, (begun, done, _) in enumerate(read_counts(counts)):
        found = leaves(trace, thread, LOCKS)[0] if thread in trace.archive.locations else 0
        run.expect(done <= found <= begun,
                   f"{what}{done} to {begun} calls of {thread}, found {found}")


def main(run):
    with tempfile.TemporaryDirectory(prefix="spur-test-ending-", dir="/dev/shm") as memory:
        for mode in ("files", "threads", "long"):
            for place in some((place for place in PLACES if place[0] == mode), 2):
                _, call, _, before = place
                made = kill_at(run, memory if mode == "long" else run.scratch, place)
                check(run, *made, f"{mode}, {call}, after {before} stops: ")
