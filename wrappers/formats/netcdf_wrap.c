/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of NetCDF, from netcdf_calls.def. */
#define NETCDF_CALLS "wrappers/formats/netcdf_calls.def"
#define NETCDF_WORD "netcdf"
#define NETCDF_FAMILY NETCDF
#define NETCDF_BEGIN nc_
#define NETCDF_GROUP_MASK 0xffff
#include "wrappers/formats/netcdf_library.h"
