/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of PnetCDF, from pnetcdf_calls.def. */
#define NETCDF_CALLS "wrappers/formats/pnetcdf_calls.def"
#define NETCDF_WORD "pnetcdf"
#define NETCDF_FAMILY PNETCDF
#define NETCDF_BEGIN ncmpi_
#define NETCDF_GROUP_MASK 0
#include "wrappers/formats/netcdf_library.h"
