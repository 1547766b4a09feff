/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of processes. Each is the last operation of a script; the parent sees the status. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

static int status_now; /* of an end that comes later */

static void draw_status(struct soak_actor *actor)
{
    status_now = (int)soak_draw(actor, 100);
}

void soak_op_exit(struct soak_actor *actor)
{
    draw_status(actor);
    exit(status_now);
}

void soak_op__exit(struct soak_actor *actor)
{
    draw_status(actor);
    _exit(status_now);
}

static void at_end(void)
{
    soak_calls(20);
}

void soak_op_exit_handlers(struct soak_actor *actor)
{
    draw_status(actor);
    for (uint64_t i = soak_draw(actor, 4); i > 0; i--)
        atexit(at_end);
    exit(status_now);
}

static void ends_again(void)
{
    soak_calls(5);
    _exit(status_now);
}

void soak_op_exit_in_exit(struct soak_actor *actor)
{
    draw_status(actor);
    atexit(ends_again);
    exit(status_now + 1);
}

void soak_op_quick_exit(struct soak_actor *actor)
{
    draw_status(actor);
    for (uint64_t i = soak_draw(actor, 4); i > 0; i--)
        at_quick_exit(at_end);
    quick_exit(status_now);
}

void soak_op_exit_group(struct soak_actor *actor)
{
    draw_status(actor);
    syscall(SYS_exit_group, status_now);
}

void soak_op_abort(struct soak_actor *actor)
{
    (void)actor;
    abort();
}

static void by_signal(int sig)
{
    sigset_t set;
    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), sig);
    for (;;)
        soak_calls(100);
}

void soak_op_by_signal(struct soak_actor *actor)
{
    static const int fatal[] = {SIGKILL, SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGSEGV,  SIGBUS,
                                SIGILL,  SIGFPE,  SIGTRAP, SIGSYS,  SIGXCPU, SIGPIPE,  SIGALRM,
                                SIGUSR1, SIGUSR2, SIGABRT, SIGPROF, SIGIO,   SIGVTALRM};
    by_signal(fatal[soak_draw(actor, sizeof fatal / sizeof fatal[0])]);
}

void soak_op_by_fault(struct soak_actor *actor)
{
    (void)actor;
    signal(SIGSEGV, SIG_DFL);
    *(volatile int *)16 = 1;
}

static volatile int n_frames; /* more than there are */

static __attribute__((noinline)) int deeper(volatile int *above)
{
    if (n_frames < 0)
        return 0;
    volatile int room[256];
    room[0] = *above + 1;
    if (room[0] % 64 == 0)
        soak_calls(1);
    return deeper(room) + room[0];
}

void soak_op_by_overflow(struct soak_actor *actor)
{
    (void)actor;
    volatile int first = 0;
    signal(SIGSEGV, SIG_DFL);
    first = deeper(&first);
}

static void ends_process(int sig)
{
    (void)sig;
    soak_calls(2);
    _exit(status_now);
}

/* The usual handler of crashes, on the smallest of stacks. */
void soak_op_fault_handler(struct soak_actor *actor)
{
    stack_t stack = {.ss_size = ((size_t)(8 + soak_draw(actor, 8)) << 10) + soak_room()};
    draw_status(actor);
    stack.ss_sp = soak_stack_new(stack.ss_size);
    sigaltstack(&stack, NULL);
    soak_handler(SIGSEGV, ends_process, SA_ONSTACK);
    *(volatile int *)24 = 1;
}

/* In the middle of anything that a record takes. */
void soak_op_timer_ends(struct soak_actor *actor)
{
    draw_status(actor);
    soak_handler(actor->signal, ends_process, 0);
    soak_timer(actor->signal, 20 + (long)soak_draw(actor, 1500), false);
    for (;;)
        soak_calls(100);
}

static void exits_process(int sig)
{
    (void)sig;
    exit(status_now);
}

void soak_op_timer_exits(struct soak_actor *actor)
{
    draw_status(actor);
    atexit(at_end);
    soak_handler(actor->signal, exits_process, 0);
    soak_timer(actor->signal, 20 + (long)soak_draw(actor, 1500), false);
    for (;;)
        soak_calls(100);
}

static void forks_and_ends(int sig)
{
    (void)sig;
    int status = 0;
    pid_t pid = fork();
    soak_calls(2);
    if (pid == 0)
        _exit(status_now);
    while (waitpid(pid, &status, 0) < 0) {
    }
    _exit(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 119);
}

