/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_alternate MODE: handlers on the alternate stack that go on on a fibre, and stacks without
 * room for a signal's frame, so that a signal has only the alternate stack. spur's own signals must
 * leave all handlers, fibres and stacks unchanged. MODE is a row of the table below.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "fibre_switch.h"

enum { PAGE = 4096, ALTERNATE = 64 << 10, KEPT = 2000, ROUNDS = 3, BURN_MS = 60, MS = 1000000 };

static struct fibre outer, inner;
static change *changes;
static bool unblocks, sends, names;
static volatile double sum;
static volatile int n_changed, n_handled;
static sigjmp_buf out;

/* By the thread's own CPU time: long enough for a sample. */
static void burn(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (int i = 0; i < 10000; i++)
            sum += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / MS < BURN_MS);
}

static void lock_once(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static char *new_stack(size_t bytes)
{
    char *low = mmap(NULL, bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(low != MAP_FAILED && mprotect(low + PAGE, bytes, PROT_READ | PROT_WRITE) == 0);
    return low + PAGE;
}

static void set_alternate(void)
{
    const stack_t stack = {.ss_sp = new_stack(ALTERNATE), .ss_size = ALTERNATE};
    EXPECT(sigaltstack(&stack, NULL) == 0);
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, now;
    sigaddset(&action.sa_mask, SIGUSR1);
    EXPECT(sigaction(number, &action, NULL) == 0 && sigaction(number, NULL, &now) == 0);
    for (int i = 1; i < SIGRTMIN; i++)
        EXPECT(sigismember(&now.sa_mask, i) == (i == SIGUSR1));
}

/* ---- a handler that goes on on a fibre ---- */

static void body(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (;;) {
        if (unblocks)
            EXPECT(sigprocmask(SIG_SETMASK, &none, NULL) == 0);
        if (sends)
            raise(SIGUSR2);
        burn();
        changes(&inner, &outer);
    }
}

static void on_signal(int number)
{
    volatile char kept[KEPT];
    sigset_t now;
    for (int i = 0; i < KEPT; i++)
        kept[i] = 7;
    EXPECT(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    for (int i = 1; i < SIGRTMIN; i++)
        EXPECT(sigismember(&now, i) == (i == number || i == SIGUSR1 || (i == SIGUSR2 && names)));
    changes(&outer, &inner);
    for (int i = 0; i < KEPT; i++)
        n_changed += kept[i] != 7;
    n_handled++;
}

/* The mask as read by the program outside of handlers. */
static void is_blocked(bool wanted)
{
    sigset_t now;
    EXPECT(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR2) == wanted);
}

static void leave(void)
{
    lock_once();
    set_alternate();
    inner.stack = new_stack(STACK_BYTES);
    prepare(&inner, body);
    EXPECT(getcontext(&inner.context) == 0);
    inner.context.uc_stack = (stack_t){.ss_sp = inner.stack, .ss_size = STACK_BYTES};
    makecontext(&inner.context, body, 0);
    handle(SIGUSR1, on_signal, SA_ONSTACK);
    for (int i = 0; i < ROUNDS; i++) {
        raise(SIGUSR1);
        burn();
        is_blocked(names);
    }
}

static void by_context(void)
{
    changes = change_context;
    leave();
}

static void by_hand(void)
{
    changes = change_stack;
    leave();
}

static void by_hand_unblocking(void)
{
    unblocks = true;
    by_hand();
}

/* With SPUR_FLUSH=ring only: else nobody handles SIGUSR2. */
static void with_snapshots(void)
{
    sends = true;
    by_context();
}

/* The snapshot signal is in the mask of a handler if the program has blocked the signal. */
static void with_snapshots_blocked(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    names = true;
    by_context();
    EXPECT(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    is_blocked(false);
}

/* ---- a handler that jumps out ---- */

static void on_jump(int number)
{
    (void)number;
    n_handled++;
    siglongjmp(out, 1);
}

static void by_jump(void)
{
    lock_once();
    set_alternate();
    handle(SIGUSR2, on_jump, SA_ONSTACK);
    for (volatile int i = 0; i < ROUNDS; i++)
        if (sigsetjmp(out, 1) == 0)
            raise(SIGUSR2);
    burn();
}

/* ---- small stacks ---- */

static void small_body(void)
{
    for (int i = 0; i < ROUNDS; i++)
        lock_once();
    burn();
    n_handled++;
    setcontext(&outer.context);
}

static void run_small(size_t bytes)
{
    char *stack = new_stack(bytes < PAGE ? PAGE : bytes);
    EXPECT(getcontext(&inner.context) == 0);
    inner.context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = bytes};
    makecontext(&inner.context, small_body, 0);
    swapcontext(&outer.context, &inner.context);
}

static void small(void)
{
    run_small(16 << 10);
    set_alternate();
    run_small(16 << 10);
    run_small(32 << 10);
}

/* As small as goroutines' stacks: a signal there needs the alternate stack. */
static void tiny_body(void)
{
    burn();
    n_handled++;
    change_stack(&inner, &outer);
}

static void tiny(void)
{
    enum { ROOM = 1536 };
    lock_once();
    set_alternate();
    handle(SIGSEGV, on_jump, SA_ONSTACK);
    burn(); /* binds the functions called by burn() */
    inner.stack = new_stack(PAGE) + ROOM - STACK_BYTES;
    prepare(&inner, tiny_body);
    change_stack(&outer, &inner);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"context", by_context},
                 {"hand", by_hand},
                 {"unblocking", by_hand_unblocking},
                 {"jump", by_jump},
                 {"small", small},
                 {"tiny", tiny},
                 {"snapshots", with_snapshots},
                 {"blocked", with_snapshots_blocked}};
    (void)change_by_jump;
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(modes[i].name, argv[1]) == 0)
            modes[i].run();
    printf("%d handled, %d bytes changed\n", n_handled, n_changed);
    return 0;
}
