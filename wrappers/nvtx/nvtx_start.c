/* SPDX-License-Identifier: BSD-3-Clause */
/* How NVTX finds the agent: the program's first call of NVTX loads it, and asks to be served. */
#include <errno.h>
#include <stdlib.h>

#include "wrappers/nvtx/nvtx.h"

static const char variable[] = "NVTX_INJECTION64_PATH";

/* False: NVTX has found the agent by itself, in a program that is not to be traced. */
static bool is_wanted;

static void name_library(void *unused)
{
    (void)unused;
    if (!spur_wraps(SPUR_FAMILY_NVTX))
        return;
    is_wanted = spur_environment_name_one(variable);
    const char *other = is_wanted ? NULL : secure_getenv(variable);
    if (other && *other && !spur_is_attached())
        spur_complain("NVTX_INJECTION64_PATH names another library: NVTX is not recorded; unset it "
                      "to record NVTX");
    if (is_wanted)
        wrapper_stack_take(SPUR_FAMILY_NVTX);
}

__attribute__((constructor)) static void start(void)
{
    spur_on_own_stack(name_library, NULL);
}

/* ---- a table of functions ---- */

enum {
#define MODULE(NAME, number) MODULE_##NAME = (number),
#include "wrappers/nvtx/nvtx_fields.def"
};

static const struct {
    int module;
    unsigned number;
    wrapper_any function;
} calls[] = {
#define CALL(NAME, number, Name) {MODULE_##NAME, number, (wrapper_any)nvtx_##Name},
#include "wrappers/nvtx/nvtx_fields.def"
};

/* What is left out does nothing, as without a tool. */
static void serve(nvtx_table_of *table_of)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        wrapper_any **table = NULL;
        unsigned n = 0;
        if (table_of(calls[i].module, &table, &n) && table && calls[i].number < n &&
            table[calls[i].number])
            *table[calls[i].number] = calls[i].function;
    }
}

/* Declared here, since spur uses no headers of NVTX. */
int InitializeInjectionNvtx2(nvtx_export *exports_of);

/* Once for each object that uses NVTX. 0: it is as if there were no tool. */
SPUR_EXPORT int InitializeInjectionNvtx2(nvtx_export *exports_of)
{
    if (!is_wanted || spur_is_off())
        return 0;
    int saved = errno;
    const void *exports = exports_of(NVTX_EXPORTS);
    nvtx_table_of *table_of = NULL;
    if (exports && nvtx_EXPORTS_struct_size(exports) >= sizeof(size_t) + sizeof table_of)
        table_of = nvtx_EXPORTS_GetModuleFunctionTable(exports);
    if (table_of)
        serve(table_of);
    errno = saved;
    return table_of != NULL;
}