void soak_op_timer_forks(struct soak_actor *actor)
{
    draw_status(actor);
    soak_handler(actor->signal, forks_and_ends, 0);
    soak_timer(actor->signal, 20 + (long)soak_draw(actor, 1500), false);
    for (;;)
        soak_calls(100);
}

/* While it is named, made or ended: other locks than those of its records. */
void soak_op_timer_ends_threads(struct soak_actor *actor)
{
    static atomic_int now = 1; /* the threads end at once */
    draw_status(actor);
    soak_handler(actor->signal, ends_process, 0);
    soak_timer(actor->signal, 100 + (long)soak_draw(actor, 3000), false);
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, soak_noise, &now) == 0)
            pthread_join(thread, NULL);
        prctl(PR_SET_NAME, "other");
    }
}

/* ---- with other threads ---- */

static atomic_int never;

static void start_noise(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, soak_noise, &never);
        pthread_detach(thread);
    }
}

void soak_op_exit_with_others(struct soak_actor *actor)
{
    draw_status(actor);
    start_noise(1 + (unsigned)soak_draw(actor, 3));
    usleep((useconds_t)soak_draw(actor, 1000));
    if (soak_draw(actor, 2))
        exit(status_now);
    _exit(status_now);
}

void soak_op_signal_with_others(struct soak_actor *actor)
{
    start_noise(1 + (unsigned)soak_draw(actor, 3));
    usleep((useconds_t)soak_draw(actor, 1000));
    soak_op_by_signal(actor);
}

static void *exit_main(void *argument)
{
    (void)argument;
    soak_calls(3);
    exit(status_now);
}

void soak_op_exit_in_thread(struct soak_actor *actor)
{
    pthread_t thread;
    draw_status(actor);
    atexit(at_end);
    pthread_create(&thread, NULL, exit_main, NULL);
    pthread_join(thread, NULL);
}

static void *small_exit_main(void *argument)
{
    (void)argument;
    soak_calls(3);
    _exit(status_now);
}

void soak_op_exit_on_small_stack(struct soak_actor *actor)
{
    pthread_t thread;
    pthread_attr_t how;
    size_t size = ((size_t)(16 + 4 * soak_draw(actor, 4)) << 10) + soak_room();
    draw_status(actor);
    pthread_attr_init(&how);
    pthread_attr_setstack(&how, soak_stack_new(size), size);
    pthread_create(&thread, &how, small_exit_main, NULL);
    pthread_join(thread, NULL);
}

static void *last_main(void *argument)
{
    usleep(500);
    soak_calls(100);
    return argument;
}

/* The last thread's end is that of the process, with status 0. */
void soak_op_main_leaves(struct soak_actor *actor)
{
    pthread_t thread;
    for (uint64_t i = 1 + soak_draw(actor, 2); i > 0; i--) {
        pthread_create(&thread, NULL, last_main, NULL);
        pthread_detach(thread);
    }
    pthread_exit(NULL);
}

static sem_t parked;

static void park(int sig)
{
    (void)sig;
    sem_post(&parked);
    for (;;)
        pause();
}

/* As handlers of crashes and collectors stop all other threads, wherever they are. */
void soak_op_others_are_parked(struct soak_actor *actor)
{
    pthread_t threads[3];
    unsigned n = 1 + (unsigned)soak_draw(actor, 3);
    draw_status(actor);
    sem_init(&parked, 0, 0);
    soak_handler(actor->signal, park, 0);
    for (unsigned i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, soak_noise, &never);
    usleep((useconds_t)soak_draw(actor, 2000));
    for (unsigned i = 0; i < n; i++)
        pthread_kill(threads[i], actor->signal);
    for (unsigned i = 0; i < n; i++)
        while (sem_wait(&parked) != 0) {
        }
    if (soak_draw(actor, 2))
        exit(status_now);
    _exit(status_now);
}

/* ---- with less ---- */

void soak_op_no_tsc(struct soak_actor *actor)
{
    draw_status(actor);
    soak_calls(3);
#ifdef PR_SET_TSC
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
    soak_calls(10);
    _exit(status_now);
}

void soak_op_other_user(struct soak_actor *actor)
{
    draw_status(actor);
    soak_calls((unsigned)soak_draw(actor, 2));
    if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        _exit(118);
    soak_calls(3000);
    _exit(status_now);
}

void soak_op_closed_then_exit(struct soak_actor *actor)
{
    draw_status(actor);
    syscall(SYS_close_range, 0, ~0U, 0);
    soak_calls(10);
    exit(status_now);
}
