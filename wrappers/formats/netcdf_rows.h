/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of netcdf_calls.def as rows of one kind: NETCDF_ROW(name, words, ROLE, initializers of a
 * struct netcdf_row...), which is defined where a table is included; and what is made of it.
 */
#ifndef NETCDF_ROWS_H
#define NETCDF_ROWS_H

#include "wrappers/formats/format_mode.h"
#include "wrappers/formats/netcdf_emit.h"

/* clang-format off */
#define NETCDF_OPEN(name, words_, new_, path_, mode_, id_, comm_) \
    NETCDF_ROW(name, words_, FILE_IO_METADATA, .what = NETCDF_OPENS, .is_new = (new_), \
               .path = (path_), .mode = (mode_), .id = (id_), .comm = (comm_))
#define NETCDF_CLOSE(name, words_) NETCDF_ROW(name, words_, FILE_IO_METADATA, .what = NETCDF_CLOSES)
#define NETCDF_FLUSH(name, words_) NETCDF_ROW(name, words_, FILE_IO, .what = NETCDF_FLUSHES)
#define NETCDF_DELETE(name, words_, path_) \
    NETCDF_ROW(name, words_, FILE_IO_METADATA, .what = NETCDF_DELETES, .path = (path_))
#define NETCDF_WORK(name, words_) NETCDF_ROW(name, words_, FILE_IO_METADATA, .what = NETCDF_WORKS)
#define NETCDF_MOVE(name, words_, MODE, SHAPE, size_, FLAG) \
    NETCDF_ROW(name, words_, FILE_IO, .what = NETCDF_MOVES, \
               .operation = OTF2_IO_OPERATION_MODE_##MODE, .flags = OTF2_IO_OPERATION_FLAG_##FLAG, \
               .shape = NETCDF_##SHAPE, .size = (size_))
#define NETCDF_START(name, words_, MODE, SHAPE, size_) \
    NETCDF_ROW(name, words_, FILE_IO, .what = NETCDF_STARTS, \
               .operation = OTF2_IO_OPERATION_MODE_##MODE, .shape = NETCDF_##SHAPE, .size = (size_))
#define NETCDF_WAIT(name, words_, HOW) NETCDF_ROW(name, words_, FILE_IO, .what = NETCDF_##HOW)
/* clang-format on */

#define NETCDF_NUMBER(name, ...) ROW_##name,
#define NETCDF_NAME(name, ...) #name,
#define NETCDF_MEANING(name, words_, ROLE, ...) {.words = (words_), __VA_ARGS__},
#define NETCDF_CALL_OF(FAMILY, group_, name_, ROLE) NETCDF_CALL_OF_(FAMILY, group_, name_, ROLE)
#define NETCDF_CALL_OF_(FAMILY, group_, name_, ROLE)                                               \
    {.name = #name_, .group = group_, .role = OTF2_REGION_ROLE_##ROLE, SPUR_CALL_OF(FAMILY)},
#define NETCDF_TEXT(name) #name
/* In the order of enum netcdf_asked. p: what the names of the library begin with. */
#define NETCDF_ASKED_NAMES(p) NETCDF_ASKED_NAMES_(p)
#define NETCDF_ASKED_NAMES_(p)                                                                     \
    NETCDF_TEXT(p##inq_varndims), NETCDF_TEXT(p##inq_vardimid), NETCDF_TEXT(p##inq_dimlen),        \
        NETCDF_TEXT(p##inq_varname), NETCDF_TEXT(p##inq_vartype), NETCDF_TEXT(p##inq_path),        \
        NETCDF_TEXT(p##inq_type), NETCDF_TEXT(p##inq_grpname_full)

/* ---- parameters, which are words ---- */

#define NETCDF_PARAMS_1 netcdf_word a
#define NETCDF_PARAMS_2 NETCDF_PARAMS_1, netcdf_word b
#define NETCDF_PARAMS_3 NETCDF_PARAMS_2, netcdf_word c
#define NETCDF_PARAMS_4 NETCDF_PARAMS_3, netcdf_word d
#define NETCDF_PARAMS_5 NETCDF_PARAMS_4, netcdf_word e
#define NETCDF_PARAMS_6 NETCDF_PARAMS_5, netcdf_word f
#define NETCDF_PARAMS_7 NETCDF_PARAMS_6, netcdf_word g
#define NETCDF_PARAMS_8 NETCDF_PARAMS_7, netcdf_word h
#define NETCDF_PARAMS_9 NETCDF_PARAMS_8, netcdf_word i
#define NETCDF_PARAMS_10 NETCDF_PARAMS_9, netcdf_word j
#define NETCDF_ARGS_1 a
#define NETCDF_ARGS_2 a, b
#define NETCDF_ARGS_3 a, b, c
#define NETCDF_ARGS_4 a, b, c, d
#define NETCDF_ARGS_5 a, b, c, d, e
#define NETCDF_ARGS_6 a, b, c, d, e, f
#define NETCDF_ARGS_7 a, b, c, d, e, f, g
#define NETCDF_ARGS_8 a, b, c, d, e, f, g, h
#define NETCDF_ARGS_9 a, b, c, d, e, f, g, h, i
#define NETCDF_ARGS_10 a, b, c, d, e, f, g, h, i, j

#define NETCDF_WRAPPER(library, name, words)                                                       \
    SPUR_EXPORT int name(NETCDF_PARAMS_##words);                                                   \
    SPUR_EXPORT int name(NETCDF_PARAMS_##words)                                                    \
    {                                                                                              \
        const netcdf_word w[NETCDF_WORDS] = {NETCDF_ARGS_##words};                                 \
        return netcdf_call(&(library), ROW_##name, SPUR_CALLER, w);                                \
    }

#endif
