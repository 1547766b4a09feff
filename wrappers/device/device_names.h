/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that programs give to streams by another interface (NVTX). A family that has streams says
 * how it finds one by the program's handle.
 */
#ifndef WRAPPERS_DEVICE_NAMES_H
#define WRAPPERS_DEVICE_NAMES_H

enum device_named { DEVICE_NAMED_CUDA, DEVICE_NAMED_OPENCL, DEVICE_NAMERS };
enum { DEVICE_GIVEN_BYTES = 64 }; /* of a name, its end included */

/* The text is valid during the call. */
typedef void device_namer(const void *handle, const char *name);
/* In a constructor. */
void device_namer_set(enum device_named kind, device_namer *namer);
/* Any thread; the guard need not be up. */
void device_name_handle(enum device_named kind, const void *handle, const char *name);

#endif
