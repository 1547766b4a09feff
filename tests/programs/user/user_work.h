/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of spur/spur.h do with it, in C and in C++, with and without threads and MPI.
 * Prints nothing that depends on spur.
 */
#ifndef USER_REGIONS_H
#define USER_REGIONS_H

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include <spur/spur.h>

enum { STEPS = 20, DEPTH = 5 };

static struct spur_user_region step_region = SPUR_USER_REGION("step");
static struct spur_user_region inner_region = SPUR_USER_REGION("inner");
static struct spur_user_region deep_region = SPUR_USER_REGION("deep");
static struct spur_user_region left_region = SPUR_USER_REGION("left over");
static struct spur_user_parameter number = SPUR_USER_PARAMETER("iteration");
static struct spur_user_parameter label = SPUR_USER_PARAMETER("label");
static struct spur_user_metric residual = SPUR_USER_METRIC("residual", "", SPUR_USER_POINT);
static struct spur_user_metric bytes = SPUR_USER_METRIC("bytes", "bytes", SPUR_USER_COUNTER);

static void recurse(int depth)
{
    spur_user_enter(&deep_region);
    if (depth > 1)
        recurse(depth - 1);
    spur_user_leave(&deep_region);
}

static void one_step(int i)
{
    char text[32];
    spur_user_enter(&step_region);
    spur_user_parameter_int(&number, i);
    snprintf(text, sizeof text, "step %d", i % 2);
    spur_user_parameter_string(&label, text);
    spur_user_enter(&inner_region);
    spur_user_metric_double(&residual, 1.0 / (1 + i));
    spur_user_metric_uint(&bytes, 1024u * (unsigned)i);
    spur_user_leave(&inner_region);
    spur_user_leave(&step_region);
}

/* What is forgotten is left with what is around it; what is not open is not left. */
static void be_careless(void)
{
    static jmp_buf back;
    spur_user_leave(&inner_region);
    spur_user_enter(&step_region);
    if (setjmp(back) == 0) {
        spur_user_enter(&left_region);
        longjmp(back, 1);
    }
    spur_user_leave(&step_region);
    spur_user_leave(&step_region);
}

/*
 * A switch in the middle of open regions: one that is recorded and two of the same kind that are
 * not, the outer of which is open when recording goes on.
 */
static void switch_inside(void)
{
    spur_user_enter(&deep_region);
    spur_user_off();
    spur_user_enter(&deep_region);
    recurse(DEPTH);
    spur_user_on();
    spur_user_enter(&inner_region);
    spur_user_leave(&inner_region);
    spur_user_leave(&deep_region);
    spur_user_leave(&deep_region);
}

/* 10 + 10 steps, the second ten in a pause. */
static void do_all(void)
{
    errno = EDOM;
    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS / 2)
            spur_user_off();
        one_step(i);
    }
    spur_user_on();
    recurse(DEPTH);
    be_careless();
    switch_inside();
    if (errno != EDOM)
        printf("errno has changed\n");
}

#endif
