/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc writer */
/* Every function of the API exists: what is missing does not link. */
#include <criterion/criterion.h>

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/otf2.h>

static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
#define FUNCTION(result, name, parameters) {#name, (void (*)(void))(name)},
#include "tests/golden/otf2_api_functions.inc"
#undef FUNCTION
};

Test(format_symbols, every_function_exists)
{
    cr_assert_geq(sizeof functions / sizeof functions[0], 500);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        cr_assert_not_null(functions[i].function, "%s", functions[i].name);
}
