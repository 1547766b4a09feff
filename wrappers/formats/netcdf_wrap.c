/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of NetCDF, from netcdf_calls.def. */
#include "wrappers/formats/netcdf_rows.h"

enum {
#define NETCDF_ROW NETCDF_NUMBER
#include "wrappers/formats/netcdf_calls.def"
#undef NETCDF_ROW
    ROWS
};

static const struct netcdf_row rows[ROWS] = {
#define NETCDF_ROW NETCDF_MEANING
#include "wrappers/formats/netcdf_calls.def"
#undef NETCDF_ROW
};

static struct spur_call calls[ROWS] = {
#define NETCDF_ROW(name, words, ROLE, ...) NETCDF_CALL_OF(NETCDF, "netcdf", name, ROLE)
#include "wrappers/formats/netcdf_calls.def"
#undef NETCDF_ROW
};

static const char *const names[ROWS + NETCDF_ASKED] = {
#define NETCDF_ROW NETCDF_NAME
#include "wrappers/formats/netcdf_calls.def"
#undef NETCDF_ROW
    NETCDF_ASKED_NAMES(nc_)};

static struct format_interface format = {.word = "netcdf",
                                         .family = SPUR_FAMILY_NETCDF,
                                         .paradigm = SPUR_IO_NETCDF,
                                         .names = names,
                                         .n = ROWS + NETCDF_ASKED,
                                         .calls = calls};
static const struct netcdf_library library = {.format = &format,
                                              .rows = rows,
                                              .asked = ROWS,
                                              .group_mask = 0xffff};

__attribute__((constructor)) static void start(void)
{
    format.is_on = format_mode_of(&format);
}

#define NETCDF_ROW(name, words, ...) NETCDF_WRAPPER(library, name, words)
#include "wrappers/formats/netcdf_calls.def"
