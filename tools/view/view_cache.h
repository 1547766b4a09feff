/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of a server, in one file: the results of the pass over an archive, as named sections of
 * bytes. With a cache the server need not read the whole archive again. The file lies beside the
 * archive. If that folder is not writable, the file lies in the user's cache directory; if neither
 * is writable, the cache is in memory.
 *
 * A file does not count if another user wrote the file or may write to the file, or if the file was
 * made from another state of the archive or by another version of spur.
 */
#ifndef TOOLS_VIEW_CACHE_H
#define TOOLS_VIEW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache;

enum { CACHE_SECTIONS_MAX = 16 };

struct cache_part {
    uint64_t at;
    uint64_t n_bytes;
};

/*
 * The key of the present state of an archive, different from the keys of all other archives and
 * states: NULL without memory. `anchor` is the .otf2 file of the archive. `maker` must be the same
 * for a cache to be of use.
 */
char *cache_key(const char *anchor, const char *maker);

/* The cache of an archive with the given key. NULL: not found. */
struct cache *cache_open(const char *anchor, const char *key);

/*
 * A new cache, to be filled section by section and then committed. NULL: no memory. An error of the
 * file is remembered, and reported by cache_commit(). An uncommitted file vanishes, even if the
 * process is killed.
 */
struct cache *cache_new(const char *anchor, const char *key);
void cache_restart(struct cache *c); /* removes everything but the key */
void cache_begin(struct cache *c, const char *name);
void cache_put(struct cache *c, const void *bytes, size_t n);
bool cache_commit(struct cache *c); /* false: the cache cannot be read */

/*
 * Load the sections that another process has committed since the fork. Parent and child share the
 * file.
 */
bool cache_reload(struct cache *c);

/* A section by name; false: no section of this name. */
bool cache_find(const struct cache *c, const char *name, struct cache_part *part);

/* Bytes of a section. False: the file is too short. */
bool cache_read(const struct cache *c, struct cache_part part, uint64_t at, void *bytes, size_t n);

void cache_close(struct cache *c); /* NULL is allowed; an uncommitted file is removed */

#endif
