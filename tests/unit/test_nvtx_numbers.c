/* SPDX-License-Identifier: BSD-3-Clause */
/* links: fake-agent */
/* Numbers at the end of a text of NVTX: their beginning, and the time for finding the beginning. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wrappers/nvtx/nvtx.h"
/* The file alone: the rest of the family would need more functions around it. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "wrappers/nvtx/nvtx_numbers.c"
/* NOLINTEND(bugprone-suspicious-include) */

TestSuite(nvtx_numbers, .timeout = 100);

/* By definition: at the first comma from which on the whole text is keys and values. */
static size_t defined(const char *text, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        struct rest rest = {.at = text + i, .end = text + length};
        if (text[i] == ',' && take_all(&rest))
            return i;
    }
    return length;
}

static size_t found(const char *text, size_t length)
{
    struct wrapper_opening opening = {.n = 0};
    return nvtx_read_numbers(text, length, &opening);
}

Test(nvtx_numbers, begin_where_all_is_keys_and_values)
{
    static const char *const parts[] = {", a = 1", ", b = [", ", c = [2, 3]",
                                        "]",       ", d = -", ", ",
                                        " = ",     "7",       "x",
                                        ",",       "[",       " "};
    enum { TEXTS = 200000, PARTS = 12, BYTES = 160 };
    const char *drawn = getenv("NVTX_NUMBERS_SEED");
    unsigned seed = drawn ? (unsigned)strtoul(drawn, NULL, 10) : (unsigned)time(NULL);
    int cut = 0;
    printf("seed %u\n", seed);
    for (int i = 0; i < TEXTS; i++) {
        char text[BYTES] = "name";
        for (int n = rand_r(&seed) % PARTS; n > 0; n--)
            strcat(text, parts[(size_t)rand_r(&seed) % (sizeof parts / sizeof parts[0])]);
        const size_t length = strlen(text), want = defined(text, length);
        cut += want < length;
        cr_assert_eq(found(text, length), want, "%s: %zu, want %zu", text, found(text, length),
                     want);
    }
    cr_assert_gt(cut, TEXTS / 100);
}

/* The least of several times; CPU time of the calling thread. */
static double seconds(const char *text, size_t length)
{
    enum { TIMES = 20 };
    double least = 1;
    for (int i = 0; i < TIMES; i++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        (void)found(text, length);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        double lasted =
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
        least = lasted < least ? lasted : least;
    }
    return least;
}

/*
 * A mistake at the very end of the longest text: the text is not read anew from each of its commas.
 */
Test(nvtx_numbers, take_as_long_as_the_text)
{
    static const char *const pairs[] = {", k = 1", ", k = [1, [2, 3], 4]", ", k = [, k = 1]"};
    enum { TWICE = 20 }; /* with room for a busy machine; anew from each comma: some hundred */
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char text[NVTX_READ_BYTES + 1] = "name";
        size_t n = strlen(text), length = strlen(pairs[i]);
        for (; n + length < NVTX_READ_BYTES; n += length)
            memcpy(text + n, pairs[i], length + 1);
        const double right = seconds(text, n);
        cr_assert_eq(found(text, n), strlen("name"));
        text[n] = '?';
        cr_assert_eq(found(text, n + 1), n + 1);
        cr_assert_lt(seconds(text, n + 1), TWICE * right, "%s", pairs[i]);
    }
}
