/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers. There is no code per function here: the tables have it all. */
#include "wrappers/io/io_meanings.h"

#define IO_CALL(type, name, ROLE, wants, before, after, ...)                                       \
    SPUR_EXPORT type name(WRAPPER_PARAMS(name, __VA_ARGS__))                                       \
    {                                                                                              \
        IO_WAY(name, wants, before, after, type, VALUE,                                            \
               IO_REAL(name)(WRAPPER_ARGS(name, __VA_ARGS__)));                                    \
    }
#define IO_VOID(name, ROLE, wants, before, after, parameters, arguments)                           \
    SPUR_EXPORT void name parameters                                                               \
    {                                                                                              \
        IO_WAY(name, wants, before, after, void, NONE, IO_REAL(name) arguments);                   \
    }
#define IO_NONE(type, name, ROLE, wants, before, after)                                            \
    SPUR_EXPORT type name(void)                                                                    \
    {                                                                                              \
        IO_WAY(name, wants, before, after, type, VALUE, IO_REAL(name)());                          \
    }
#define IO_HAND(...)
/* Some of what programs call is deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* NOLINTBEGIN(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
#include "wrappers/io/io_tables.def"
/* NOLINTEND(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
