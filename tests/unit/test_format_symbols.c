/* SPDX-License-Identifier: BSD-3-Clause */
/* links: spur-otf2 */
/* The library shows every function of the API. */
#include <criterion/criterion.h>
#include <dlfcn.h>

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/otf2.h>

static const char *const functions[] = {
#define FUNCTION(result, name, parameters) #name,
#include "tests/golden/otf2_api_functions.inc"
#include "tests/golden/otf2_api_reading.inc"
#undef FUNCTION
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

Test(format_symbols, every_function_is_shown)
{
    cr_assert_eq(FUNCTIONS, 939, "all of the reference");
    /* A call, so that the library is there to be asked. */
    cr_assert_not_null(OTF2_Error_GetName(OTF2_SUCCESS));
    for (size_t i = 0; i < FUNCTIONS; i++)
        cr_expect_not_null(dlsym(RTLD_DEFAULT, functions[i]), "%s", functions[i]);
}
