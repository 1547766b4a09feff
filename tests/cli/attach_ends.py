# SPDX-License-Identifier: BSD-3-Clause
"""
attach_ends.py SPUR FOLDER: how recording ends in a process that was attached to: detached in the middle of
its calls, or at its end, by another program that it executes, or by a kill.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from attached import Attached  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

SPUR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
tester = Seeded("ATTACH_ENDS", str(FOLDER))
fault = tester.fault
attached = Attached(SPUR, FOLDER, fault)
start, order, ended = attached.start, attached.order, attached.ended

HELD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Two locks that are held and waited for: the first one until somebody closes a library, the other one until
   the input ends. */
static struct { pthread_mutex_t lock; atomic_int is_held, may_go, is_taken; } all[2];

static void await(const atomic_int *word)
{
    for (int i = 0; i < 50000 && !*word; i++)
        usleep(100);
}

static void *holds(void *number)
{
    int i = (int)(long)number;
    pthread_mutex_lock(&all[i].lock);
    all[i].is_held = 1;
    await(&all[i].may_go);
    pthread_mutex_unlock(&all[i].lock);
    pause();
    return NULL;
}

static void *waits(void *number)
{
    int i = (int)(long)number;
    pthread_mutex_lock(&all[i].lock);
    all[i].is_taken = 1;
    pthread_mutex_unlock(&all[i].lock);
    return NULL;
}

/* What spur has brought closes a library when it leaves. */
int dlclose(void *library)
{
    int (*real)(void *);
    *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    if (all[0].is_held) {
        all[0].may_go = 1;
        await(&all[0].is_taken);
    }
    return real(library);
}

int main(void)
{
    char byte;
    pthread_t thread[4];
    puts("ready");
    fflush(stdout);
    if (read(0, &byte, 1) != 1)
        return 2;
    for (long i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, holds, (void *)i);
        await(&all[i].is_held);
        pthread_create(&thread[2 + i], NULL, waits, (void *)i);
    }
    usleep(20000);
    puts("held");
    fflush(stdout);
    int more = read(0, &byte, 1) != 0;
    all[1].may_go = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[2 + i], NULL);
    puts(!more && all[0].is_taken && all[1].is_taken ? "equal" : "different");
    return 5;
}
"""

ENDS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Ends as soon as spur leaves: that opens a library first. */
static atomic_int is_ready, may_end;

void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    may_end = is_ready;
    return real(name, flags);
}

int main(void)
{
    char byte;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    puts("ready");
    fflush(stdout);
    if (read(0, &byte, 1) != 1)
        return 2;
    for (int i = 0; i < 90000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    is_ready = 1;
    puts("held");
    fflush(stdout);
    for (int i = 0; i < 100000 && !may_end; i++)
        usleep(100);
    usleep(300);
    puts(may_end ? "equal" : "different");
    return 5;
}
"""

EXECUTED = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void take_locks(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

/* Takes a lock a thousand times, and executes another program, which fails the first time. */
int main(void)
{
    char byte;
    puts("ready");
    fflush(stdout);
    if (read(0, &byte, 1) != 1)
        return 2;
    take_locks();
    if (execl("./nothing", "nothing", (char *)NULL) == 0)
        return 4;
    usleep(600000);
    take_locks();
    execlp("sh", "sh", "-c", "echo executed; read word; echo equal; exit 5", (char *)NULL);
    return 3;
}
"""
os.environ["SPUR_PTHREAD"] = "all"  # each lock is judged


def detached(name, may_end):
    """
    Detached while threads wait for locks that others hold, in calls that are recorded; while the process
    ends: the archive is made before.
    """
    process = start(name)
    process.stdout.readline()
    for word in "attach", "detach":
        command = order(word, process, name)
        got = command.communicate(timeout=HANG_S)[1]
        if (command.returncode, got) != (0, "") and not (word == "detach" and may_end):
            fault(f"{name}: {word}: {got!r}")
        if word == "attach":
            process.stdin.write("x")
            process.stdin.flush()
            process.stdout.readline()
    ended(name, process)
    text = made(name, attached.archive(name))
    if not may_end and not re.search("Name: \"END\" .*\"recording ended by 'spur detach'\"", text):
        fault(f"{name}: no word of how recording ended")


def made(what, archive):
    """Nobody is told to make it: it is there by itself, with all that was recorded."""
    end = time.time() + HANG_S
    while ((archive / ".spur").exists() or not (archive / "traces.otf2").exists()) and time.time() < end:
        time.sleep(0.05)
    done = subprocess.run([SPUR, "check", "--strict", archive], capture_output=True, text=True)
    if done.returncode:
        fault(f"{what}: {done.stdout[:1000]}{done.stderr}")
    return subprocess.run([SPUR, "print", "-A", archive], capture_output=True, text=True).stdout


def go(process, word):
    process.stdin.write("x")
    process.stdin.flush()
    got = process.stdout.readline()
    if got != word:
        fault(f"{word!r}: {got!r}")


def executed():
    """What came before another program was executed is there, and that one can be recorded for itself."""
    process = start("executed")
    process.stdout.readline()
    order("attach", process, "executed").communicate(timeout=HANG_S)
    go(process, "executed\n")
    text = made("executed", attached.archive("executed"))
    if text.count("THREAD_ACQUIRE_LOCK") != 1000:
        fault(f"executed: {text.count('THREAD_ACQUIRE_LOCK')} locks")
    if not re.search(r'Name: "END" .*"exec"', text):
        fault("executed: no word of it")
    command = order("detach", process)
    got = command.communicate(timeout=HANG_S)[1]
    if command.returncode != 1 or "it is not recorded" not in got:
        fault(f"executed: {got!r}")
    for word in "attach", "detach":
        command = order(word, process, "again")
        got = command.communicate(timeout=HANG_S)[1]
        if command.returncode:
            fault(f"executed: {word} again: {got!r}")
    made("executed again", attached.archive("again"))
    ended("executed", process)


def killed():
    """Of two processes one executes another program, and the other one is killed."""
    archive = attached.archive("killed")
    two = [start("executed") for _ in range(2)]
    for process in two:
        process.stdout.readline()
    subprocess.run([SPUR, "attach", "-o", archive, *[str(process.pid) for process in two]], check=True,
                   stdout=subprocess.DEVNULL)
    go(two[0], "executed\n")
    time.sleep(0.6)
    if not (archive / ".spur").exists():
        fault("killed: made too early")
    two[1].kill()
    two[1].wait()
    text = made("killed", archive)
    if text.count("THREAD_ACQUIRE_LOCK") != 1000 or len(re.findall("^LOCATION_GROUP  ", text, re.M)) != 2:
        fault(f"killed: {text[:3000]}")
    ended("killed", two[0])


def nobody_stays():
    """What makes the archives is gone when they are there."""
    def watching():
        found = subprocess.run(["pgrep", "-f", f"spur-attach watch {FOLDER}"], capture_output=True, text=True)
        return found.stdout.split()
    end = time.time() + HANG_S
    while watching() and time.time() < end:
        time.sleep(0.1)
    if watching():
        fault("it still watches")


def main():
    for name, text in ("held", HELD), ("ends", ENDS), ("executed", EXECUTED):
        (FOLDER / f"{name}.c").write_text(text)
        subprocess.run(["gcc", "-O1", "-pthread", "-rdynamic", "-o", FOLDER / name, FOLDER / f"{name}.c"],
                       check=True)
    detached("held", False)
    detached("ends", True)
    executed()
    killed()
    nobody_stays()
    sys.exit(tester.faults != 0)


main()
