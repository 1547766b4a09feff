/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>

#include "base/lock.h"

enum { THREADS = 4, ROUNDS = 100000 };

static struct spur_lock lock;
static uint64_t n; /* guarded by the lock */

/* Returns how often errno was another one. */
static void *take_turns(void *unused)
{
    uintptr_t changes = 0;
    (void)unused;
    errno = EXDEV;
    for (int i = 0; i < ROUNDS; i++) {
        spur_lock_take(&lock);
        n++;
        spur_lock_give(&lock);
        changes += errno != EXDEV;
        errno = EXDEV;
    }
    return (void *)changes; // NOLINT(performance-no-int-to-ptr)
}

Test(lock, threads_take_turns_and_keep_errno)
{
    pthread_t thread[THREADS];
    void *changes = NULL;
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, take_turns, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &changes);
        cr_expect_null(changes, "errno was another one");
    }
    cr_expect_eq(n, (uint64_t)THREADS * ROUNDS);
}
