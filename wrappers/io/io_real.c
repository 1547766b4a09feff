/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_real.h"

#define ROW(name_, ROLE)                                                                           \
    [IO_CALL_##name_] = {.call = {.name = #name_,                                                  \
                                  .group = IO_GROUP,                                               \
                                  .role = OTF2_REGION_ROLE_##ROLE,                                 \
                                  SPUR_CALL_OF(IO)}},
struct wrapper_function io_calls[IO_CALLS] = {
#define IO_CALL(type, name, ROLE, ...) ROW(name, ROLE)
#define IO_VOID(name, ROLE, ...) ROW(name, ROLE)
#define IO_NONE(type, name, ROLE, ...) ROW(name, ROLE)
#define IO_HAND(name, ROLE) ROW(name, ROLE)
#include "wrappers/io/io_tables.def"
#undef IO_HAND
#undef IO_NONE
#undef IO_VOID
#undef IO_CALL
/* Who asks the loader for a function that this C library has not gets ours: it has to work. */
#define NEWER(name) [IO_CALL___isoc23_##name].missing = (wrapper_any)__isoc99_##name,
    NEWER(vfscanf) NEWER(vscanf) NEWER(vfwscanf) NEWER(vwscanf)
#undef NEWER
#ifdef SPUR_OLD_STAT
#define OLD(name)                                                                                  \
    [IO_CALL_##name].missing = (wrapper_any)old_##name,                                            \
    [IO_CALL_##name##64].missing = (wrapper_any)old_##name,
        OLD(stat) OLD(lstat) OLD(fstat) OLD(fstatat)
#undef OLD
#endif
};

void io_calls_find(void)
{
    wrapper_find_all(io_calls, IO_CALLS);
}
