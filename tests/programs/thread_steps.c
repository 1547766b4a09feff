/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that make calls, at lines of their own: `deep` calls and works no more; then main
 * works; then `wide` works between two calls. What each took, by the clock.
 */
#include <pthread.h>

#include "truth.h"

enum { ROUNDS = 10, MAIN_MS = 30, WIDE_MS = 15 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void call(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    __asm__ volatile("");
}

__attribute__((noinline)) static void deep(void)
{
    call();
    __asm__ volatile("");
}

__attribute__((noinline)) static int64_t wide(void)
{
    call();
    int64_t begin = truth_wall();
    truth_burn(WIDE_MS);
    int64_t took = truth_wall() - begin;
    call();
    return took;
}

int main(void)
{
    int64_t in_main = 0, in_wide = 0;
    for (int i = 0; i < ROUNDS; i++) {
        deep();
        int64_t begin = truth_wall();
        truth_burn(MAIN_MS);
        in_main += truth_wall() - begin;
        in_wide += wide();
    }
    truth_tell("main", in_main);
    truth_tell("wide", in_wide);
    return 0;
}
