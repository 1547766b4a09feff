/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways to crash, below solve() < step() < main() or work(): thread_crashes MODE. "shows" ends well
 * and tells what actions of signals it sees. "late" ends well before a thread of it crashes.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10, SMALL_BYTES = 7 << 10, PAGE = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int zero, pages = 100;
static char *volatile nowhere;
static const char *mode;

static int is(const char *name)
{
    return !strcmp(mode, name);
}

static __attribute__((noinline)) int recurse(volatile char *from)
{
    volatile char room[1024];
    room[0] = from[0];
    return recurse(room) + room[0];
}

static int beyond_the_end(void)
{
    char path[] = "/tmp/spur-crash-XXXXXX";
    int fd = mkstemp(path);
    volatile char *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    unlink(path);
    return page[0];
}

static int twice(void)
{
    char *volatile text = malloc(100);
    free(text);
    free(text); // NOLINT
    return 0;
}

static __attribute__((noinline)) int solve(void)
{
    if (is("fpe"))
        return pages / zero;
    if (is("bus"))
        return beyond_the_end();
    if (is("ill"))
        __builtin_trap();
    if (is("abort"))
        abort();
    if (is("assert"))
        assert(zero);
    if (is("heap"))
        return twice();
    if (is("sent"))
        return kill(getpid(), SIGSEGV) + pause();
    if (strstr(mode, "overflow"))
        return recurse("");
    return *nowhere;
}

static __attribute__((noinline)) int step(void)
{
    return solve() + 1;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return step() ? unused : NULL;
}

static void handle(int number)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    if (is("raises"))
        signal(number, SIG_DFL);
    if (is("returns"))
        sigaction(number, &none, NULL);
    if (is("aborts") || is("small"))
        abort();
    if (is("small_kill"))
        kill(getpid(), SIGFPE);
    if (is("small_raise"))
        raise(SIGFPE);
    if (is("leaves"))
        _exit(7);
    if (is("raises") || is("resets"))
        raise(number);
}

static void handle_by(int number, int flags)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void use_other_stack(size_t bytes)
{
    char *low =
        mmap(NULL, PAGE + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = low + PAGE, .ss_size = bytes};
    mprotect(low, PAGE, PROT_NONE);
    sigaltstack(&stack, NULL);
}

/* ---- what the program sees ---- */

static void tell(const char *what, int number, sighandler_t handler)
{
    printf("%s %d %s\n", what, number,
           handler == SIG_DFL  ? "default"
           : handler == handle ? "own"
                               : "?");
}

static void show(int number)
{
    struct sigaction set = {.sa_handler = SIG_DFL, .sa_flags = SA_RESTART}, got;
    sigaction(number, NULL, &got);
    tell("first", number, got.sa_handler);
    tell("signal", number, signal(number, handle));
    tell("signal", number, signal(number, SIG_DFL));
    tell("ssignal", number, ssignal(number, handle));
    tell("sysv_signal", number, sysv_signal(number, SIG_DFL));
    tell("sigset", number, sigset(number, SIG_DFL));
    sigaddset(&set.sa_mask, SIGUSR1);
    sigaction(number, &set, &got);
    tell("sigaction", number, got.sa_handler);
    sigaction(number, NULL, &got);
    printf("%d %d %d\n", got.sa_handler == SIG_DFL, got.sa_flags,
           sigismember(&got.sa_mask, SIGUSR1));
}

static int in_child(pid_t pid)
{
    int status = 0;
    if (pid == 0)
        _exit(work(NULL) != NULL);
    waitpid(pid, &status, 0);
    printf("%d\n", WTERMSIG(status));
    return 0;
}

static int count_tasks(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    while (tasks && readdir(tasks))
        n++;
    if (tasks)
        closedir(tasks);
    return n - 2; /* "." and ".." */
}

/* A process without the agent has no more than its two threads, and is gone in a moment. */
static atomic_int is_ending;

static void *crash_late(void *unused)
{
    while (!is_ending)
        sched_yield();
    while (count_tasks() < 3)
        ;
    nowhere[0] = 1;
    return unused;
}

static int end_before(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, crash_late, NULL))
        return 1;
    pthread_detach(thread);
    is_ending = 1;
    return 0;
}

static int no_crash(void)
{
    for (int i = 0; is("shows") && i < 5; i++)
        show((int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}[i]);
    if (is("child"))
        in_child(fork());
    if (is("vfork"))
        in_child(vfork()); // NOLINT
    return is("late") ? end_before() : 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    sigset_t set;
    mode = argc > 1 ? argv[1] : "";
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (is("shows") || is("child") || is("vfork") || is("late"))
        return no_crash();
    if (is("raises") || is("returns") || is("aborts") || is("leaves"))
        handle_by(SIGSEGV, 0);
    if (is("resets"))
        handle_by(SIGSEGV, SA_RESETHAND);
    int is_small = strncmp(mode, "small", strlen("small")) == 0;
    if (is_small)
        handle_by(SIGSEGV, SA_ONSTACK);
    if (is_small || is("other_overflow"))
        use_other_stack(is_small ? SMALL_BYTES : STACK_BYTES);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    if (is("blocked"))
        sigprocmask(SIG_BLOCK, &set, NULL);
    if (is("sealed"))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (is("thread") && !pthread_create(&thread, NULL, work, NULL))
        pthread_join(thread, NULL);
    return step();
}
