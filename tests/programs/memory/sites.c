// SPDX-License-Identifier: BSD-3-Clause
/*
 * sites exact    takes and gives back memory from several lines, by all functions, in several
 *                threads, and prints the program's own count of each line:
 *                LINE TAKEN MOST END BLOCKS, bytes as counted by malloc_usable_size()
 * sites small    the same with many small blocks; a part of the blocks is left
 * sites fork     the child gives back the parent's blocks, and leaves 3,000,000 bytes
 * sites exec     takes 2,000,000 bytes and executes itself; the new image takes 1,000,000 bytes
 * sites handler  a signal handler takes and gives back memory all the time
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 400, BLOCKS = 200000 };

static struct {
    size_t taken, held, most, blocks;
} of_line[LINES];

/* Not in memory of the heap. */
static struct {
    void *p;
    int line;
} blocks[BLOCKS];
static int n_blocks;

static void *took(int line, void *p)
{
    size_t bytes = malloc_usable_size(p);
    of_line[line].taken += bytes;
    of_line[line].held += bytes;
    of_line[line].blocks++;
    if (of_line[line].most < of_line[line].held)
        of_line[line].most = of_line[line].held;
    blocks[n_blocks].p = p;
    blocks[n_blocks++].line = line;
    return p;
}
#define TOOK(call) took(__LINE__, call)

/* Called before a block is given back. */
static void *gives(void *p)
{
    for (int i = n_blocks - 1; i >= 0; i--)
        if (blocks[i].p == p) {
            of_line[blocks[i].line].held -= malloc_usable_size(p);
            blocks[i] = blocks[--n_blocks];
            return p;
        }
    abort();
}

/* realloc() has failed: the block was already counted as given back, so again() counts a taking. */
static void again(void *p)
{
    int i = n_blocks - 1;
    while (blocks[i].p != p)
        i--;
    int line = blocks[i].line;
    took(line, gives(p));
}

static void *other_thread(void *p)
{
    free(gives(p));
    return TOOK(malloc(70000));
}

static void *in_other_thread(void *p)
{
    pthread_t thread;
    void *result;
    if (pthread_create(&thread, NULL, other_thread, p) || pthread_join(thread, &result))
        abort();
    return result;
}

static void *volatile sink;

static void exact(void)
{
    const volatile size_t too_much = SIZE_MAX / 2;
    void *p = TOOK(malloc(5000));
    for (int i = 0; i < 5; i++)
        sink = TOOK(malloc(100 + i)); /* five blocks stay */
    free(gives(p));
    for (int i = 0; i < 7; i++)
        free(gives(TOOK(calloc(10, 1000))));
    p = TOOK(malloc(300));
    gives(p);
    p = TOOK(realloc(p, 400000));
    gives(p);
    p = TOOK(realloc(p, 300));
    if (realloc(p, too_much))
        abort();
    again(p);
    gives(p);
    p = TOOK(reallocarray(p, 100, 90));
    gives(p);
    p = realloc(p, 0);
    if (posix_memalign(&p, 4096, 8000))
        abort();
    took(__LINE__ - 2, p);
    sink = TOOK(memalign(512, 1000));
    free(gives(TOOK(aligned_alloc(256, 2560))));
    free(gives(TOOK(valloc(5000))));
    free(gives(p));
    p = TOOK(malloc(1000));
    p = in_other_thread(p);
    p = in_other_thread(p);
    sink = p;
}

static void small(void)
{
    static void *left[20000];
    for (int i = 0; i < 20000; i++) {
        free(gives(TOOK(malloc(40))));
        free(gives(TOOK(malloc(1000))));
        left[i] = TOOK(malloc(100 + (size_t)i % 300));
    }
    const int line = blocks[n_blocks - 1].line;
    for (int i = 0; i < 20000; i += 2) {
        of_line[line].held -= malloc_usable_size(left[i]);
        free(left[i]);
    }
    sink = left[1];
}

static void print_lines(void)
{
    for (int i = 0; i < LINES; i++)
        if (of_line[i].taken)
            printf("%d %zu %zu %zu %zu\n", i, of_line[i].taken, of_line[i].most, of_line[i].held,
                   of_line[i].blocks);
}

static void forks(void)
{
    void *p = malloc(4000000);
    sink = malloc(500000);
    pid_t child = fork();
    if (!child) {
        free(p);
        sink = malloc(3000000);
        return;
    }
    free(p);
    waitpid(child, NULL, 0);
}

static void execs(char *program)
{
    char *words[] = {program, (char *)"executed", NULL};
    sink = malloc(2000000);
    execv(program, words);
    abort();
}

static void executed(void)
{
    sink = malloc(1000000);
}

static atomic_int n_signals;

static void on_signal(int number)
{
    (void)number;
    n_signals++;
    free(malloc(3000));
}

/* The signal never interrupts malloc() or free(): a handler may not call malloc() then. */
static void handler(void)
{
    enum { SIGNALS = 500 };
    static char text[1 << 16];
    const struct itimerval often = {{0, 200}, {0, 200}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    while (n_signals < SIGNALS)
        memset(text, n_signals, sizeof text);
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "exact"))
        exact();
    else if (!strcmp(mode, "small"))
        small();
    else if (!strcmp(mode, "fork"))
        forks();
    else if (!strcmp(mode, "exec"))
        execs(argv[0]);
    else if (!strcmp(mode, "executed"))
        executed();
    else if (!strcmp(mode, "handler"))
        handler();
    print_lines();
    return 0;
}
