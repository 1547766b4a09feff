/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/process/process_real.h"

#define ROW(name_)                                                                                 \
    [PROCESS_##name_] = {.call = {.name = #name_,                                                  \
                                  .group = "process",                                              \
                                  .role = OTF2_REGION_ROLE_WRAPPER,                                \
                                  SPUR_CALL_OF(PROCESS)}},
struct wrapper_function process_calls[PROCESS_CALLS] = {
#define PROCESS_CALL(type, name, ...) ROW(name)
#define PROCESS_FORK(name) ROW(name)
#define PROCESS_HAND(name) ROW(name)
#include "wrappers/process/process_calls.def"
#undef PROCESS_HAND
#undef PROCESS_FORK
#undef PROCESS_CALL
};

__attribute__((constructor)) static void start(void)
{
    wrapper_find_all(process_calls, PROCESS_CALLS);
}
