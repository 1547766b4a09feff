# SPDX-License-Identifier: BSD-3-Clause
"""
attach_harm.py SPUR FOLDER: what may happen while a process is attached to; it must end as it would have.
ATTACH_HARM_SEED=N repeats the moments, ROUNDS=N the number of rounds.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from attached import Attached  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

SPUR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ROUNDS = int(os.environ.get("ROUNDS", 1))
tester = Seeded("ATTACH_HARM", str(FOLDER))
fault, moments = tester.fault, tester.draw
attached = Attached(SPUR, FOLDER, fault)
start, order, ended = attached.start, attached.order, attached.ended

WAITS = r"""
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Waits and computes until its input ends, and looks at all that an attach could have changed. */
static atomic_int is_over, faults;
static char other_stack[1 << 16];

static void *compute(void *unused)
{
    double should = 0;
    (void)unused;
    for (int round = 0; !is_over; round++) {
        double part[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
        for (int i = 0; i < 20000; i++)
            for (int k = 0; k < 8; k++)
                part[k] = part[k] * 0.999 + k;
        for (int k = 0; k < 8; k++)
            sum += part[k];
        if (round == 0)
            should = sum;
        faults += sum != should;
    }
    return NULL;
}

static void *naps(void *unused)
{
    (void)unused;
    while (!is_over) {
        const struct timespec nap = {.tv_nsec = 3000000};
        errno = 77;
        faults += nanosleep(&nap, NULL) != 0 || errno != 77;
    }
    return NULL;
}

static void *nothing(void *unused)
{
    return unused;
}

static void *short_ones(void *unused)
{
    (void)unused;
    while (!is_over) {
        pthread_t thread;
        void *back = NULL;
        faults += pthread_create(&thread, NULL, nothing, &is_over) != 0 ||
                  pthread_join(thread, &back) != 0 || back != &is_over;
    }
    return NULL;
}

static void *children(void *unused)
{
    (void)unused;
    while (!is_over) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(9);
        faults += waitpid(child, &status, 0) != child || status != 9 << 8;
        usleep(5000);
    }
    return NULL;
}

/* With a word behind the program's name it waits in read(2), else in poll(2). */
int main(int argc, char **argv)
{
    void *(*const all[])(void *) = {compute, naps, short_ones, children};
    char byte;
    pthread_t thread[4];
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack}, now;
    sigset_t some, mask;
    struct pollfd input = {0, POLLIN, 0};
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    sigaltstack(&stack, NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, all[i], NULL);
    puts("ready");
    fflush(stdout);
    (void)argv;
    faults += argc > 1 ? read(0, &byte, 1) != 0 : poll(&input, 1, -1) != 1;
    is_over = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i < SIGRTMAX; i++)
        faults += i != 32 && i != 33 && sigismember(&mask, i) != (i == SIGUSR2);
    sigaltstack(NULL, &now);
    faults += now.ss_sp != other_stack;
    puts(faults ? "different" : "equal");
    return 5;
}
"""

EXECUTES = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char **words;

static void *again(void *unused)
{
    usleep(3000);
    execv(words[0], words);
    return unused;
}

/* Executes itself 150 times, from another thread than the first. */
int main(int argc, char **argv)
{
    char left[16];
    pthread_t thread;
    int n = argc > 1 ? atoi(argv[1]) : 150;
    char *next[] = {argv[0], left, NULL};
    words = next;
    snprintf(left, sizeof left, "%d", n - 1);
    if (n == 0)
        return puts("equal") < 0 ? 1 : 5;
    pthread_create(&thread, NULL, again, NULL);
    pause();
    return 1;
}
"""

CALLS = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* The first thread waits in the call that is named, until the input ends: then the other one wakes it. */
static int semaphores, letters, event, epoll, ends[2], holder, listener;
static volatile sig_atomic_t is_handled;
static aio_context_t io;
static pthread_t first;

static struct sockaddr_un place = {.sun_family = AF_UNIX};
enum { PLACE_BYTES = 8 };

/* One that waits for room in the queue, with a time limit. */
static int connected(const struct timeval *patience)
{
    int waits = socket(AF_UNIX, SOCK_STREAM, 0);
    setsockopt(waits, SOL_SOCKET, SO_SNDTIMEO, patience, sizeof *patience);
    return connect(waits, (const void *)&place, PLACE_BYTES);
}

