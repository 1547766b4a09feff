/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are open, and the datasets or variables in them, by what the library calls them. In a
 * child of fork() nothing is known: its handles are its parent's. All functions are thread-safe.
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
    OTF2_IoHandleRef file; /* whose handle it is in; its own: it is a file */
    OTF2_IoFileRef io_file;
    OTF2_IoAccessMode mode;
    uint64_t operation, bytes; /* of one that goes on in the background */
};

/* Nothing, with undefined handles. */
struct format_object format_nothing(void);

static inline bool format_is_known(const struct format_object *object)
{
    return object->handle != OTF2_UNDEFINED_IO_HANDLE;
}

/* What is known of it; nothing: it was opened where nobody saw it. */
struct format_object format_find(struct format_key key);
/* The file that was opened last under this name and is open. */
struct format_object format_find_named(const struct format_library *library, const char *name);

/* What was known under the key is gone; `name` of a file, NULL: none. */
void format_keep(struct format_key key, const struct format_object *object, const char *name);
/* Nothing is known of it from now on; returns what was. */
struct format_object format_take(struct format_key key);
/*
 * The next key, in the order in which they were kept, of what is in the file but not the file
 * itself; OTF2_UNDEFINED_IO_HANDLE: of all that the library has. *after is 0 at first. False: there
 * is none.
 */
bool format_next_in(const struct format_library *library, OTF2_IoHandleRef file, uint64_t *after,
                    struct format_key *key);

#endif
