/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
/* Unwind distances as the definition of CallingContext has them. */
#include <criterion/criterion.h>

#include "agent/spur_agent.h"
#include "finish/events/finish_distance.h"

TestSuite(finish_distance, .timeout = 20);

enum { NONE = -1 };

/* Regions, and the contexts below: "main at line 1" and so on. */
enum { MAIN, FOO, BAR, SEND };
enum {
    MAIN_1,       /* main:1 */
    MAIN_1_FOO_1, /* main:1 > foo:1 */
    FOO_SEND,     /* main:1 > foo:1 > MPI_Send */
    MAIN_1_FOO_2,
    FOO_2_SEND, /* main:1 > foo:2 > MPI_Send */
    MAIN_2,
    MAIN_2_SEND,
    MAIN_1_BAR,
    BAR_SEND, /* main:1 > bar > MPI_Send */
    SEND_FOO, /* main:1 > foo:1 > MPI_Send > foo: a callback */
    SEND_FOO_SEND,
    ALONE /* another root */
};

static const int rows[][2] = {
    [MAIN_1] = {NONE, MAIN},
    [MAIN_1_FOO_1] = {MAIN_1, FOO},
    [FOO_SEND] = {MAIN_1_FOO_1, SEND},
    [MAIN_1_FOO_2] = {MAIN_1, FOO},
    [FOO_2_SEND] = {MAIN_1_FOO_2, SEND},
    [MAIN_2] = {NONE, MAIN},
    [MAIN_2_SEND] = {MAIN_2, SEND},
    [MAIN_1_BAR] = {MAIN_1, BAR},
    [BAR_SEND] = {MAIN_1_BAR, SEND},
    [SEND_FOO] = {FOO_SEND, FOO},
    [SEND_FOO_SEND] = {SEND_FOO, SEND},
    [ALONE] = {NONE, SEND},
};

static struct finish_contexts tree(void)
{
    struct finish_contexts contexts = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t depth = rows[i][0] == NONE ? 1 : contexts.at[rows[i][0]].depth + 1;
        cr_assert(
            finish_contexts_add(&contexts, (uint32_t)rows[i][0], (uint32_t)rows[i][1], depth));
    }
    return contexts;
}

static void expect(uint32_t from, uint32_t to, bool is_enter, uint32_t want)
{
    struct finish_contexts contexts = tree();
    uint32_t got = finish_distance(&contexts, from, to, is_enter);
    cr_assert_eq(got, want, "from %d to %d: %u, not %u", (int)from, (int)to, got, want);
    finish_contexts_free(&contexts);
}

Test(finish_distance, first)
{
    expect((uint32_t)NONE, FOO_SEND, true, 4); /* all are new, and none went on */
    expect((uint32_t)NONE, MAIN_1, false, 2);
}

Test(finish_distance, leaf_is_new)
{
    expect(MAIN_1_FOO_1, FOO_SEND, true, 2); /* after the Leave of another call at the same place */
    expect(FOO_SEND, SEND_FOO_SEND, true, 3);
    expect(FOO_SEND, FOO_SEND, true, 2);
    expect(ALONE, ALONE, true, 2);
}

Test(finish_distance, frame_goes_on)
{
    expect(MAIN_1_FOO_1, FOO_2_SEND, true, 2);  /* foo went from line 1 to 2 */
    expect(MAIN_1_FOO_1, MAIN_2_SEND, true, 2); /* foo was left, main went on */
    expect(MAIN_2, FOO_SEND, true, 3);
    expect(MAIN_1_FOO_1, MAIN_2, false, 1);
}

Test(finish_distance, other_function)
{
    expect(MAIN_1_FOO_1, BAR_SEND, true, 3); /* main went on, at the same place */
    expect(ALONE, MAIN_1_FOO_1, false, 3);   /* no root in common */
}

Test(finish_distance, samples)
{
    expect(FOO_SEND, FOO_SEND, false, 1);
    expect(SEND_FOO, MAIN_1, false, 1); /* back in the caller */
    expect(MAIN_1_FOO_1, MAIN_1_FOO_2, false, 1);
    expect(MAIN_1, MAIN_1_FOO_1, false, 2);
}

Test(finish_distance, nonsense)
{
    expect(MAIN_1, (uint32_t)NONE, true, 0);
    expect(12345, MAIN_1, false, 2);
}