static int fill_queue(void)
{
    char name[16];
    snprintf(name, sizeof name, "%d", (int)getpid());
    memcpy(place.sun_path + 1, name, PLACE_BYTES - 3);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (const void *)&place, PLACE_BYTES) || listen(listener, 0))
        return 1;
    while (connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), (const void *)&place, PLACE_BYTES) == 0) {
    }
    return 0;
}

static void handle(int number)
{
    is_handled = number;
}

/* -1, by the signal alone; and the mask of the thread is what it was. */
static int suspended(int number)
{
    sigset_t none, mask;
    sigemptyset(&none);
    int result = sigsuspend(&none);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return is_handled == number && sigismember(&mask, number) == 1 ? result : 0;
}

static void *wake(void *unused)
{
    char byte = 0;
    long letter = 1;
    struct sembuf post = {0, 1, 0};
    struct iocb poll = {.aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = (unsigned)event, .aio_buf = POLLIN};
    struct iocb *all = &poll;
    if (read(0, &byte, 1) || semop(semaphores, &post, 1) || msgsnd(letters, &letter, 0, 0) ||
        eventfd_write(event, 1) || syscall(SYS_io_submit, io, 1, &all) != 1 ||
        write(ends[1], &byte, 1) != 1 || flock(holder, LOCK_UN) || accept(listener, NULL, NULL) < 0)
        exit(2);
    pthread_kill(first, SIGUSR1);
    return unused;
}

int main(int argc, char **argv)
{
    const struct timespec time = {.tv_sec = 100};
    const struct timeval patience = {.tv_sec = 100};
    struct epoll_event wanted = {.events = EPOLLIN};
    struct sembuf take = {0, -1, 0};
    struct io_event completed;
    char bytes[64];
    struct iovec room = {bytes, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &room, .msg_iovlen = 1}};
    int file = open(argv[0], O_RDONLY);
    sigset_t set;
    pthread_t other;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    first = pthread_self();
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    letters = msgget(IPC_PRIVATE, 0600);
    event = eventfd(0, 0);
    epoll = epoll_create1(0);
    signal(SIGUSR1, handle);
    holder = open(argv[0], O_RDONLY);
    if (strcmp(argv[1], "flock") == 0 && flock(holder, LOCK_EX))
        return 4;
    if (fill_queue() || epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted) || syscall(SYS_io_setup, 4, &io) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
        (argc == 2 && pthread_create(&other, NULL, wake, NULL)))
        return 3;
    puts("ready");
    fflush(stdout);
    long result = -1, should = -2;
#define CALL(what, value, ...) \
    if (argc > 1 && strcmp(argv[1], what) == 0) \
        should = value, result = __VA_ARGS__
    CALL("epoll_wait", 1, epoll_wait(epoll, &wanted, 1, -1));
    CALL("epoll_pwait", 1, epoll_pwait(epoll, &wanted, 1, 100000, &set));
    CALL("epoll_pwait2", 1, syscall(SYS_epoll_pwait2, epoll, &wanted, 1, &time, NULL, 8));
    CALL("semop", 0, semop(semaphores, &take, 1));
    CALL("semtimedop", 0, semtimedop(semaphores, &take, 1, &time));
    CALL("msgrcv", 0, msgrcv(letters, bytes, 8, 0, 0));
    CALL("sigwaitinfo", SIGUSR1, sigwaitinfo(&set, NULL));
    CALL("sigtimedwait", SIGUSR1, sigtimedwait(&set, NULL, &time));
    CALL("recv", 1, recv(ends[0], bytes, 1, 0));
    CALL("recvmmsg", 1, recvmmsg(ends[0], &message, 1, 0, NULL));
    CALL("sigsuspend", -1, suspended(SIGUSR1));
    CALL("flock", 0, flock(file, LOCK_EX));
    CALL("connect", 0, connected(&patience));
    CALL("read", 1, read(ends[0], bytes, 1));
    CALL("io_getevents", 1, syscall(SYS_io_getevents, io, 1, 1, &completed, &time));
    /* The kernel begins it again by another call, which the second stop finds. */
    CALL("poll", 1, poll(&(struct pollfd){event, POLLIN, 0}, 1, 100000));
    semctl(semaphores, 0, IPC_RMID);
    msgctl(letters, IPC_RMID, NULL);
    puts(result == should ? "equal" : "different");
    return 5;
}
"""

ENDING = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *locks(void *lock)
{
    return pthread_mutex_lock(lock) || pthread_mutex_unlock(lock) ? NULL : lock;
}

/* The loader has called what waits here. */
__attribute__((destructor)) static void end(void)
{
    char byte;
    void *back = NULL;
    pthread_t thread;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    puts("ready");
    fflush(stdout);
    int more = read(0, &byte, 1) != 0;
    pthread_create(&thread, NULL, locks, &lock);
    pthread_join(thread, &back);
    puts(!more && back == &lock ? "equal" : "different");
    fflush(stdout);
}

int main(void)
{
    return 5;
}
"""


