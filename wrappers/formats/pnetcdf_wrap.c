/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of PnetCDF, from pnetcdf_calls.def. */
#include "wrappers/formats/netcdf_rows.h"

enum {
#define NETCDF_ROW NETCDF_NUMBER
#include "wrappers/formats/pnetcdf_calls.def"
#undef NETCDF_ROW
    ROWS
};

static const struct netcdf_row rows[ROWS] = {
#define NETCDF_ROW NETCDF_MEANING
#include "wrappers/formats/pnetcdf_calls.def"
#undef NETCDF_ROW
};

static struct spur_call calls[ROWS] = {
#define NETCDF_ROW(name, words, ROLE, ...) NETCDF_CALL_OF(PNETCDF, "pnetcdf", name, ROLE)
#include "wrappers/formats/pnetcdf_calls.def"
#undef NETCDF_ROW
};

/* NOLINTBEGIN(bugprone-suspicious-missing-comma): rows end in commas */
static const char *const names[ROWS + NETCDF_ASKED] = {
#define NETCDF_ROW NETCDF_NAME
#include "wrappers/formats/pnetcdf_calls.def"
#undef NETCDF_ROW
    NETCDF_ASKED_NAMES(ncmpi_)};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

static struct format_interface format = {.word = "pnetcdf",
                                         .family = SPUR_FAMILY_PNETCDF,
                                         .paradigm = SPUR_IO_PNETCDF,
                                         .names = names,
                                         .n = ROWS + NETCDF_ASKED,
                                         .calls = calls};
static const struct netcdf_library library = {.format = &format,
                                              .rows = rows,
                                              .asked = ROWS,
                                              .group_mask = 0};

__attribute__((constructor)) static void start(void)
{
    format.is_on = format_mode_of(&format);
}

#define NETCDF_ROW(name, words, ...) NETCDF_WRAPPER(library, name, words)
#include "wrappers/formats/pnetcdf_calls.def"
