/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent agent-finish writer format */
#include <criterion/criterion.h>
#include <pthread.h>

#include "agent/location.h"
#include "agent/spur_agent.h"

enum { OBJECTS = 5000, THREADS = 4 };

static char object[OBJECTS];

static uint32_t number_of(const void *lock)
{
    uint32_t id;
    spur_lock_acquired(lock, &id);
    return id;
}

Test(object, numbers_are_dense_and_stay)
{
    for (uint32_t i = 0; i < OBJECTS; i++)
        cr_assert_eq(number_of(&object[i]), i);
    for (uint32_t i = 0; i < OBJECTS; i++)
        cr_assert_eq(number_of(&object[i]), i, "a growing table must lose nobody");
}

Test(object, a_forgotten_address_is_another_object)
{
    uint32_t first = number_of(&object[0]);
    spur_object_forget(&object[0]);
    spur_object_forget(&object[1]); /* never seen: harmless */
    cr_expect_eq(number_of(&object[0]), first + 1);
    cr_expect_eq(number_of(&object[0]), first + 1);
}

Test(object, a_lock_counts_its_acquisitions)
{
    uint32_t id, other;
    for (uint32_t order = 1; order <= 3; order++) {
        cr_expect_eq(spur_lock_acquired(&object[7], &id), order);
        cr_expect_eq(id, 0);
    }
    cr_expect_eq(spur_lock_acquired(&object[8], &other), 1);
    cr_expect_eq(other, 1);
}

Test(object, a_forgotten_lock_begins_anew)
{
    uint32_t id;
    spur_lock_acquired(&object[0], &id);
    spur_object_forget(&object[0]);
    cr_expect_eq(spur_lock_acquired(&object[0], &id), 1);
}

static void *number_all(void *seen)
{
    uint32_t *id = seen;
    for (uint32_t i = 0; i < OBJECTS; i++)
        id[i] = number_of(&object[i]);
    return NULL;
}

Test(object, threads_agree)
{
    static uint32_t id[THREADS][OBJECTS];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++)
        cr_assert_eq(pthread_create(&thread[t], NULL, number_all, id[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int i = 0; i < OBJECTS; i++) {
        cr_assert_lt(id[0][i], OBJECTS);
        for (int t = 1; t < THREADS; t++)
            cr_assert_eq(id[t][i], id[0][i]);
    }
}

Test(object, a_child_of_fork_counts_its_own)
{
    uint32_t id;
    spur_lock_acquired(&object[3], &id);
    spur_object_after_fork();
    cr_expect_eq(spur_lock_acquired(&object[4], &id), 1);
    cr_expect_eq(id, 0);
}
