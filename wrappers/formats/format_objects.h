/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open files, and the datasets or variables in the files, by the ids of the library. In a child of
 * fork() nothing is known: the handles are the parent's. All functions are thread-safe.
 */
#ifndef FORMAT_OBJECTS_H
#define FORMAT_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "wrappers/formats/format_library.h"

enum { FORMAT_NAME_BYTES = 4096 };

struct format_key {
    const struct format_library *library;
    int64_t id;
};

struct format_object {
    OTF2_IoHandleRef handle;
    OTF2_IoHandleRef file; /* handle of the containing file; of a file, its own handle */
    OTF2_IoFileRef io_file;
    OTF2_IoAccessMode mode;
    uint64_t operation, bytes; /* of an operation in the background */
    int64_t set;               /* HDF5: the event set of what goes on in the background; else 0 */
};

/* An object with undefined handles: nothing. */
struct format_object format_nothing(void);

static inline bool format_is_known(const struct format_object *object)
{
    return object->handle != OTF2_UNDEFINED_IO_HANDLE;
}

/* The object of the key; nothing: the object was opened where no wrapper saw the opening. */
struct format_object format_find(struct format_key key);
/* The file that was opened last under this name and is open. */
struct format_object format_find_named(const struct format_library *library, const char *name);

/* Set the object of the key; an object before is forgotten. `name` of a file, NULL: no name. */
void format_keep(struct format_key key, const struct format_object *object, const char *name);
/* Forget the object of the key; returns the object. */
struct format_object format_take(struct format_key key);
/* The same with the first kept object of the event set. */
struct format_object format_take_in_set(const struct format_library *library, int64_t set);
/*
 * The next key, in the order of format_keep(), of an object in the file, without the file itself;
 * OTF2_UNDEFINED_IO_HANDLE: of all objects of the library. *after is 0 at first. False: no further
 * key.
 */
bool format_next_in(const struct format_library *library, OTF2_IoHandleRef file, uint64_t *after,
                    struct format_key *key);

#endif
