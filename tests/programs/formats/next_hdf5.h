/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libraries of HDF5 1.14 and 2.0 export, as far as hdf5_next.c calls it. Debian 12 has no
 * header for it. The macros of the real header hide the place of an asynchronous call.
 */
#ifndef NEXT_HDF5_H
#define NEXT_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t hid_t;
#define PLACE const char *source, const char *function, unsigned line
#define HERE __FILE__, __func__, __LINE__

extern hid_t H5T_NATIVE_INT_g, H5P_CLS_DATASET_CREATE_ID_g;
int H5open(void);
hid_t H5Screate_simple(int rank, const uint64_t *size, const uint64_t *most);
int H5Sclose(hid_t space);
hid_t H5Fcreate_async(PLACE, const char *path, unsigned flags, hid_t creation, hid_t access,
                      hid_t events);
int H5Fflush_async(PLACE, hid_t object, int scope, hid_t events);
int H5Fclose_async(PLACE, hid_t file, hid_t events);
hid_t H5Dcreate_async(PLACE, hid_t loc, const char *name, hid_t type, hid_t space, hid_t link,
                      hid_t creation, hid_t access, hid_t events);
int H5Dwrite_async(PLACE, hid_t set, hid_t type, hid_t memory, hid_t space, hid_t transfer,
                   const void *data, hid_t events);
int H5Dread_async(PLACE, hid_t set, hid_t type, hid_t memory, hid_t space, hid_t transfer,
                  void *data, hid_t events);
int H5Dwrite_multi(size_t n, hid_t *sets, hid_t *types, hid_t *memories, hid_t *spaces,
                   hid_t transfer, const void **data);
int H5Dread_multi(size_t n, hid_t *sets, hid_t *types, hid_t *memories, hid_t *spaces,
                  hid_t transfer, void **data);
int H5Dread_multi_async(PLACE, size_t n, hid_t *sets, hid_t *types, hid_t *memories, hid_t *spaces,
                        hid_t transfer, void **data, hid_t events);
int H5Dread_chunk2(hid_t set, hid_t transfer, const uint64_t *offset, uint32_t *filters, void *data,
                   size_t *size);
int H5Dclose_async(PLACE, hid_t set, hid_t events);
hid_t H5Pcreate(hid_t kind);
int H5Pset_chunk(hid_t list, int rank, const uint64_t *size);
int H5Pclose(hid_t list);
hid_t H5EScreate(void);
int H5ESwait(hid_t events, uint64_t limit_ns, size_t *n, bool *has_failed);
int H5EScancel(hid_t events, size_t *n, bool *has_failed);
int H5ESclose(hid_t events);

/* Of the stand-in only. Calls for event sets go on in the background from now on. */
void fake_background(void);
/* The first call that goes on in the set fails. */
void fake_failure(void);
/* How many questions about files would have waited for the background. */
int fake_held_up(void);

#endif
