/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/format_objects.h"

#include <pthread.h>
#include <string.h>

#include "wrappers/kit/wrapper_lock.h"

enum { BUCKET_BITS = 8, BUCKETS = 1 << BUCKET_BITS };

struct entry {
    struct entry *next;
    struct format_key key;
    struct format_object is;
    uint32_t generation; /* of the process that knows it */
    uint64_t order;
    size_t name_bytes; /* 0: it has no name */
    char name[];
};

static struct wrapper_lock lock;
static struct entry *entries[BUCKETS];
static uint64_t last_order;

/* Another thread of the parent may have held the lock. */
static void free_lock(void)
{
    wrapper_lock_give(&lock);
}

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(NULL, NULL, free_lock);
}

struct format_object format_nothing(void)
{
    return (struct format_object){.handle = OTF2_UNDEFINED_IO_HANDLE,
                                  .file = OTF2_UNDEFINED_IO_HANDLE,
                                  .io_file = OTF2_UNDEFINED_IO_FILE,
                                  .mode = OTF2_IO_ACCESS_MODE_READ_WRITE};
}

/* With the lock: the link to the entry, or to the end of the list where it would be. */
static struct entry **find(struct format_key key)
{
    const uint64_t mixed = ((uint64_t)key.id ^ (uintptr_t)key.library) * 0x9e3779b97f4a7c15u;
    struct entry **link = &entries[mixed >> (64 - BUCKET_BITS)];
    while (*link && ((*link)->key.id != key.id || (*link)->key.library != key.library))
        link = &(*link)->next;
    return link;
}

static void free_entry(struct entry *entry)
{
    if (entry)
        spur_mem_free(entry, sizeof *entry + entry->name_bytes);
}

static struct entry *unlink_entry(struct entry **link)
{
    struct entry *entry = *link;
    if (entry)
        *link = entry->next;
    return entry;
}

static struct format_object known_in(const struct entry *entry)
{
    return entry && entry->generation == spur_generation() ? entry->is : format_nothing();
}

struct format_object format_find(struct format_key key)
{
    wrapper_lock_take(&lock);
    struct format_object object = known_in(*find(key));
    wrapper_lock_give(&lock);
    return object;
}

struct format_object format_find_named(const struct format_library *library, const char *name)
{
    struct format_object object = format_nothing();
    uint64_t newest = 0;
    wrapper_lock_take(&lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = entries[i]; entry; entry = entry->next)
            if (entry->key.library == library && entry->name_bytes && entry->order > newest &&
                strcmp(entry->name, name) == 0) {
                newest = entry->order;
                object = known_in(entry);
            }
    wrapper_lock_give(&lock);
    return object;
}

void format_keep(struct format_key key, const struct format_object *object, const char *name)
{
    const size_t bytes = name ? strlen(name) + 1 : 0;
    struct entry *entry = spur_mem_new(sizeof *entry + bytes);
    if (entry) {
        entry->key = key;
        entry->is = *object;
        entry->generation = spur_generation();
        entry->name_bytes = bytes;
        memcpy(entry->name, name ? name : "", bytes);
    }
    wrapper_lock_take(&lock);
    struct entry **link = find(key);
    struct entry *old = unlink_entry(link);
    if (entry) {
        entry->order = ++last_order;
        entry->next = *link;
        *link = entry;
    }
    wrapper_lock_give(&lock);
    free_entry(old);
}

struct format_object format_take(struct format_key key)
{
    wrapper_lock_take(&lock);
    struct entry *entry = unlink_entry(find(key));
    wrapper_lock_give(&lock);
    struct format_object object = known_in(entry);
    free_entry(entry);
    return object;
}

struct format_object format_take_in_set(const struct format_library *library, int64_t set)
{
    struct entry **first = NULL;
    wrapper_lock_take(&lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct entry **link = &entries[i]; *link; link = &(*link)->next)
            if ((*link)->key.library == library && (*link)->is.set == set &&
                (*link)->generation == spur_generation() &&
                (!first || (*link)->order < (*first)->order))
                first = link;
    struct entry *entry = first ? unlink_entry(first) : NULL;
    wrapper_lock_give(&lock);
    struct format_object object = known_in(entry);
    free_entry(entry);
    return object;
}

static bool is_in(const struct entry *entry, const struct format_library *library,
                  OTF2_IoHandleRef file)
{
    if (entry->key.library != library || entry->generation != spur_generation())
        return false;
    return file == OTF2_UNDEFINED_IO_HANDLE || (entry->is.file == file && entry->is.handle != file);
}

bool format_next_in(const struct format_library *library, OTF2_IoHandleRef file, uint64_t *after,
                    struct format_key *key)
{
    uint64_t next = UINT64_MAX;
    wrapper_lock_take(&lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = entries[i]; entry; entry = entry->next)
            if (entry->order > *after && entry->order < next && is_in(entry, library, file)) {
                next = entry->order;
                *key = entry->key;
            }
    wrapper_lock_give(&lock);
    *after = next;
    return next != UINT64_MAX;
}
