/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <pthread.h>

#include "agent/record/location.h"
#include "agent/record/object.h"
#include "agent/spur_agent.h"

enum { OBJECTS = 5000, THREADS = 4 };

static char object[OBJECTS];

static struct spur_loc here;

static uint32_t number_of(const void *lock)
{
    return spur_lock_acquired(&(struct spur_loc){0}, lock).id;
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
    for (uint32_t order = 1; order <= 3; order++) {
        struct spur_hold hold = spur_lock_acquired(&here, &object[7]);
        cr_expect_eq(hold.order, order);
        cr_expect_eq(hold.id, 0);
    }
    struct spur_hold other = spur_lock_acquired(&here, &object[8]);
    cr_expect_eq(other.order, 1);
    cr_expect_eq(other.id, 1);
}

Test(object, a_forgotten_lock_begins_anew)
{
    spur_lock_acquired(&here, &object[0]);
    spur_object_forget(&object[0]);
    cr_expect_eq(spur_lock_acquired(&here, &object[0]).order, 1);
}

Test(object, nobody_acquires_before_the_other_has_released)
{
    struct spur_loc early = {.now = 900}, late = {.now = 1000};
    struct spur_hold hold = spur_lock_acquired(&late, &object[0]);
    spur_lock_released(&late, &hold);
    spur_lock_acquired(&early, &object[0]);
    cr_expect_eq(early.now, 1000);
    early.now = 2000;
    spur_lock_acquired(&early, &object[0]);
    cr_expect_eq(early.now, 2000, "a time that is later already stays");
}

Test(object, of_two_readers_the_second_is_not_earlier)
{
    struct spur_loc first = {.now = 1000}, second = {.now = 999};
    cr_expect_eq(spur_lock_acquired(&first, &object[0]).order, 1);
    cr_expect_eq(spur_lock_acquired(&second, &object[0]).order, 2);
    cr_expect_eq(second.now, 1000);
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
    spur_lock_acquired(&here, &object[3]);
    spur_object_after_fork();
    struct spur_hold hold = spur_lock_acquired(&here, &object[4]);
    cr_expect_eq(hold.order, 1);
    cr_expect_eq(hold.id, 0);
}

/* The highest order that the short way of an event writes. */
static const uint32_t last_order = INT32_MAX;

Test(object, a_lock_whose_orders_are_used_up_goes_on_as_another_one)
{
    struct spur_loc early = {.now = 900}, late = {.now = 1000};
    struct spur_hold first = spur_lock_acquired(&here, &object[0]);
    atomic_store(&spur_object_glance(&object[0])->order, last_order - 1);
    struct spur_hold last = spur_lock_acquired(&late, &object[0]);
    cr_expect_eq(last.id, first.id);
    cr_expect_eq(last.order, last_order);
    spur_lock_released(&late, &last);
    struct spur_hold next = spur_lock_acquired(&early, &object[0]);
    cr_expect_eq(next.order, 1);
    cr_expect_neq(next.id, first.id);
    cr_expect_eq(early.now, 1000, "it is the same lock to the clock");
    cr_expect_eq(spur_lock_acquired(&here, &object[0]).order, 2);
}

Test(object, what_is_not_recorded_counts_for_nothing)
{
    struct spur_loc shut = {.gate = SPUR_GATE_SHUT};
    cr_expect_eq(spur_lock_acquired(&shut, &object[0]).id, SPUR_NO_LOCK);
    cr_expect_eq(spur_lock_acquired(&here, &object[0]).order, 1);
}
