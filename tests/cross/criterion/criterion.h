/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of Criterion that the unit tests use, for builds for another processor: Criterion is not
 * ported to all of them. A test is a child process; ../runner.c runs them.
 */
#ifndef SPUR_TESTS_CROSS_CRITERION_H
#define SPUR_TESTS_CROSS_CRITERION_H

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cross_options {
    void (*init)(void), (*fini)(void);
    int signal; /* that it must die of; 0: none */
    int exit_code;
    double timeout; /* seconds */
};

struct cross_test {
    const char *suite, *name; /* name NULL: the options of a suite */
    void (*run)(void);
    struct cross_options options;
    struct cross_test *next;
};

void cross_register(struct cross_test *test);
#define CROSS_SAYS __attribute__((format(printf, 3, 4)))
CROSS_SAYS void cross_note(const char *file, int line, const char *format, ...);
CROSS_SAYS __attribute__((noreturn)) void cross_die(const char *file, int line, const char *format,
                                                    ...);
__attribute__((noreturn)) void cross_skip(void);
const char *cross_stderr(void);

#define CROSS_ENTRY(id, suite_, name_, run_, ...)                                                  \
    __attribute__((constructor)) static void id##_register(void)                                   \
    {                                                                                              \
        static struct cross_test test = {.suite = #suite_,                                         \
                                         .name = name_,                                            \
                                         .run = run_,                                              \
                                         .options = {.exit_code = 0, __VA_ARGS__}};                \
        cross_register(&test);                                                                     \
    }

#define TestSuite(suite, ...)                                                                      \
    CROSS_ENTRY(suite##_suite, suite, NULL, NULL, __VA_ARGS__)                                     \
    struct cross_test /* a semicolon follows */

#define Test(suite, name, ...)                                                                     \
    static void suite##_##name##_test(void);                                                       \
    CROSS_ENTRY(suite##_##name, suite, #name, suite##_##name##_test, __VA_ARGS__)                  \
    static void suite##_##name##_test(void)

/* What a test says of its failure is optional: its format may stand there, or nothing. */
#define CROSS_SAY(say, text, ...) say(__FILE__, __LINE__, text " " __VA_ARGS__)
#define CROSS_DEMAND(say, holds, text, ...)                                                        \
    do {                                                                                           \
        if (!(holds))                                                                              \
            CROSS_SAY(say, text, __VA_ARGS__);                                                     \
    } while (0)
#define CROSS_STRING(a, b, op) (strcmp(a, b) op 0)

#define cr_assert(x, ...) CROSS_DEMAND(cross_die, x, "assert", __VA_ARGS__)
#define cr_assert_not(x, ...) CROSS_DEMAND(cross_die, !(x), "not", __VA_ARGS__)
#define cr_assert_null(x, ...) CROSS_DEMAND(cross_die, (x) == NULL, "null", __VA_ARGS__)
#define cr_assert_not_null(x, ...) CROSS_DEMAND(cross_die, (x) != NULL, "not null", __VA_ARGS__)
#define cr_assert_eq(a, b, ...) CROSS_DEMAND(cross_die, (a) == (b), "equal", __VA_ARGS__)
#define cr_assert_neq(a, b, ...) CROSS_DEMAND(cross_die, (a) != (b), "not equal", __VA_ARGS__)
#define cr_assert_lt(a, b, ...) CROSS_DEMAND(cross_die, (a) < (b), "less", __VA_ARGS__)
#define cr_assert_leq(a, b, ...) CROSS_DEMAND(cross_die, (a) <= (b), "less or equal", __VA_ARGS__)
#define cr_assert_gt(a, b, ...) CROSS_DEMAND(cross_die, (a) > (b), "greater", __VA_ARGS__)
#define cr_assert_geq(a, b, ...)                                                                   \
    CROSS_DEMAND(cross_die, (a) >= (b), "greater or equal", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)                                                                \
    CROSS_DEMAND(cross_die, CROSS_STRING(a, b, ==), "text", __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                                               \
    CROSS_DEMAND(cross_die, CROSS_STRING(a, b, !=), "text", __VA_ARGS__)
#define cr_assert_str_empty(a, ...) CROSS_DEMAND(cross_die, *(a) == '\0', "empty", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
    CROSS_DEMAND(cross_die, memcmp(a, b, n) == 0, "equal bytes", __VA_ARGS__)
#define cr_assert_float_eq(a, b, most, ...)                                                        \
    CROSS_DEMAND(cross_die, fabs((double)(a) - (double)(b)) <= (most), "float", __VA_ARGS__)
#define cr_assert_fail(...) CROSS_SAY(cross_die, "fail", __VA_ARGS__)
#define cr_assert_stderr_eq_str(text, ...)                                                         \
    CROSS_DEMAND(cross_die, CROSS_STRING(cross_stderr(), text, ==), "stderr", __VA_ARGS__)

#define cr_expect(x, ...) CROSS_DEMAND(cross_note, x, "expect", __VA_ARGS__)
#define cr_expect_not(x, ...) CROSS_DEMAND(cross_note, !(x), "not", __VA_ARGS__)
#define cr_expect_null(x, ...) CROSS_DEMAND(cross_note, (x) == NULL, "null", __VA_ARGS__)
#define cr_expect_not_null(x, ...) CROSS_DEMAND(cross_note, (x) != NULL, "not null", __VA_ARGS__)
#define cr_expect_eq(a, b, ...) CROSS_DEMAND(cross_note, (a) == (b), "equal", __VA_ARGS__)
#define cr_expect_neq(a, b, ...) CROSS_DEMAND(cross_note, (a) != (b), "not equal", __VA_ARGS__)
#define cr_expect_lt(a, b, ...) CROSS_DEMAND(cross_note, (a) < (b), "less", __VA_ARGS__)
#define cr_expect_leq(a, b, ...) CROSS_DEMAND(cross_note, (a) <= (b), "less or equal", __VA_ARGS__)
#define cr_expect_gt(a, b, ...) CROSS_DEMAND(cross_note, (a) > (b), "greater", __VA_ARGS__)
#define cr_expect_geq(a, b, ...)                                                                   \
    CROSS_DEMAND(cross_note, (a) >= (b), "greater or equal", __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)                                                                \
    CROSS_DEMAND(cross_note, CROSS_STRING(a, b, ==), "text", __VA_ARGS__)
#define cr_expect_str_empty(a, ...) CROSS_DEMAND(cross_note, *(a) == '\0', "empty", __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...)                                                             \
    CROSS_DEMAND(cross_note, memcmp(a, b, n) == 0, "equal bytes", __VA_ARGS__)

#define cr_skip_test(...) cross_skip()
#define cr_log_info(...) ((void)printf(__VA_ARGS__))

#endif
