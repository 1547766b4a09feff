# SPDX-License-Identifier: BSD-3-Clause
"""
kill -9 at system calls by which a process begins to record, and its threads: there is an archive of
all calls that were done, or nothing was, and that is said. Also where the process has pids of its own:
outside its pid is that of a thread of the kernel.

A part of the calls, or with FAULTS=all each one, and SEED=N repeats a run.
"""

import os
import random
import shutil
import subprocess

from process_ends import leaves, read_counts

of = "agent/segment agent/process"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

SEED = int(os.environ.get("SEED", random.randrange(10 ** 6)))
SAMPLE = os.environ.get("FAULTS", "24")
CALLS = ("mkdirat", "openat2", "ftruncate", "fallocate", "madvise", "getppid", "linkat", "uname",
         "readlink", "membarrier", "rt_sigaction", "rt_sigprocmask", "clone3", "futex")
MOST = 40  # of each, in one thread
LOCKS = ("pthread_mutex_lock", "pthread_mutex_unlock")


# The first process of a namespace of pids cannot be killed by its own signals: the shell is that.
PLACES = {"": [], ", own pids": ["unshare", "-p", "-f", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh"]}
KILLED = {"": -9, ", own pids": 137}


def kill_at(run, call, number, place):
    """False: there are not so many of them, and the program has come to its end."""
    from check_trace import Trace
    scratch = os.path.join(run.scratch, f"{call}.{number}")
    os.makedirs(scratch)
    archive, counts = os.path.join(scratch, "archive"), os.path.join(scratch, "counts")
    ended = subprocess.run(
        [*PLACES[place], "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
         "-e", f"inject={call}:signal=KILL:when={number}", "-E", f"LD_PRELOAD={run.library}",
         "-E", f"SPUR_DIR={archive}", *run.command(["{programs}/thread_kills", "exit", counts])],
        env=run.environment({}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    pairs = read_counts(counts)
    done = sum(pair[1] for pair in pairs)
    what = f"{call} {number}{place}, {done} calls: "
    run.expect(ended.returncode in (0, KILLED[place]), what + f"{ended.returncode} {ended.stdout}")
    if not any(os.path.exists(os.path.join(archive, name)) for name in (".spur", "traces.otf2")):
        run.equal(done, 0, what + "no session")
        return ended.returncode != 0
    if not os.path.exists(os.path.join(archive, "traces.otf2")):
        result = run.execute([run.spur, "recover", archive], "recover")
        if result.spur == [f"spur: nothing was recorded in {archive}"]:
            run.equal((done, result.status), (0, 1), what + "nothing was recorded")
            return True
        run.equal(result.status, 0, f"{what}{result.spur}")
    run.spur_check(archive, True)
    trace = Trace(os.path.join(archive, "traces.otf2"), True, with_opinions=False)
    run.equal(trace.faults, [], what + "faults")
    for thread, (begun, completed, _) in enumerate(pairs):
        found = leaves(trace, thread, LOCKS)[0] if thread in trace.archive.locations else 0
        run.expect(completed <= found <= begun,
                   f"{what}{completed} to {begun} calls of {thread}, found {found}")
    shutil.rmtree(scratch)
    return ended.returncode != 0


def main(run):
    print(f"SEED={SEED}")
    places = [(call, number) for call in CALLS for number in range(1, MOST + 1)]
    draw = random.Random(SEED)
    draw.shuffle(places)
    kills, left = 0, len(places) if SAMPLE == "all" else int(SAMPLE)
    beyond = {}  # the first number that a call does not reach
    for call, number in places:
        if left and number < beyond.get(call, MOST + 1):
            left -= 1
            if kill_at(run, call, number, draw.choice(list(PLACES))):
                kills += 1
            else:
                beyond[call] = number
    print(f"{kills} kills")
    run.expect(kills > 0, "some kills")
