# SPDX-License-Identifier: BSD-3-Clause
"""
kill -9 at system calls that the end of a thread makes: between any two of them all that the thread
has recorded is in its file, or still in memory, and whoever makes the archive knows which.
"""

import os
import subprocess

from process_ends import leaves, read_counts

# Where gdb stops a thread that is not the main one, so often before: a call begins and returns.
PLACES = [("openat", 0), ("pwrite64", 0), ("pwrite64", 1), ("pwrite64", 3), ("close", 1),
          ("rt_sigpending", 2), ("rt_sigpending", 3)]
LOCKS = ("pthread_mutex_lock", "pthread_mutex_unlock")


def kill_at(run, call, before):
    scratch = os.path.join(run.scratch, f"{call}.{before}")
    os.makedirs(scratch)
    archive, counts = os.path.join(scratch, "archive"), os.path.join(scratch, "counts")
    steps = [f"set exec-wrapper env LD_PRELOAD={run.library} SPUR_DIR={archive}",
             f"catch syscall {call}", "condition 1 $_thread != 1", f"ignore 1 {before}",
             "run", "info program", "kill"]
    words = ["gdb", "-q", "-batch"] + [word for step in steps for word in ("-ex", step)]
    words += ["--args"] + run.command(["{programs}/thread_kills", "threads", counts])
    said = subprocess.run(words, cwd=scratch, env=run.environment({}), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    run.expect("It stopped at breakpoint 1" in said, f"{call}: a thread that ends: {said}")
    return archive, counts


def main(run):
    from check_trace import Trace
    for call, before in PLACES:
        archive, counts = kill_at(run, call, before)
        what = f"{call}, after {before} stops: "
        run.equal(run.execute([run.spur, "recover", archive], "recover").status, 0, what)
        run.spur_check(archive, True)
        trace = Trace(os.path.join(archive, "traces.otf2"), True, with_opinions=False)
        run.equal(trace.faults, [], what + "faults")
        for thread, (begun, done, _) in enumerate(read_counts(counts)):
            found = leaves(trace, thread, LOCKS)[0] if thread in trace.archive.locations else 0
            run.expect(done <= found <= begun,
                       f"{what}{done} to {begun} calls of {thread}, found {found}")
