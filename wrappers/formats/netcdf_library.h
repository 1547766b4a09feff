/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of one library of NetCDF's kind, made of its rows. No include guard: a file that
 * wraps a library includes this once, after it has defined
 *   NETCDF_CALLS       the file with the rows of its functions
 *   NETCDF_WORD        its name, in lower case
 *   NETCDF_FAMILY      its family, as in SPUR_FAMILY_...
 *   NETCDF_BEGIN       what the names of its functions begin with
 *   NETCDF_GROUP_MASK  see struct netcdf_library
 */
#include "wrappers/formats/netcdf_rows.h"

#define NETCDF_JOINED_(a, b) a##b
#define NETCDF_JOINED(a, b) NETCDF_JOINED_(a, b)

enum {
#define NETCDF_ROW NETCDF_NUMBER
#include NETCDF_CALLS
#undef NETCDF_ROW
    ROWS
};

static const struct netcdf_row rows[ROWS] = {
#define NETCDF_ROW NETCDF_MEANING
#include NETCDF_CALLS
#undef NETCDF_ROW
};

static struct spur_call calls[ROWS] = {
#define NETCDF_ROW(name, words, ROLE, ...) NETCDF_CALL_OF(NETCDF_FAMILY, NETCDF_WORD, name, ROLE)
#include NETCDF_CALLS
#undef NETCDF_ROW
};

/* NOLINTBEGIN(bugprone-suspicious-missing-comma): rows end in commas */
static const char *const names[ROWS + NETCDF_ASKED] = {
#define NETCDF_ROW NETCDF_NAME
#include NETCDF_CALLS
#undef NETCDF_ROW
    NETCDF_ASKED_NAMES(NETCDF_BEGIN)};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

static struct format_interface format = {.word = NETCDF_WORD,
                                         .family = NETCDF_JOINED(SPUR_FAMILY_, NETCDF_FAMILY),
                                         .paradigm = NETCDF_JOINED(SPUR_IO_, NETCDF_FAMILY),
                                         .names = names,
                                         .n = ROWS + NETCDF_ASKED,
                                         .calls = calls};
static const struct netcdf_library library = {.format = &format,
                                              .rows = rows,
                                              .asked = ROWS,
                                              .group_mask = NETCDF_GROUP_MASK};

__attribute__((constructor)) static void start(void)
{
    format.is_on = format_mode_of(&format);
}

#define NETCDF_ROW(name, words, ...) NETCDF_WRAPPER(library, name, words)
#include NETCDF_CALLS
