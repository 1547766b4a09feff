/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a signal handler that walks the stack may come across, at once, for so many seconds:
 * objects that are loaded and unloaded, malloc, exceptions, signal handlers with and without a stack
 * of their own, jumps out of handlers, blocked signals, another user of SIGPROF, threads with small
 * stacks that come and go, locks, and forks. Counts the calls that ended otherwise than they do
 * without samples.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static std::atomic<bool> is_over;
static std::atomic<long> wrong, work_done, handled, alarms;

static void expect(bool is_right, const char *what)
{
    if (is_right)
        return;
    if (wrong++ == 0)
        fprintf(stderr, "wrong: %s (errno %d)\n", what, errno);
}

static double spin(int rounds)
{
    volatile double x = 1;
    for (int i = 0; i < rounds; i++)
        x = x * 1.0000001 + 0.1;
    work_done++;
    return x;
}

/* ---- what the threads do ---- */

static void load_and_unload()
{
    static const char *const objects[] = {"libBrokenLocale.so.1", "libanl.so.1", "libutil.so.1",
                                          "libnss_hesiod.so.2"};
    for (const char *name : objects) {
        void *object = dlopen(name, RTLD_NOW);
        expect(object, name);
        spin(500);
        expect(!object || dlclose(object) == 0, "dlclose");
    }
}

static void allocate()
{
    std::vector<std::string> texts;
    for (int i = 0; i < 200; i++)
        texts.emplace_back(static_cast<size_t>(i * 7 % 900), 'x');
    void *block = malloc(300000);
    block = realloc(block, 900000);
    expect(block, "realloc");
    free(block);
}

__attribute__((noinline)) static void throw_from(int depth)
{
    std::string held(static_cast<size_t>(depth), 'y');
    if (depth == 0)
        throw std::runtime_error("deep");
    throw_from(depth - 1);
}

static void throw_and_catch()
{
    int caught = 0;
    for (int i = 0; i < 20; i++) {
        try {
            throw_from(i);
        } catch (const std::exception &error) {
            caught += strcmp(error.what(), "deep") == 0;
        }
    }
    expect(caught == 20, "exceptions");
}

static thread_local sigjmp_buf way_out;
static thread_local bool jumps;

static void on_user_signal(int)
{
    int saved = errno;
    spin(2000);
    handled++;
    errno = saved;
    if (jumps)
        siglongjmp(way_out, 1);
}

static void signal_itself()
{
    for (int i = 0; i < 20; i++)
        pthread_kill(pthread_self(), SIGUSR1);
    volatile int jumped = 0;
    jumps = true;
    if (sigsetjmp(way_out, 1) == 0)
        pthread_kill(pthread_self(), SIGUSR2);
    else
        jumped = 1;
    jumps = false;
    expect(jumped, "jump out of a handler");
}

static void block_signals()
{
    sigset_t all, before, now;
    sigfillset(&all);
    expect(pthread_sigmask(SIG_SETMASK, &all, &before) == 0, "mask");
    spin(20000);
    expect(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGURG) == 1 &&
               sigismember(&now, SIGUSR1) == 1,
           "the mask is what was set");
    pthread_kill(pthread_self(), SIGUSR1);
    sigset_t one;
    int number = 0;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    expect(sigwait(&one, &number) == 0 && number == SIGUSR1, "sigwait");
    expect(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0, "mask back");
    expect(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGURG) == 0,
           "the mask is what it was");
}

/* Calls that end early when a signal comes, whatever its flags are. */
static void wait_a_little()
{
    static sem_t never;
    struct timespec nap = {0, 100000};
    expect(nanosleep(&nap, NULL) == 0, "nanosleep");
    expect(poll(NULL, 0, 1) == 0, "poll");
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    expect(sem_timedwait(&never, &until) == -1 && errno == ETIMEDOUT, "sem_timedwait");
    spin(3000);
}

static void *small_thread(void *)
{
    spin(30000);
    return NULL;
}

static void make_threads()
{
    pthread_attr_t attr;
    pthread_t thread[4];
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 32 << 10);
    for (pthread_t &t : thread)
        expect(pthread_create(&t, &attr, small_thread, NULL) == 0, "pthread_create");
    for (pthread_t t : thread)
        expect(pthread_join(t, NULL) == 0, "pthread_join");
    pthread_attr_destroy(&attr);
}

static void lock_a_lot()
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    spin(200000); /* else there is nothing but locks in the archive */
}

static void fork_one()
{
    pid_t child = fork();
    if (child == 0) {
        spin(200000);
        _exit(7);
    }
    int status = 0;
    expect(child > 0, "fork");
    expect(child < 0 || (waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                         WEXITSTATUS(status) == 7),
           "the child's status");
}

static void (*const tasks[])() = {load_and_unload, allocate,      throw_and_catch, signal_itself,
                                  block_signals,   wait_a_little, make_threads,    lock_a_lot};

static void *run_task(void *argument)
{
    stack_t own = {};
    own.ss_size = 64 << 10;
    own.ss_sp = mmap(NULL, own.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t task = reinterpret_cast<uintptr_t>(argument);
    if (task % 2)
        sigaltstack(&own, NULL);
    while (!is_over)
        tasks[task]();
    own.ss_flags = SS_DISABLE;
    sigaltstack(&own, NULL);
    munmap(own.ss_sp, own.ss_size);
    return NULL;
}

static void on_alarm(int)
{
    alarms++;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 3;
    struct sigaction action = {};
    action.sa_handler = on_user_signal;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);

    pthread_t thread[sizeof tasks / sizeof tasks[0]];
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        pthread_create(&thread[i], NULL, run_task, reinterpret_cast<void *>(i));

    /* The main thread alone has to do with SIGPROF, which interrupts calls, and with forks. */
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        fork_one();
        spin(100000);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (static_cast<double>(now.tv_sec - from.tv_sec) +
                 1e-9 * static_cast<double>(now.tv_nsec - from.tv_nsec) <
             seconds);
    is_over = true;
    for (pthread_t t : thread)
        pthread_join(t, NULL);

    action.sa_handler = on_alarm;
    sigaction(SIGPROF, &action, NULL);
    struct itimerval often = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_PROF, &often, NULL);
    while (alarms < 3)
        spin(100000);
    often = {};
    setitimer(ITIMER_PROF, &often, NULL);
    printf("%ld wrong, %s\n", wrong.load(), handled > 20 && work_done > 100 ? "all at work" : "idle");
    return wrong != 0;
}
