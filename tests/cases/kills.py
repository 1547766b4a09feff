# SPDX-License-Identifier: BSD-3-Clause
"""
kill -9 at random moments. The programs count their own calls in a file that they map, one count
before each call and one after it; every call that was done is in the archive, for each thread, and
none that was not begun. KILLS=300 in the environment makes more of them, SEED=N repeats a run.

A third of the time who makes the archive is killed as well, by chance several times.
"""

import os
import random
import shutil
import signal
import struct
import subprocess
import time

KILLS = int(os.environ.get("KILLS", "36"))
COUNTS, PAIR = 4096, struct.Struct("<4Q")
MPI_SHARE, PATIENCE_S, OPENMP = 12, 60, 3


class Kill:
    """A program, when to kill it, and what its archive has to hold."""

    def __init__(self, words, latest_ms, env=None, regions=(), kinds=()):
        self.words, self.latest_ms, self.env = words, latest_ms, env or {}
        self.regions, self.kinds = set(regions), set(kinds)


LOCKS = ("pthread_mutex_lock", "pthread_mutex_unlock")
LOCK_RECORDS = ("ThreadAcquireLock", "ThreadReleaseLock")
THREADS = [
    Kill(["{programs}/thread_kills", "locks"], 60, regions=LOCKS),
    Kill(["{programs}/thread_kills", "flush"], 120, {"SPUR_BUFFER": "512K"}, LOCKS),
    Kill(["{programs}/thread_kills", "threads"], 80, regions=LOCKS),
    Kill(["{programs}/thread_kills", "names"], 60, regions=LOCKS),
    Kill(["{programs}/thread_kills", "exit"], 50, regions=LOCKS),
    Kill(["{programs}/omp_kills.gcc"], 80, kinds=LOCK_RECORDS),
    Kill(["{programs}/omp_kills.clang"], 100, kinds=LOCK_RECORDS),
]


def read_counts(path):
    """(begun, done, pid) of each thread, or rank."""
    if not os.path.exists(path) or os.path.getsize(path) < COUNTS * PAIR.size:
        return []
    with open(path, "rb") as file:
        return [values[:3] for values in PAIR.iter_unpack(file.read())]


def counted(trace, location, kill):
    """What there is of the counted calls, without what was added after the death; how many were."""
    done = added = 0
    for name, _, values, attributes in trace.events(location):
        if name in kill.kinds:  # the runtime has locks of its own, of threads
            if values[0] == OPENMP:
                done += attributes is None
        elif name == "Leave" and trace.archive.name_of("Region", values[0]) in kill.regions:
            done += attributes is None
            added += attributes is not None
    return done, added


def recover(run, archive, folder, kill_finisher):
    """Make the archive; who does may be killed on its way, and is started again."""
    tries = random.randrange(1, 4) if kill_finisher else 0
    for _ in range(tries):
        words = [run.spur, "recover", archive]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=run.environment({}), start_new_session=True)
        time.sleep(random.uniform(0, 0.03))
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    if not os.path.exists(os.path.join(archive, "traces.otf2")) or \
            os.path.exists(os.path.join(archive, ".spur")):
        result = run.execute([run.spur, "recover", archive], folder)
        run.equal(result.status, 0, f"{folder}: spur recover: {result.spur}")


def check(run, archive, counts, kill, what):
    from check_trace import Trace
    trace = Trace(os.path.join(archive, "traces.otf2"), True, with_opinions=False)
    run.equal(trace.faults, [], what + "faults")
    run.spur_check(archive, True)
    found = {}
    for location in trace.archive.locations:
        index = location >> 32 if kill.words[0].endswith("{mpi}") else location & 0xffffffff
        found[index] = counted(trace, location, kill)
        run.expect(found[index][1] <= 1, f"{what}one call open in {location} at most: {found}")
    if kill.kinds:  # the runtime numbers its threads in an order of its own
        numbers = sorted(done for done, _ in found.values() if done)
        pairs = sorted(pair[:2] for pair in counts if pair[0])
        numbers = [0] * (len(pairs) - len(numbers)) + numbers
        run.equal(len(numbers), len(pairs), what + "threads")
    else:
        numbers = [found.get(i, (0, 0))[0] for i in range(len(counts))]
        pairs = [pair[:2] for pair in counts]
    for number, (begun, done) in zip(numbers, pairs):
        run.expect(done <= number <= begun, f"{what}{done} to {begun} calls, found {number}")
    return sum(numbers)


def kill_once(run, number, kill):
    folder = f"{number}"
    scratch = os.path.join(run.scratch, folder)
    os.makedirs(scratch)
    archive, counts = os.path.join(scratch, "archive"), os.path.join(scratch, "counts")
    words = run.command(kill.words + [counts])
    env = {"LD_PRELOAD": run.library, "SPUR_DIR": archive, **kill.env}
    process = subprocess.Popen(words, cwd=scratch, env=run.environment(env),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0, kill.latest_ms / 1000))
    process.kill()
    process.wait()
    pairs = read_counts(counts)
    if not os.path.exists(os.path.join(archive, "traces.otf2")) and \
            not any(done for _, done, _ in pairs):
        return 0  # too early: nothing was recorded
    what = f"kill {number}, {' '.join(kill.words)}: "
    recover(run, archive, folder, number % 3 == 0)
    calls = check(run, archive, pairs, kill, what)
    shutil.rmtree(scratch)
    return calls


def kill_rank(run, number, mpi):
    """One rank is killed, and the launcher of the job sees to the others."""
    kill = Kill(["{programs}/kills{mpi}"], 300, regions=["MPI_Sendrecv"])
    scratch = os.path.join(run.scratch, f"{mpi}{number}")
    os.makedirs(scratch)
    archive, counts = os.path.join(scratch, "archive"), os.path.join(scratch, "counts")
    words = [run.spur, "-o", archive, f"mpirun.{mpi}", "-n", "3",
             os.path.join(run.programs, f"kills.{mpi}"), counts]
    process = subprocess.Popen(words, cwd=scratch, env=run.environment({}),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    victim, end = random.randrange(3), time.monotonic() + PATIENCE_S
    while len(read_counts(counts)) == 0 or not read_counts(counts)[victim][2]:
        run.expect(time.monotonic() < end, f"ranks of {mpi} to start")
        time.sleep(0.01)
    time.sleep(random.uniform(0, kill.latest_ms / 1000))
    os.kill(read_counts(counts)[victim][2], signal.SIGKILL)
    process.wait(timeout=PATIENCE_S)
    what = f"kill {number}, {mpi}, rank {victim}: "
    if not os.path.exists(os.path.join(archive, "traces.otf2")):
        recover(run, archive, f"{mpi}{number}", False)
    calls = check(run, archive, read_counts(counts), kill, what)
    shutil.rmtree(scratch)
    return calls


def main(run):
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"SEED={seed}")
    random.seed(seed)
    calls = [kill_once(run, number, THREADS[number % len(THREADS)]) for number in range(KILLS)]
    for number in range(max(1, KILLS // MPI_SHARE // 2)):
        calls += [kill_rank(run, number, mpi) for mpi in ("mpich", "openmpi")]
    print(f"{len(calls)} kills, {sum(call > 0 for call in calls)} with calls, {sum(calls)} calls")
    run.expect(sum(call > 0 for call in calls) > len(calls) // 2, "most kills in the middle")
