# SPDX-License-Identifier: BSD-3-Clause
"""
attach.py SPUR FOLDER: attaches to programs that know their truth, at random moments. ATTACH_SEED=N repeats
the moments, ROUNDS=N the number of rounds for each program.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import openmpi  # noqa: E402
from attached_mpi import MAKES, RING, WAITS  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

SPUR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ROUNDS = int(os.environ.get("ROUNDS", 2))
tester = Seeded("ATTACH", str(FOLDER))
fault, same, moments = tester.fault, tester.same, tester.draw

LOCKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Threads count the locks that they take once the file "mark" is there; SIGTERM ends them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_over, is_marked;
static long taken, counted;

static void end(int signal)
{
    (void)signal;
    is_over = 1;
}

static void *work(void *unused)
{
    long mine = 0, since = 0;
    (void)unused;
    for (; !is_over && since < 300; mine++) {
        char *text = malloc(10 + (size_t)mine % 5000);
        memset(text, 1, 10);
        int counts = is_marked;
        pthread_mutex_lock(&lock);
        taken++;
        counted += counts;
        since += counts;
        pthread_mutex_unlock(&lock);
        free(text);
        if (mine % 7 == 0)
            usleep(100);
    }
    return (void *)mine;
}

int main(int argc, char **argv)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    long sum = 0;
    (void)argc;
    signal(SIGTERM, end);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    puts("ready");
    fflush(stdout);
    while (!is_over && access(argv[1], F_OK) != 0)
        usleep(1000);
    is_marked = 1;
    for (int i = 0; i < THREADS; i++) {
        void *mine;
        pthread_join(thread[i], &mine);
        sum += (long)mine;
    }
    atomic_long *seen = dlsym(RTLD_DEFAULT, "locks_seen");
    printf("%s %ld\n", sum == taken && (!seen || *seen >= taken) ? "equal" : "different", counted);
    return 7;
}
"""

# A library that somebody has preloaded: it sees all locks, and all goes on through it.
BETWEEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_long locks_seen;

int pthread_mutex_lock(pthread_mutex_t *lock)
{
    static _Atomic(void *) next;
    int (*real)(pthread_mutex_t *);
    locks_seen++;
    if (!next)
        next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    *(void **)&real = next;
    return real(lock);
}
"""

# One that has a namespace of its own (LD_AUDIT), with a C library of its own.
BESIDE = r"""
#include <stdlib.h>

unsigned la_version(unsigned version)
{
    return getenv("HOME_OF_NOBODY") ? 0 : version;
}
"""

# The program's own C library knows that it has threads now.
ALONE = r"""
#include <stdio.h>
#include <sys/single_threaded.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    puts("ready");
    fflush(stdout);
    while (argc > 1 && access(argv[1], F_OK) != 0)
        usleep(1000);
    puts(__libc_single_threaded ? "alone" : "not alone");
    return 0;
}
"""

PYTHON = """
import json, os, sys, threading
counted = [0, 0]
def work(me):
    since = 0
    while since < 200:
        marked = os.path.exists(sys.argv[1])
        json.loads(json.dumps({"a": [1, 2, 3]}))
        since += marked
        counted[me] += 1
        event.wait(0.001)
