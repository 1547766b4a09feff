/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains of calls, and the functions in each, the innermost first: thread_chains [MODE [CHAIN]].
 *   samples   works for 150 ms in each chain (the default)
 *   calls     makes a recorded call in each chain
 *   memory    takes a block in each chain
 *   crash     reads from an unmapped address, in the chain of number CHAIN
 * Without frame pointers, or with frame pointers, depending on the build.
 * stacks/chains_library.c is in a chain.
 */
#include <alloca.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))
/* So that the call before is no tail call. */
#define COME_BACK() __asm__ volatile("" ::: "memory")

typedef unsigned (*work)(unsigned);

static volatile unsigned seen;
static const char *mode = "samples";
static work does;
static int *volatile nowhere;

/* ---- work at the end of a chain ---- */

/* A leaf without calls: the return address may be in a register only. */
static APART unsigned mix(unsigned seed)
{
    for (int i = 0; i < 20000; i++)
        seed = seed * 1664525u + 1013904223u;
    return seed;
}

/* Another leaf. */
static APART unsigned fall(unsigned seed)
{
    return seed + (unsigned)*nowhere;
}

static APART unsigned take(unsigned seed)
{
    enum { BYTES = 777777 };
    void *volatile block = malloc(BYTES);
    free(block);
    return seed + !block;
}

static APART unsigned call(unsigned seed)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    seed += (unsigned)pthread_mutex_lock(&lock);
    return seed + (unsigned)pthread_mutex_unlock(&lock);
}

static const struct {
    const char *mode, *name;
    work does;
} works[] = {{"samples", "mix", mix},
             {"calls", "call", call},
             {"memory", "take", take},
             {"crash", "fall", fall}};

/* ---- the chains ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static APART void spend(work what)
{
    const double end = now() + 0.15;
    do
        seen = what(seen);
    while (does == mix && now() < end);
}

static APART void inner(work what)
{
    spend(what);
    COME_BACK();
}

static APART void plain(void)
{
    inner(does);
    COME_BACK();
}

static APART int differ(const void *a, const void *b)
{
    if (does != mix)
        seen = does(seen);
    return *(const int *)a - *(const int *)b;
}

/* Calls of a function of the C library, through a stub of the linker. */
static APART unsigned find(unsigned seed)
{
    static const int numbers[] = {1, 2, 3};
    for (int i = 0; i < (does == mix ? 1000 : 1); i++) {
        size_t n = does == mix ? 1 + seed % 3 : 1;
        seed += lfind(&numbers[2], numbers, &n, sizeof numbers[0], differ) != NULL;
    }
    return seed;
}

static APART void through_libc(void)
{
    inner(find);
    COME_BACK();
}

/* The size of the frame is unknown to the compiler. */
static APART void room(void)
{
    size_t bytes = 1000 + seen % 2;
    char *some = alloca(bytes);
    memset(some, 1, bytes);
    inner(does);
    seen += (unsigned)some[bytes - 1];
}

static APART int compare(const void *a, const void *b)
{
    static int calls;
    if (calls++ == 3)
        inner(does);
    return *(const int *)a - *(const int *)b;
}

static APART void sort(void)
{
    int numbers[] = {5, 2, 4, 1, 3, 9, 7, 8};
    qsort(numbers, sizeof numbers / sizeof numbers[0], sizeof numbers[0], compare);
    seen += (unsigned)numbers[0];
}

static APART void down(int depth)
{
    if (depth)
        down(depth - 1);
    else
        inner(does);
    COME_BACK();
}

static APART void recursion(void)
{
    down(3);
    COME_BACK();
}

/*
 * Nothing is blocked in the handler: qemu 7.2 has the mask of a handler of riscv64 from behind the
 * action, where anything may be.
 */
static void handle(int number)
{
    sigset_t none;
    (void)number;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    inner(does);
    COME_BACK();
}

static APART void interrupted(void)
{
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    COME_BACK();
}

static APART void elsewhere(void)
{
    static char bytes[64 << 10];
    const stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes},
                  none = {.ss_flags = SS_DISABLE};
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    sigaltstack(&none, NULL);
}

/* Two nameless functions of the library: its symbols are gone. */
extern void (*const chains_library)(void (*call)(void));

static APART void back(void)
{
    inner(does);
    COME_BACK();
}

static APART void library(void)
{
    chains_library(back);
    COME_BACK();
}

static void *begin(void *unused)
{
    inner(does);
    COME_BACK();
    return unused;
}

static APART void thread(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, begin, NULL) != 0 || pthread_join(other, NULL) != 0)
        exit(1);
}

static const struct {
    void (*run)(void);
    const char *names;
} chains[] = {{plain, "spend inner plain main"},
              {through_libc, "differ find spend inner through_libc main"},
              {room, "spend inner room main"},
              {sort, "spend inner compare sort main"},
              {recursion, "spend inner down down down down recursion main"},
              {interrupted, "spend inner handle interrupted main"},
              {elsewhere, "spend inner handle elsewhere main"},
              {library, "spend inner back libchains libchains library main"},
              {thread, "spend inner begin"}};
enum { CHAINS = sizeof chains / sizeof chains[0] };

int main(int argc, char **argv)
{
    const char *name = "";
    mode = argc > 1 ? argv[1] : mode;
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
        if (strcmp(mode, works[i].mode) == 0) {
            does = works[i].does;
            name = works[i].name;
        }
    if (!does)
        return 2;
    if (does == fall)
        seen = call(seen); /* a process without records has no archive */
    const int only = argc > 2 ? atoi(argv[2]) : -1;
    for (int i = 0; i < CHAINS; i++) {
        if (only >= 0 && i != only)
            continue;
        printf("%s %s\n", chains[i].run == through_libc && does == mix ? "" : name,
               chains[i].names);
        fflush(stdout);
        chains[i].run();
    }
    return 0;
}
