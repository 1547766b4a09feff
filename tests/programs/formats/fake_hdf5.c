/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for HDF5 2.0: files and datasets of numbers in memory, event sets, and on request work
 * that goes on in the background until somebody waits.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "next_hdf5.h"

enum kind { NOTHING, KIND_FILE, GROUP, TYPE, SPACE, SET, VOL = 9, LIST = 11, EVENTS = 16 };
enum { OBJECTS = 1000, KIND_SHIFT = 56, CHUNK = 25 };

static struct object {
    enum kind kind;
    char name[20];
    uint64_t n;
    int *numbers;
} objects[OBJECTS];
static int used = 1;
static bool goes_on, has_failed;
static size_t under_way;
static uint64_t counter;
static int held_up;
hid_t H5T_NATIVE_INT_g, H5P_CLS_DATASET_CREATE_ID_g;

static hid_t new_object(enum kind kind, const char *name, uint64_t n)
{
    struct object *object = &objects[used];
    object->kind = kind;
    object->n = n;
    strncpy(object->name, name, sizeof object->name - 1);
    object->numbers = kind == SET ? calloc(n, sizeof(int)) : NULL;
    return (hid_t)kind << KIND_SHIFT | used++;
}

static struct object *at(hid_t id)
{
    const uint64_t i = (uint64_t)id & 0xffff;
    return i < OBJECTS && id >> KIND_SHIFT == (hid_t)objects[i].kind ? &objects[i] : &objects[0];
}

static int end(hid_t id)
{
    at(id)->kind = NOTHING;
    return 0;
}

static void start(hid_t events)
{
    if (!events || !goes_on)
        return;
    under_way++;
    counter++;
}

static void ask(void)
{
    held_up += under_way > 0;
}

void fake_background(void)
{
    goes_on = true;
}

void fake_failure(void)
{
    has_failed = true;
}

int fake_held_up(void)
{
    return held_up;
}

int H5open(void)
{
    H5T_NATIVE_INT_g = new_object(TYPE, "", sizeof(int));
    return 0;
}

/* ---- questions ---- */

int H5Iis_valid(hid_t id)
{
    return at(id)->kind != NOTHING;
}

int H5Iget_type(hid_t id)
{
    return at(id)->kind ? (int)at(id)->kind : -1;
}

int H5Iget_ref(hid_t id)
{
    return at(id)->kind != NOTHING;
}

ssize_t H5Iget_name(hid_t id, char *name, size_t room)
{
    ask();
    strncpy(name, at(id)->kind == KIND_FILE ? "/" : at(id)->name, room);
    return (ssize_t)strlen(name);
}

ssize_t H5Fget_name(hid_t id, char *name, size_t room)
{
    return H5Iget_name(id, name, room);
}

size_t H5Tget_size(hid_t type)
{
    return at(type)->n;
}

hid_t H5Dget_space(hid_t set)
{
    ask();
    return new_object(SPACE, "", at(set)->n);
}

int64_t H5Sget_select_npoints(hid_t space)
{
    return (int64_t)at(space)->n;
}

hid_t H5VLget_connector_id(hid_t object)
{
    return H5Iis_valid(object) ? new_object(VOL, "", 0) : -1;
}

int H5VLget_cap_flags(hid_t connector, uint64_t *abilities)
{
    *abilities = goes_on ? 2 : 0;
    return H5Iis_valid(connector) ? 0 : -1;
}

int H5VLclose(hid_t connector)
{
    return end(connector);
}

int H5ESget_count(hid_t events, size_t *n)
{
    *n = under_way;
    return H5Iis_valid(events) ? 0 : -1;
}

int H5ESget_op_counter(hid_t events, uint64_t *n)
{
    *n = counter;
    return H5Iis_valid(events) ? 0 : -1;
}

int H5ESget_err_status(hid_t events, bool *failed)
{
    *failed = has_failed;
    return H5Iis_valid(events) ? 0 : -1;
}

int H5Dflush(hid_t set) /* shows that the ids have 64 bits */
{
    return H5Iis_valid(set) ? 0 : -1;
}

/* ---- calls ---- */

hid_t H5Screate_simple(int rank, const uint64_t *size, const uint64_t *most)
{
    (void)most;
    return new_object(SPACE, "", rank == 1 ? *size : 0);
}

int H5Sclose(hid_t space)
{
    return end(space);
}

