/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

static bool is_zero(const char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i])
            return false;
    return true;
}

Test(mem, is_zeroed_aligned_and_disjoint)
{
    enum { BLOCKS = 64 };
    char *block[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t bytes = 1 + i * 977;
        block[i] = spur_mem_new(bytes);
        cr_assert_not_null(block[i]);
        cr_expect_eq((uintptr_t)block[i] % 16, 0);
        cr_expect(is_zero(block[i], bytes));
        memset(block[i], (int)i + 1, bytes);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t bytes = 1 + i * 977;
        cr_expect_eq(block[i][0], (char)(i + 1));
        cr_expect_eq(block[i][bytes - 1], (char)(i + 1));
        spur_mem_free(block[i], bytes);
    }
}

Test(mem, what_was_freed_comes_back_zeroed)
{
    char *first = spur_mem_new(100);
    memset(first, 1, 100);
    spur_mem_free(first, 100);
    char *second = spur_mem_new(100);
    cr_expect_eq(first, second, "small blocks are recycled");
    cr_expect(is_zero(second, 100));
    spur_mem_free(NULL, 100);
}

/* ---- threads, children and handlers ---- */

enum { SMALL = 100, HELD = 100, FORKS = 200, WORKERS = 3 };

static _Atomic int is_over;

/* Blocks that are somebody else's as well would not keep what is written to them. */
static int use_heap(int rounds, unsigned char mark)
{
    unsigned char *block[HELD];
    int wrong = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < HELD; i++) {
            /* NOLINTNEXTLINE(bugprone-signal-handler): that is what is tested */
            block[i] = spur_mem_new(SMALL);
            wrong += !is_zero((char *)block[i], SMALL);
            memset(block[i], mark, SMALL);
        }
        for (int i = 0; i < HELD; i++) {
            for (int j = 0; j < SMALL; j++)
                wrong += block[i][j] != mark;
            /* NOLINTNEXTLINE(bugprone-signal-handler): that is what is tested */
            spur_mem_free(block[i], SMALL);
        }
    }
    return wrong;
}

static void *keep_using(void *mark)
{
    uintptr_t wrong = 0;
    while (!is_over)
        wrong += (uintptr_t)use_heap(1, (unsigned char)(uintptr_t)mark);
    return (void *)wrong;
}

Test(mem, a_child_of_fork_does_not_mind_what_threads_were_at)
{
    pthread_t worker[WORKERS];
    for (uintptr_t i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, keep_using, (void *)(0xa1 + i));
    int bad = 0;
    for (int i = 0; i < FORKS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            spur_mem_after_fork();
            _exit(use_heap(2, 0xfe) != 0);
        }
        cr_assert(waitpid(child, &status, 0) == child);
        bad += status != 0;
    }
    is_over = 1;
    for (int i = 0; i < WORKERS; i++) {
        void *wrong;
        pthread_join(worker[i], &wrong);
        cr_expect_null(wrong);
    }
    cr_expect_eq(bad, 0, "%d children of %d", bad, FORKS);
}

static volatile sig_atomic_t signals, wrong_in_handler;

static void use_heap_in_handler(int signal)
{
    (void)signal;
    signals++;
    wrong_in_handler += use_heap(1, 0xee);
}

static void *send_signals(void *thread)
{
    while (!is_over) {
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
        usleep(50);
    }
    return NULL;
}

Test(mem, a_handler_may_interrupt_it, .timeout = 60)
{
    pthread_t self = pthread_self(), sender;
    int wrong = 0;
    signal(SIGUSR1, use_heap_in_handler);
    pthread_create(&sender, NULL, send_signals, &self);
    while (signals < 1000)
        wrong += use_heap(10, 0x11);
    is_over = 1;
    pthread_join(sender, NULL);
    cr_expect_eq(wrong, 0);
    cr_expect_eq(wrong_in_handler, 0);
}
