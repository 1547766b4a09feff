/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NetCDF and PnetCDF: the functions of both are much the same under different names. The row of a
 * function describes the meaning of the function; the parameters are words. A variable has no
 * handle of the library: the variable gets a handle when first read or written, and the handle ends
 * with the file.
 */
#ifndef NETCDF_EMIT_H
#define NETCDF_EMIT_H

#include <stdint.h>

#include "wrappers/formats/format_frame.h"

typedef intptr_t netcdf_word;
enum { NETCDF_WORDS = 10 };           /* of the function with most words */
enum { NETCDF_ALONE = NETCDF_WORDS }; /* no place: no communicator */

enum netcdf_what {
    NETCDF_OPENS,
    NETCDF_CLOSES,
    NETCDF_FLUSHES,
    NETCDF_DELETES,
    NETCDF_WORKS,
    NETCDF_MOVES,
    NETCDF_STARTS,
    NETCDF_COMPLETES,
    NETCDF_CANCELS,
};

enum netcdf_shape { NETCDF_ALL, NETCDF_ONE, NETCDF_COUNT, NETCDF_LIST, NETCDF_UNKNOWN };

/* See netcdf_calls.def. */
struct netcdf_row {
    uint8_t what, words;
    uint8_t path, mode, id, comm; /* the places of these parameters */
    bool is_new;
    uint8_t operation, flags, shape, size;
};

/* Functions for questions: without pushed or printed errors; the result is the error. */
enum netcdf_asked {
    NETCDF_inq_varndims,
    NETCDF_inq_vardimid,
    NETCDF_inq_dimlen,
    NETCDF_inq_varname,
    NETCDF_inq_vartype,
    NETCDF_inq_path,
    NETCDF_inq_type,         /* NULL: only types of the standard */
    NETCDF_inq_grpname_full, /* NULL: files have no groups */
    NETCDF_ASKED,
};

struct netcdf_library {
    struct format_interface *format;
    const struct netcdf_row *rows;
    size_t asked;   /* their beginning among the functions */
    int group_mask; /* the bits of an id that are the group's */
};

/* ---- questions: errno is kept ---- */

/* The bytes that a call moves between the program and a variable; OTF2_UNDEFINED_UINT64: unknown.
 */
uint64_t netcdf_bytes(const struct format_library *library, size_t asked,
                      const struct netcdf_row *row, const netcdf_word *w);
/* Both names into room for FORMAT_NAME_BYTES. */
bool netcdf_file_name(const struct format_library *library, size_t asked, int file, char *path);
bool netcdf_variable_name(const struct format_library *library, size_t asked, int group,
                          int variable, char *name);

/* ---- a whole call ---- */

int netcdf_call(const struct netcdf_library *netcdf, size_t index, struct spur_caller caller,
                const netcdf_word *w);

#endif
