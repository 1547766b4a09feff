/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of HDF5, from hdf5_calls.def. */
#include "wrappers/formats/format_mode.h"
#include "wrappers/formats/hdf5_meanings.h"

static struct spur_call calls[HDF5_CALLS] = {
#define ROW(name_, ROLE)                                                                           \
    [HDF5_##name_] = {.name = #name_,                                                              \
                      .group = "hdf5",                                                             \
                      .role = OTF2_REGION_ROLE_##ROLE,                                             \
                      SPUR_CALL_OF(HDF5)},
#define HDF5_CALL(type, name, ROLE, ...) ROW(name, ROLE)
#define HDF5_HAND(type, name, ROLE) ROW(name, ROLE)
#include "wrappers/formats/hdf5_calls.def"
#undef HDF5_HAND
#undef HDF5_CALL
};

static const char *const names[HDF5_FUNCTIONS] = {
#define HDF5_CALL(type, name, ...) [HDF5_##name] = #name,
#define HDF5_HAND(type, name, ROLE) [HDF5_##name] = #name,
#include "wrappers/formats/hdf5_calls.def"
#undef HDF5_HAND
#undef HDF5_CALL
#define HDF5_ASKED(type, name, parameters) [HDF5_##name] = #name,
#include "wrappers/formats/hdf5_asked.def"
#undef HDF5_ASKED
};

struct format_interface hdf5 = {.word = "hdf5",
                                .family = SPUR_FAMILY_HDF5,
                                .paradigm = SPUR_IO_HDF5,
                                .names = names,
                                .n = HDF5_FUNCTIONS,
                                .calls = calls};

__attribute__((constructor)) static void start(void)
{
    hdf5.is_on = format_mode_of(&hdf5);
}

/* Who calls a function that nobody has gets the failure that HDF5 would tell. */
static int64_t no_such_function(void)
{
    return -1;
}

static inline wrapper_any function_in(const struct format_library *library, enum hdf5_row row)
{
    wrapper_any function = library ? library->function[row] : NULL;
    return function ? function : (wrapper_any)no_such_function;
}

/* H5Dflush came with 1.10, and with it the ids of 64 bits. */
static bool is_wanted(const struct format_library *library)
{
    return hdf5.is_on && library && library->function[HDF5_H5Dflush];
}

#define REAL(name) ((__typeof__(&name))function_in(library, HDF5_##name))
#define HDF5_CALL(type, name, ROLE, before, after, ...)                                            \
    SPUR_EXPORT type name(WRAPPER_PARAMS(name, __VA_ARGS__));                                      \
    SPUR_EXPORT type name(WRAPPER_PARAMS(name, __VA_ARGS__))                                       \
    {                                                                                              \
        const struct format_library *library =                                                     \
            format_library_of(&hdf5, HDF5_##name, __builtin_return_address(0));                    \
        if (!is_wanted(library))                                                                   \
            return REAL(name)(WRAPPER_ARGS(name, __VA_ARGS__));                                    \
        struct FORMAT_FRAME(frame) = {.library = library, .interface = &hdf5};                     \
        format_enter(&frame, HDF5_##name, SPUR_CALLER);                                            \
        before type ret = REAL(name)(WRAPPER_ARGS(name, __VA_ARGS__));                             \
        after return ret;                                                                          \
    }
#define HDF5_HAND(type, name, ROLE)
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#include "wrappers/formats/hdf5_calls.def"
/* NOLINTEND(bugprone-macro-parentheses) */

SPUR_EXPORT int H5Idec_ref(hdf5_id object);
SPUR_EXPORT int H5Idec_ref(hdf5_id object)
{
    const struct format_library *library =
        format_library_of(&hdf5, HDF5_H5Idec_ref, __builtin_return_address(0));
    const struct format_key key = {library, object};
    const struct format_object known = is_wanted(library) ? format_find(key) : format_nothing();
    if (!format_is_known(&known))
        return REAL(H5Idec_ref)(object);
    struct FORMAT_FRAME(frame) = {.library = library, .interface = &hdf5};
    if (hdf5_is_last(library, object))
        format_enter(&frame, HDF5_H5Idec_ref, SPUR_CALLER);
    const bool is_last = hdf5_closes(&frame, object);
    int ret = REAL(H5Idec_ref)(object);
    hdf5_closed(&frame, object, is_last && ret >= 0);
    return ret;
}