event = threading.Event()
threads = [threading.Thread(target=work, args=(i,)) for i in (0, 1)]
for thread in threads: thread.start()
print("ready", flush=True)
for thread in threads: thread.join()
print("equal" if min(counted) >= 200 else "different")
sys.exit(3)
"""
os.environ["SPUR_PTHREAD"] = "all"  # each lock is judged


def run(*command, **variables):
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG_S,
                          env={**os.environ, **variables})


def spur(*words, **settings):
    return run(SPUR, *map(str, words), **settings)


class Program:
    """One that runs; `processes` are what is recorded of it."""

    def __init__(self, command, name=None, **variables):
        self.mark = FOLDER / "mark"
        self.archive = FOLDER / "archive"
        self.mark.unlink(missing_ok=True)
        shutil.rmtree(self.archive, ignore_errors=True)
        self.process = subprocess.Popen([*command, str(self.mark)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=FOLDER,
                                        env={**os.environ, **variables})
        self.first = self.process.stdout.readline()
        time.sleep(moments.uniform(0, 0.2))
        self.pids = [self.process.pid]
        if name:
            self.pids = [int(pid) for pid in run("pgrep", "-f", f"^{name} {self.mark}").stdout.split()]

    def attach(self, **settings):
        got = spur("attach", "-o", self.archive, *self.pids, **settings)
        same("attach", (got.returncode, got.stderr), (0, ""))
        same("lines of attach", len(got.stdout.splitlines()), len(self.pids))

    def detach(self):
        got = spur("detach", *self.pids)
        same("detach", (got.returncode, got.stderr), (0, ""))

    def end(self, what, status, out):
        self.mark.touch()
        try:
            got = self.process.communicate(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            fault(f"{what}: it hangs")
            return ""
        same(f"{what}: status", self.process.returncode, status)
        if not re.fullmatch(out, got[0]):
            fault(f"{what}: output {got[0]!r}")
        same(f"{what}: errors", got[1], "")
        return got[0]

    def check(self, what):
        got = spur("check", "--strict", self.archive)
        same(f"{what}: check", got.returncode, 0)
        if got.returncode:
            print(got.stdout[:2000])
        return spur("print", self.archive / "traces.otf2").stdout


def locks(**variables):
    """Recorded to the end: each lock that is counted is there."""
    program = Program([FOLDER / "locks"], **variables)
    program.attach()
    out = program.end("locks", 7, r"equal \d+\n")
    text = program.check("locks")
    counted = int(out.split()[1]) if out else 0
    taken = len(re.findall(r"^ENTER .*\"pthread_mutex_lock\"", text, re.M))
    if taken < counted:
        fault(f"locks: {taken} recorded, {counted} after the mark")


def samples():
    """Of the threads that make calls; whoever loads the agent makes none, and is not there."""
    program = Program([FOLDER / "locks"])
    files = sorted(os.listdir(f"/proc/{program.pids[0]}/fd"))
    program.attach(SPUR_SAMPLE="200", SPUR_UNWIND="8")
    same("samples: beside the command", os.path.exists(".spur"), False)
    time.sleep(0.3)
    # libunwind would open a pipe, and a thread that writes to it while another one opens it anew is killed.
    same("samples: files", sorted(os.listdir(f"/proc/{program.pids[0]}/fd")), files)
    program.detach()
    if not re.search(r"^CALLING_CONTEXT_SAMPLE", program.check("samples"), re.M):
        fault("samples: there are none")
    program.end("samples", 7, r"equal \d+\n")


def spaces():
    """There is a second C library, which would start a thread that the first one does not know."""
    program = Program([FOLDER / "alone"], LD_AUDIT=str(FOLDER / "beside"))
    program.attach()
    program.end("a second C library", 0, "not alone\n")


def locks_in_between():
    """Attached and detached: the archive is there while the program goes on."""
    program = Program([FOLDER / "locks"])
    program.attach()
    time.sleep(moments.uniform(0.05, 0.3))
    program.detach()
    text = program.check("detached")
    if not re.search(r"^ENTER .*\"pthread_mutex_lock\"", text, re.M):
        fault("detached: no lock is recorded")
    again = spur("attach", "-o", FOLDER / "again", *program.pids)
    same("attach again", (again.returncode, again.stdout, again.stderr.count("\n")), (1, "", 1))
    same("its directory", (FOLDER / "again").exists(), False)
    program.end("detached", 7, r"equal \d+\n")


def ring(mpi):
    os.environ.update(openmpi.PATIENT)
    name = f"./ring.{mpi}"
    program = Program([f"mpirun.{mpi}", "-n", "2", name], name)
    same(f"ranks of {mpi}", len(program.pids), 2)
    program.attach()
    program.end(mpi, 0, "(0 equal\n1 equal\n|1 equal\n0 equal\n)")
    text = program.check(mpi)
    for region, least in ("MPI_Allreduce", 100), ("MPI_Bcast", 100), ("MPI_Finalize", 2):
        found = len(re.findall(rf"^ENTER .*\"{region}\"", text, re.M))
        if found < least:
            fault(f"{mpi}: {found} of {region}")
    ranks = {int(thread) >> 32 for thread in re.findall(r"^MPI_ISEND +(\d+)", text, re.M)}
    same(f"{mpi}: ranks that send", ranks, {0, 1})


def one_rank():
    """The other one is not attached to: nobody waits for it."""
    program = Program(["mpirun.mpich", "-n", "2", "./waits.mpich"], "./waits.mpich")
    program.pids = program.pids[1:]
    program.attach()
    time.sleep(0.1)
    program.detach()
    same("one rank: the archive", (program.archive / "traces.otf2").exists(), True)
    program.end("one rank", 0, "")


def ranks_in_between():
    """Detached while a rank is within a collective operation, which has a beginning only."""
    program = Program(["mpirun.mpich", "-n", "2", "./waits.mpich"], "./waits.mpich")
    program.attach()
    time.sleep(0.2)
    program.detach()
    text = program.check("ranks in between")
    begun, ended = (len(re.findall(rf"^MPI_COLLECTIVE_{word}", text, re.M)) for word in ("BEGIN", "END"))
    same("ranks in between: it was within one", (begun > 0, begun > ended), (True, True))
    program.end("ranks in between", 0, "")


def makes():
    """
    What both ranks make in a round is one thing in the archive: one of them was attached to after the other
    one, and waited for that in a round's first call. The last rounds are recorded of both.
    """
    name = "./makes.mpich"
    program = Program(["mpirun.mpich", "-n", "2", name], name)
    program.attach()
    time.sleep(0.3)
    program.end("makes", 0, "")
    text = program.check("makes")
    for what, line in ("windows", r"^RMA_PUT +(\d+) .*Window: \"\" <(\d+)>"), (
            "communicators", r"^MPI_COLLECTIVE_END +(\d+) .* BCAST, Communicator: \"\" <(\d+)>"):
        rows = re.findall(line, text, re.M)
        used = [[thing for thread, thing in rows if int(thread) >> 32 == rank] for rank in (0, 1)]
        n = max(min(map(len, used)) - 4, 1)
        same(f"makes: {what}", used[0][-n:], used[1][-n:])
        same(f"makes: {what} of both", (used[0] != [], used[1] != []), (True, True))


def python():
    program = Program([sys.executable, FOLDER / "work.py"])
    program.attach()
    program.end("python", 3, "equal\n")
    if not re.search(r"^ENTER .*\"(sem_|pthread_)", program.check("python"), re.M):
        fault("python: nothing is recorded")


def redis():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    archive = FOLDER / "redis"
    shutil.rmtree(archive, ignore_errors=True)
    server = subprocess.Popen(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
                               "--appendonly", "no", "--logfile", FOLDER / "redis.log"])
    end = time.time() + 30
    while run("redis-cli", "-p", port, "ping").stdout != "PONG\n" and time.time() < end:
        time.sleep(0.1)
    bench = subprocess.Popen(["redis-benchmark", "-p", port, "-n", "20000", "-q", "-t", "incr"],
                             stdout=subprocess.DEVNULL)
    time.sleep(moments.uniform(0, 0.3))
    got = spur("attach", "-o", archive, server.pid)
    same("attach to redis", (got.returncode, got.stderr), (0, ""))
    same("benchmark", bench.wait(HANG_S), 0)
    same("counter", run("redis-cli", "-p", port, "get", "counter:__rand_int__").stdout, "20000\n")
    got = spur("detach", server.pid)
    same("detach from redis", (got.returncode, got.stderr), (0, ""))
    same("answer", run("redis-cli", "-p", port, "ping").stdout, "PONG\n")
    run("redis-cli", "-p", port, "shutdown", "nosave")
    same("redis ends", server.wait(HANG_S), 0)
    same("redis: check", spur("check", "--strict", archive).returncode, 0)


def build(name, text, *options, compiler="gcc"):
    (FOLDER / f"{name}.c").write_text(text)
    done = run(compiler, "-O1", "-o", str(FOLDER / name), str(FOLDER / f"{name}.c"), *options)
    if done.returncode:
        fault(done.stderr)


def main():
    signal.alarm(600)
    print(f"ATTACH_SEED={tester.seed} ROUNDS={ROUNDS}", flush=True)
    build("locks", LOCKS, "-pthread")
    build("alone", ALONE)
    for name, text in ("between", BETWEEN), ("beside", BESIDE):
        build(name, text, "-shared", "-fPIC")
    for mpi in "mpich", "openmpi":
        build(f"ring.{mpi}", RING, compiler=f"mpicc.{mpi}")
    for name, text in ("waits", WAITS), ("makes", MAKES):
        build(f"{name}.mpich", text, compiler="mpicc.mpich")
    (FOLDER / "work.py").write_text(PYTHON)
    for _ in range(ROUNDS):
        locks()
        locks(LD_PRELOAD=str(FOLDER / "between"))
        locks_in_between()
        ring("mpich")
        ring("openmpi")
        python()
    makes()
    one_rank()
    ranks_in_between()
    spaces()
    samples()
    redis()
    sys.exit(tester.faults != 0)


main()
