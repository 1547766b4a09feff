/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runtime of AddressSanitizer ends a program in which it is not the first library. Whoever
 * starts such a program below the launcher knows nothing of the agent, so the agent answers when
 * the runtime asks the program for its options. A program with an answer of its own comes first.
 */
#include "wrappers/process/process_real.h"

/* NOLINTNEXTLINE(bugprone-reserved-identifier): the runtime asks for this name */
SPUR_EXPORT const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
