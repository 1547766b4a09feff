/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/*
 * Every function, type, constant and layout is that of the reference (tests/golden/otf2_api_*.inc):
 * what is wrong here does not compile. The same in C++.
 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <otf2/otf2.h>

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/OTF2_Marker.h>

#define FUNCTION(result, name, parameters)                                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
#include "tests/golden/otf2_api_functions.inc"
#include "tests/golden/otf2_api_reading.inc"
#undef FUNCTION

#define CONSTANT(name, number) _Static_assert((long long)(name) == (number), #name);
#include "tests/golden/otf2_api_constants.inc"
#undef CONSTANT

enum { SIGNED = 0, UNSIGNED = 1 };
#define TYPE(name, bytes, sign)                                                                    \
    _Static_assert(sizeof(name) == (bytes) && ((name)-1 > 0) == (sign), #name);
#define STRUCT(name, bytes) _Static_assert(sizeof(name) == (bytes), #name);
#define MEMBER(in, type, name, offset)                                                             \
    _Static_assert(offsetof(in, name) == (offset) &&                                               \
                       __builtin_types_compatible_p(__typeof__(((in *)0)->name), type),            \
                   #in "." #name);
#define CALLBACK(result, name, parameters)                                                         \
    _Static_assert(__builtin_types_compatible_p(name, result(*) parameters), #name);
#define HANDLE(name, tag) _Static_assert(__builtin_types_compatible_p(name, tag), #name);
#include "tests/golden/otf2_api_types.inc"
#undef TYPE
#undef STRUCT
#undef MEMBER
#undef CALLBACK
#undef HANDLE

/* Compiles a file beside the golden ones with the system's compiler; -1: there is none. */
static int compile(const char *compiler, const char *flags, const char *file)
{
    char command[4096];
    snprintf(command, sizeof command, "command -v %s >/dev/null || exit 99", compiler);
    if (system(command) != 0) /* NOLINT(concurrency-mt-unsafe) */
        return -1;
    snprintf(command, sizeof command,
             "%s %s -DOTF2_IGNORE_ATTRIBUTE_DEPRECATED -Wall -Wextra -Wpedantic -Werror "
             "-fsyntax-only -I" SOURCE_ROOT " -I" SOURCE_ROOT "/include " SOURCE_ROOT
             "/tests/golden/%s",
             compiler, flags, file);
    return system(command); /* NOLINT(concurrency-mt-unsafe) */
}

Test(format_api, is_that_of_the_reference_in_c)
{
    cr_assert_eq(OTF2_SUCCESS, 0); /* the rest was asserted by the compiler */
}

Test(format_api, is_that_of_the_reference_in_cxx)
{
    int status = compile("c++", "-std=c++11", "otf2_api.cc");
    if (status < 0)
        cr_skip_test("no C++ compiler");
    cr_assert_eq(status, 0);
}
