/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EXPECT(condition) in test programs: what MPI delivered is compared with what was to come. A wrong
 * value is printed and makes the exit status 1, so a tracer that changes data cannot pass.
 */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <stdio.h>

static int unexpected;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            unexpected = 1;                                                                        \
            fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);               \
        }                                                                                          \
    } while (0)

#endif
