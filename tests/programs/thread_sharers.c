/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children that clone() makes in the memory of a thread, its thread-local storage included. The
 * children run beside the thread: `thread_sharers HOW`. The thread and its children take locks of
 * their own at the same time, until the thread has taken COUNT; the thread prints COUNT. HOW is the
 * end or the kind of the children:
 *
 *   ends    by a system call
 *   _exit   by _exit()
 *   execs   by becoming another program, which takes LEAF locks
 *   killed  by SIGKILL
 *   many    four at a time, twice
 *   lives   made by another thread than the main thread; the maker ends before the children
 *   sealed  allowed to read, write and end only (seccomp), and write
 *   within  the same, on a stack in the thread's own; the thread makes a process, which takes LEAF
 *           locks
 *   thread  threads of the process
 *   forks   each makes a process, which takes LEAF locks
 *   vforks  the children start programs, and the thread does so meanwhile
 *   forked  made by a child of fork() without records of its own yet
 *   raw     made by syscall(SYS_clone)
 *   clone3  made by syscall(SYS_clone3)
 *   masks   the children change their mask of signals, as does the thread
 *   files   both write
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum {
    COUNT = 4000,
    LEAF = 3,
    SPAWNS = 5,
    CHILDREN = 4,
    STACK = 256 << 10,
    SHARED = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND
};

static char stacks[CHILDREN][STACK] __attribute__((aligned(64)));
static pthread_mutex_t mutex[CHILDREN + 1];
static const char *how, *self;
static _Atomic int begun, over, ended;
static int file;

static int is(const char *name)
{
    return strcmp(how, name) == 0;
}

static void lock(int whose)
{
    pthread_mutex_lock(&mutex[whose]);
    pthread_mutex_unlock(&mutex[whose]);
}

static void start_leaf(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execl(self, self, "leaf", NULL);
        syscall(SYS_exit, 9);
    }
    while (syscall(SYS_wait4, pid, NULL, 0, NULL) < 0)
        ;
}

static void take_turn(int whose, int turn)
{
    lock(whose);
    if (is("files") || is("sealed") || is("within"))
        EXPECT(write(file, "x", 1) == 1);
    if (is("vforks") && turn < SPAWNS)
        start_leaf();
    if (is("masks")) {
        sigset_t set, before;
        sigemptyset(&set);
        sigaddset(&set, whose ? SIGUSR1 : SIGUSR2);
        sigprocmask(SIG_BLOCK, &set, &before);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
}

static void make_process(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < LEAF; i++)
            lock(0);
        _exit(0);
    }
    EXPECT(pid > 0 && waitpid(pid, NULL, 0) == pid);
}

static void end(void)
{
    if (is("_exit"))
        _exit(7);
    if (is("execs"))
        execl(self, self, "leaf", NULL);
    if (is("killed"))
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    if (is("forks"))
        make_process();
    ended++;
    syscall(SYS_exit, 7);
}

static int child(void *number)
{
    int whose = (int)(intptr_t)number;
    if (is("sealed") || is("within"))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    begun++;
    for (int turn = 0; !over || (is("vforks") && turn < SPAWNS); turn++)
        take_turn(whose, turn);
    end();
    return 0;
}

/* Where a child of syscall() returns to. */
static void raw_child(void)
{
    child((void *)(intptr_t)1);
}

static long make(int number, char *within)
{
    char *top = (is("within") ? within : stacks[number - 1]) + STACK;
    void *data = (void *)(intptr_t)number;
    if (is("thread"))
        return clone(child, top, SHARED | CLONE_THREAD | CLONE_SYSVSEM, data);
#if defined(__x86_64__)
    if (is("raw") || is("clone3")) {
        void (*first)(void) = raw_child;
        memcpy(top - 16, &first, sizeof first);
        struct clone_args args = {.flags = SHARED,
                                  .exit_signal = SIGCHLD,
                                  .stack = (uintptr_t)stacks[number - 1],
                                  .stack_size = STACK - 16};
        return is("raw") ? syscall(SYS_clone, SHARED | SIGCHLD, top - 16, NULL, NULL, 0L)
                         : syscall(SYS_clone3, &args, sizeof args);
    }
#else
    (void)raw_child;
#endif
    return clone(child, top, SHARED | SIGCHLD, data);
}

static int status_of(void)
{
    return is("execs") ? 0 : is("killed") ? SIGKILL : 7 << 8;
}

static void wait_for(long pid)
{
    int status = 0;
    if (is("thread")) {
        while (!ended)
            sched_yield();
        return;
    }
    EXPECT(syscall(SYS_wait4, pid, &status, 0, NULL) == pid && status == status_of());
}

/* The children are there before the thread begins to count. */
static void *work(void *data)
{
    char within[STACK] __attribute__((aligned(64)));
    int n = is("many") ? CHILDREN : 1;
    long *pid = data, own[CHILDREN] = {0};
    begun = over = 0;
    for (int i = 0; i < n; i++)
        EXPECT((own[i] = make(i + 1, within)) > 0);
    while (begun < n)
        sched_yield();
    for (int turn = 0; turn < COUNT; turn++)
        take_turn(0, turn);
    if (pid) {
        *pid = own[0];
        return NULL;
    }
    if (is("within"))
        make_process();
    over = 1;
    for (int i = 0; i < n; i++)
        wait_for(own[i]);
    return NULL;
}

static void live(void)
{
    pthread_t thread;
    long pid = 0;
    EXPECT(pthread_create(&thread, NULL, work, &pid) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
    usleep(20000);
    over = 1;
    wait_for(pid);
}

/* The end of main() too is the child's. */
static void become_child(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        return;
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    exit(unexpected);
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "ends";
    self = argv[0];
    file = open("written", O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    unlink("written");
    if (is("leaf")) {
        for (int i = 0; i < LEAF; i++)
            lock(0);
        return 0;
    }
    if (is("forked"))
        become_child();
    if (is("lives"))
        live();
    else
        work(NULL);
    if (is("many"))
        work(NULL);
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    for (int i = 1; i < SIGRTMIN; i++)
        EXPECT(!sigismember(&set, i));
    EXPECT(kill(getpid(), 0) == 0);
    printf("%d\n", is("many") ? 2 * COUNT : COUNT);
    return unexpected;
}
