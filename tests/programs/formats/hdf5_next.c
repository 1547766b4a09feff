/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What HDF5 1.14 brought: calls for several datasets, and calls for event sets; with the argument
 * "chunks" also a call that HDF5 2.0 brought. The stand-in plays a library that works in the
 * background as well. Prints of each dataset what was read and written.
 */
#include <string.h>

#include "../expect.h"
#include "next_hdf5.h"

enum { N = 100, BYTES = N * sizeof(int), CHUNK = 25, TRUNC = 2 };
#define FOREVER UINT64_MAX

static int numbers[N], others[N];
static hid_t events;
static bool fails;

static hid_t make(hid_t file, const char *name, hid_t creation, hid_t set_of)
{
    const uint64_t n = N;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t set = H5Dcreate_async(HERE, file, name, H5T_NATIVE_INT_g, space, 0, creation, 0, set_of);
    EXPECT(set >= 0);
    H5Sclose(space);
    return set;
}

static void wait_all(void)
{
    size_t n = 1;
    bool has_failed = !fails;
    EXPECT(H5ESwait(events, FOREVER, &n, &has_failed) == 0 && n == 0 && has_failed == fails);
}

static void several(hid_t *sets)
{
    hid_t types[] = {H5T_NATIVE_INT_g, H5T_NATIVE_INT_g}, all[] = {0, 0};
    const void *from[] = {numbers, numbers};
    void *to[] = {others, others};
    EXPECT(H5Dwrite_multi(2, sets, types, all, all, 0, from) == 0);
    EXPECT(H5Dread_multi(2, sets, types, all, all, 0, to) == 0);
    EXPECT(H5Dread_multi(0, sets, types, all, all, 0, to) == 0);
    EXPECT(memcmp(numbers, others, sizeof others) == 0);
    EXPECT(H5Dread_multi_async(HERE, 2, sets, types, all, all, 0, to, events) == 0);
    /* Without an event set, the call is as the one without its suffix. */
    EXPECT(H5Dwrite_async(HERE, sets[0], H5T_NATIVE_INT_g, 0, 0, 0, numbers, 0) == 0);
    wait_all();
}

static void chunks(hid_t file)
{
    const uint64_t n = CHUNK, at = 0;
    uint32_t filters;
    hid_t list = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g);
    EXPECT(H5Pset_chunk(list, 1, &n) == 0);
    hid_t set = make(file, "chunked", list, 0);
    EXPECT(H5Dwrite_async(HERE, set, H5T_NATIVE_INT_g, 0, 0, 0, numbers, 0) == 0);
    EXPECT(H5Fflush_async(HERE, file, 0, 0) == 0);
    size_t size = 0;
    EXPECT(H5Dread_chunk2(set, 0, &at, &filters, NULL, &size) == 0 && size == CHUNK * sizeof(int));
    EXPECT(H5Dread_chunk2(set, 0, &at, &filters, others, &size) == 0);
    size = 1;
    (void)H5Dread_chunk2(set, 0, &at, &filters, others, &size);
    EXPECT(H5Dclose_async(HERE, set, 0) == 0);
    printf("/chunked %d %d\n", CHUNK * (int)sizeof(int), BYTES);
    H5Pclose(list);
}

#ifdef STAND_IN
static void in_background(hid_t file)
{
    size_t n = 0;
    bool has_failed = true;
    const uint64_t size = N;
    hid_t space = H5Screate_simple(1, &size, NULL);
    fake_background();
    hid_t set = make(file, "later", 0, events);
    EXPECT(H5Dwrite_async(HERE, set, H5T_NATIVE_INT_g, 0, space, 0, numbers, events) == 0);
    EXPECT(H5Dread_async(HERE, set, H5T_NATIVE_INT_g, space, 0, 0, others, events) == 0);
    /* The library would have to ask the dataset for its size: nobody asks. */
    EXPECT(H5Dread_async(HERE, set, H5T_NATIVE_INT_g, 0, 0, 0, others, events) == 0);
    EXPECT(H5ESwait(events, 0, &n, &has_failed) == 0 && n == 4 && !has_failed);
    wait_all();
    EXPECT(H5Dwrite_async(HERE, set, H5T_NATIVE_INT_g, space, 0, 0, numbers, events) == 0);
    EXPECT(H5EScancel(events, &n, &has_failed) == 0 && n == 0);
    EXPECT(H5Dread_async(HERE, set, H5T_NATIVE_INT_g, space, 0, 0, others, events) == 0);
    EXPECT(H5Dclose_async(HERE, set, events) == 0);
    wait_all();
    set = make(file, "failed", 0, events);
    EXPECT(H5Dwrite_async(HERE, set, H5T_NATIVE_INT_g, space, 0, 0, numbers, events) == 0);
    EXPECT(H5Dclose_async(HERE, set, events) == 0);
    fake_failure();
    fails = true;
    wait_all();
    EXPECT(fake_held_up() == 0);
    H5Sclose(space);
}
#endif

int main(int argc, char **argv)
{
    for (int i = 0; i < N; i++)
        numbers[i] = i;
    H5open();
    events = H5EScreate();
    hid_t file = H5Fcreate_async(HERE, "next.h5", TRUNC, 0, 0, events);
    hid_t sets[] = {make(file, "first", 0, events), make(file, "second", 0, events)};
    several(sets);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "chunks") == 0)
            chunks(file);
    EXPECT(H5Dclose_async(HERE, sets[0], events) == 0);
    EXPECT(H5Dclose_async(HERE, sets[1], events) == 0);
    printf("/first %d %d\n/second %d %d\n", 2 * BYTES, 2 * BYTES, 2 * BYTES, BYTES);
#ifdef STAND_IN
    in_background(file);
#endif
    EXPECT(H5Fclose_async(HERE, file, events) == 0);
    wait_all();
    EXPECT(H5ESclose(events) == 0);
    return unexpected;
}
