# SPDX-License-Identifier: BSD-3-Clause
"""
kill -9 at random moments. The programs count their own calls in a file that they map, one count
before each call and one after it; every call that was done is in the archive, for each thread, and
none that was not begun. KILLS=300 in the environment makes more of them, SEED=N repeats a run.

Each kill draws whether the archive lies in SION containers, and whether its host records locally. A third of
the time who makes the archive is killed as well, at a random moment or call, or a call of it fails, by chance
several times, and what is made then is sometimes of another form than was asked for.
"""

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

import run_case
from patience import HANG_S
from process_ends import leaves, read_counts

of = "agent/segment finish/events"
sion_containers = run_case.load_case("sion_containers")

env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

KILLS = int(os.environ.get("KILLS", "36"))
MPI_SHARE, OPENMP = 12, 3
MPI_LIBRARIES = ("mpich", "openmpi")
FORMS = ("none", "sion", "sion:2")
# Of who makes the archive.
CALLS = ("openat2", "pread64", "pwrite64", "write", "ftruncate", "fallocate", "renameat", "unlinkat",
         "mkdirat")
TROUBLES = ("signal=KILL", "error=ENOSPC", "error=EIO")
LATEST = 40  # of a kind of calls


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


def counted(trace, location, kill):
    """What there is of the counted calls, without what was added after the death; how many were."""
    if not kill.kinds:
        return leaves(trace, location, kill.regions)
    done = sum(name in kill.kinds and values[0] == OPENMP and attributes is None
               for name, _, values, attributes in trace.events(location))
    return done, 0  # the runtime has locks of its own, of threads


class Form:
    """How a run records, and what it leaves on its host."""

    def __init__(self):
        self.env, self.local = {"SPUR_CONTAINER": random.choice(FORMS)}, None
        if random.random() < 0.4:
            self.local = self.env["SPUR_LOCAL"] = tempfile.mkdtemp(prefix="spur-test-kills-", dir="/dev/shm")

    def __str__(self):
        return " ".join(f"{name}={value}" for name, value in self.env.items())

    def remove(self):
        if self.local:
            shutil.rmtree(self.local)


def disturb(run, archive):
    """Who makes the archive is killed by time or at a call, or a call of it fails."""
    finish = [os.path.join(run.build, "libexec", "spur", "spur-finish"), "--recover", "--threads",
              str(random.randrange(1, 4)), archive]
    if random.random() < 0.5:
        call, trouble = random.choice(CALLS), random.choice(TROUBLES)
        words = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                 f"inject={call}:{trouble}:when={random.randrange(1, LATEST)}"]
        subprocess.run(words + finish, env=run.environment({}), capture_output=True, check=False,
                       timeout=HANG_S)
        return
    process = subprocess.Popen([run.spur, "recover", archive], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=run.environment({}), start_new_session=True)
    time.sleep(random.uniform(0, 0.03))
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def recover(run, archive, folder, is_disturbed):
    """Make the archive; who does may be disturbed on its way, and is started again."""
    for _ in range(random.randrange(1, 4) if is_disturbed else 0):
        disturb(run, archive)
    if not os.path.exists(os.path.join(archive, "traces.otf2")) or \
            os.path.exists(os.path.join(archive, ".spur")):
        form = ["--container", random.choice(FORMS)] if is_disturbed and random.random() < 0.3 else []
        result = run.execute([run.spur, "recover", *form, archive], folder)
        run.equal(result.status, 0, f"{folder}: spur recover {form}: {result.spur}")


def check(run, archive, counts, kill, what):
    from check_trace import Trace
    run.spur_check(archive, True)
    if os.path.exists(os.path.join(archive, "traces.srm")):
        archive = sion_containers.taken_out(run, archive, what)
    trace = Trace(os.path.join(archive, "traces.otf2"), True, with_opinions=False)
    run.equal(trace.faults, [], what + "faults")
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


def kill_once(run, number, kill, form):
    folder = f"{number}"
    scratch = os.path.join(run.scratch, folder)
    os.makedirs(scratch)
    archive, counts = os.path.join(scratch, "archive"), os.path.join(scratch, "counts")
    words = run.command(kill.words + [counts])
    env = {"LD_PRELOAD": run.library, "SPUR_DIR": archive, **kill.env, **form.env}
    process = subprocess.Popen(words, cwd=scratch, env=run.environment(env),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0, kill.latest_ms / 1000))
    process.kill()
    process.wait()
    pairs = read_counts(counts)
    if not os.path.exists(os.path.join(archive, "traces.otf2")) and \
            not any(done for _, done, _ in pairs):
        return 0  # too early: nothing was recorded
    what = f"kill {number}, {form}, {' '.join(kill.words)}: "
    recover(run, archive, folder, number % 3 == 0)
    calls = check(run, archive, pairs, kill, what)
    run.equal(form.local and os.listdir(form.local), form.local and [], what + "left on the host")
    shutil.rmtree(scratch)
    return calls


def kill_job(run, folder, victim, latest_ms, before=(), more=None):
    """One rank is killed, and the launcher of the job sees to the others: its status, the counts."""
    scratch, mpi = os.path.join(run.scratch, folder), folder.split(".")[0]
    os.makedirs(scratch)
    counts = os.path.join(scratch, "counts")
    words = list(before) + [f"mpirun.{mpi}", "-n", "3",
                            os.path.join(run.programs, f"kills.{mpi}"), counts]
    process = subprocess.Popen(words, cwd=scratch, env=run.environment(more),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    end = time.monotonic() + HANG_S
    while len(read_counts(counts)) == 0 or not read_counts(counts)[victim][2]:
        run.expect(time.monotonic() < end, f"ranks of {mpi} to start")
        time.sleep(0.01)
    time.sleep(random.uniform(0, latest_ms / 1000))
    os.kill(read_counts(counts)[victim][2], signal.SIGKILL)
    return process.wait(timeout=HANG_S), read_counts(counts)


def kill_rank(run, number, mpi, statuses, form):
    kill = Kill(["{programs}/kills{mpi}"], 300, regions=["MPI_Sendrecv"])
    folder, victim = f"{mpi}.{number}", random.randrange(3)
    archive = os.path.join(run.scratch, folder, "archive")
    status, counts = kill_job(run, folder, victim, kill.latest_ms, [run.spur, "-o", archive], form.env)
    what = f"kill {number}, {form}, {mpi}, rank {victim}: "
    run.equal(status, statuses[mpi], what + "status")
    if not os.path.exists(os.path.join(archive, "traces.otf2")):
        recover(run, archive, folder, False)
    calls = check(run, archive, counts, kill, what)
    run.equal(form.local and os.listdir(form.local), form.local and [], what + "left on the host")
    shutil.rmtree(os.path.join(run.scratch, folder))
    return calls


def in_a_form(function, *arguments):
    form = Form()
    try:
        return function(*arguments, form)
    finally:
        form.remove()


def main(run):
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"SEED={seed}")
    random.seed(seed)
    calls = [in_a_form(kill_once, run, number, THREADS[number % len(THREADS)]) for number in range(KILLS)]
    statuses = {mpi: kill_job(run, f"{mpi}.plain", 0, 100)[0] for mpi in MPI_LIBRARIES}
    for number in range(max(1, KILLS // MPI_SHARE // 2)):
        calls += [in_a_form(kill_rank, run, number, mpi, statuses) for mpi in MPI_LIBRARIES]
    print(f"{len(calls)} kills, {sum(call > 0 for call in calls)} with calls, {sum(calls)} calls")
    run.expect(sum(call > 0 for call in calls) > len(calls) // 2, "most kills in the middle")