hid_t H5Pcreate(hid_t kind)
{
    return new_object(LIST, "", (uint64_t)kind);
}

int H5Pset_chunk(hid_t list, int rank, const uint64_t *size)
{
    return H5Iis_valid(list) && rank == 1 && *size == CHUNK ? 0 : -1;
}

int H5Pclose(hid_t list)
{
    return end(list);
}

hid_t H5Fcreate_async(PLACE, const char *path, unsigned flags, hid_t creation, hid_t access,
                      hid_t events)
{
    (void)source, (void)function, (void)line, (void)flags, (void)creation, (void)access;
    start(events);
    return new_object(KIND_FILE, path, 0);
}

int H5Fflush_async(PLACE, hid_t object, int scope, hid_t events)
{
    (void)source, (void)function, (void)line, (void)scope;
    start(events);
    return H5Iis_valid(object) ? 0 : -1;
}

int H5Fclose_async(PLACE, hid_t file, hid_t events)
{
    (void)source, (void)function, (void)line;
    start(events);
    return end(file);
}

hid_t H5Dcreate_async(PLACE, hid_t loc, const char *name, hid_t type, hid_t space, hid_t link,
                      hid_t creation, hid_t access, hid_t events)
{
    (void)source, (void)function, (void)line, (void)loc, (void)type;
    (void)link, (void)creation, (void)access;
    start(events);
    return new_object(SET, name, at(space)->n);
}

int H5Dwrite_async(PLACE, hid_t set, hid_t type, hid_t memory, hid_t space, hid_t transfer,
                   const void *data, hid_t events)
{
    (void)source, (void)function, (void)line, (void)type, (void)memory, (void)space, (void)transfer;
    start(events);
    memcpy(at(set)->numbers, data, at(set)->n * sizeof(int));
    return 0;
}

int H5Dread_async(PLACE, hid_t set, hid_t type, hid_t memory, hid_t space, hid_t transfer,
                  void *data, hid_t events)
{
    (void)source, (void)function, (void)line, (void)type, (void)memory, (void)space, (void)transfer;
    start(events);
    memcpy(data, at(set)->numbers, at(set)->n * sizeof(int));
    return 0;
}

int H5Dwrite_multi(size_t n, hid_t *sets, hid_t *types, hid_t *memories, hid_t *spaces,
                   hid_t transfer, const void **data)
{
    (void)types, (void)memories, (void)spaces, (void)transfer;
    for (size_t i = 0; i < n; i++)
        memcpy(at(sets[i])->numbers, data[i], at(sets[i])->n * sizeof(int));
    return 0;
}

int H5Dread_multi(size_t n, hid_t *sets, hid_t *types, hid_t *memories, hid_t *spaces,
                  hid_t transfer, void **data)
{
    (void)types, (void)memories, (void)spaces, (void)transfer;
    for (size_t i = 0; i < n; i++)
        memcpy(data[i], at(sets[i])->numbers, at(sets[i])->n * sizeof(int));
    return 0;
}

int H5Dread_multi_async(PLACE, size_t n, hid_t *sets, hid_t *types, hid_t *memories, hid_t *spaces,
                        hid_t transfer, void **data, hid_t events)
{
    (void)source, (void)function, (void)line;
    start(events);
    return H5Dread_multi(n, sets, types, memories, spaces, transfer, data);
}

int H5Dread_chunk2(hid_t set, hid_t transfer, const uint64_t *offset, uint32_t *filters, void *data,
                   size_t *size)
{
    const size_t bytes = CHUNK * sizeof(int);
    (void)transfer, (void)offset;
    *filters = 0;
    if (data && *size >= bytes)
        memcpy(data, at(set)->numbers, bytes);
    *size = bytes;
    return 0;
}

int H5Dclose_async(PLACE, hid_t set, hid_t events)
{
    (void)source, (void)function, (void)line;
    start(events);
    return end(set);
}

hid_t H5EScreate(void)
{
    return new_object(EVENTS, "", 0);
}

int H5ESwait(hid_t events, uint64_t limit_ns, size_t *n, bool *failed)
{
    under_way = limit_ns ? 0 : under_way;
    *n = under_way;
    *failed = has_failed;
    return H5Iis_valid(events) ? 0 : -1;
}

int H5EScancel(hid_t events, size_t *n, bool *failed)
{
    return H5ESwait(events, 1, n, failed);
}

int H5ESclose(hid_t events)
{
    return under_way ? -1 : end(events);
}
