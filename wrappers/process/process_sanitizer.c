/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the runtimes of sanitizers ask the program that they find themselves in: its options. Who
 * starts such a program below the launcher knows nothing of the agent, so the agent answers. A
 * program with an answer of its own comes first; so does one that has the runtime within.
 */
#include "wrappers/process/process_real.h"

#define ANSWER(function, options)                                                                  \
    SPUR_EXPORT const char *function(void);                                                        \
    const char *function(void)                                                                     \
    {                                                                                              \
        return options;                                                                            \
    }

/* NOLINTBEGIN(bugprone-reserved-identifier): the runtimes ask for these names */
/* It ends a program in which it is not the first library. */
ANSWER(__asan_default_options, "verify_asan_link_order=0")
/* It sees what the agent does by functions of the C library, and not the agent's locks. */
ANSWER(__tsan_default_options, "ignore_noninstrumented_modules=1")
/* NOLINTEND(bugprone-reserved-identifier) */