def killed(number):
    """The command ends in the middle of its work."""
    process = start("waits", *moments.choice([[], ["read"]]))
    process.stdout.readline()
    for word in ["attach"] * 40 + ["detach"] * 3:
        command = order(word, process, number)
        time.sleep(moments.uniform(0, 0.025))
        command.kill()
        command.communicate()
    ended("killed", process)


def stopped(number):
    """SIGSTOP and SIGCONT meanwhile, and a process that is stopped all the time."""
    process = start("waits", *moments.choice([[], ["read"]]))
    process.stdout.readline()
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(0.05)
    got = order("attach", process, number).communicate()[1]
    if got != f"spur: process {process.pid}: it is stopped; let it go on first ('kill -CONT')\n":
        fault(f"stopped: {got!r}")
    os.kill(process.pid, signal.SIGCONT)
    for _ in range(6):
        command = order("attach", process, number)
        while command.poll() is None:
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(moments.uniform(0, 0.003))
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(moments.uniform(0, 0.006))
        command.communicate()
    ended("stopped", process)


def executes(number):
    process = start("executes")
    while process.poll() is None:
        command = order("attach", process, number)
        try:
            got = command.communicate(timeout=HANG_S)[1]
        except subprocess.TimeoutExpired:
            command.kill()
            fault("executes: the command hangs")
            break
        if command.returncode and got.count("\n") != 1:
            fault(f"executes: {got!r}")
    ended("executes", process)


def waits_in_calls(number):
    """Calls of the kernel that fail in a stop, if nobody makes them once more."""
    names = re.findall(r'CALL\("(\w+)"', CALLS)
    processes = [start("calls", name) for name in names]
    for process in processes:
        process.stdout.readline()
    time.sleep(0.2)
    for name, process in zip(names, processes):
        for word in "attach", "detach":
            command = order(word, process, f"{number}.{name}")
            got = command.communicate(timeout=HANG_S)[1]
            if (command.returncode, got) != (0, ""):
                fault(f"{name}: {word}: {got!r}")
    for name, process in zip(names, processes):
        ended(name, process)


def alone(number):
    """The only thread waits for a signal, as the first process of some servers does."""
    process = start("calls", "sigsuspend", "alone")
    process.stdout.readline()
    time.sleep(0.1)
    for word in "attach", "detach":
        command = order(word, process, f"{number}.alone")
        got = command.communicate(timeout=HANG_S)[1]
        if (command.returncode, got) != (0, ""):
            fault(f"alone: {word}: {got!r}")
    process.send_signal(signal.SIGUSR1)
    ended("alone", process)


def ending(number):
    """Below the call that the only thread waits in is a frame of the loader, as in what others have left."""
    process = start("ending")
    process.stdout.readline()
    time.sleep(0.1)
    got = order("attach", process, f"{number}.ending").communicate(timeout=HANG_S)[1]
    if got:
        fault(f"ending: {got!r}")
    ended("ending", process)


def main():
    print(f"ATTACH_HARM_SEED={tester.seed} ROUNDS={ROUNDS}", flush=True)
    for name, text in ("waits", WAITS), ("executes", EXECUTES), ("calls", CALLS), ("ending", ENDING):
        (FOLDER / f"{name}.c").write_text(text)
        subprocess.run(["gcc", "-O3", "-march=native", "-pthread", "-o", FOLDER / name,
                        FOLDER / f"{name}.c"], check=True)
    for number in range(ROUNDS):
        killed(number)
        stopped(number)
        executes(number)
        waits_in_calls(number)
        alone(number)
        ending(number)
    sys.exit(tester.faults != 0)


main()
