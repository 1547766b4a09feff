/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a server has found out about an archive, in one file, so that it need not read it again:
 * named sections of bytes. It lies beside the archive, or in the user's cache directory where that
 * cannot be written; where neither can, in memory.
 *
 * A file that this user has not written, that others may write, or that was made of another state
 * of the archive or by another spur, is none.
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
 * What tells an archive, as it is, from all others: NULL without memory. `anchor` is its .otf2
 * file, `maker` what has to be the same for a cache to be of use.
 */
char *cache_key(const char *anchor, const char *maker);

/* The cache of an archive with that key. NULL: there is none. */
struct cache *cache_open(const char *anchor, const char *key);

/*
 * A new one, to be filled section by section and committed. NULL: no memory. What goes wrong with a
 * file is kept, and said by cache_commit(). Nothing is left of it when it is not committed, and be
 * it that the process is killed.
 */
struct cache *cache_new(const char *anchor, const char *key);
void cache_restart(struct cache *c); /* empties it but for the key */
void cache_begin(struct cache *c, const char *name);
void cache_put(struct cache *c, const void *bytes, size_t n);
bool cache_commit(struct cache *c); /* false: it cannot be read */

/* What another process has committed since it was forked from the one that has made it. */
bool cache_reload(struct cache *c);

/* A section by its name; false: there is none. */
bool cache_find(const struct cache *c, const char *name, struct cache_part *part);

/* Bytes of a section. False: the file has not got them. */
bool cache_read(const struct cache *c, struct cache_part part, uint64_t at, void *bytes, size_t n);

void cache_close(struct cache *c); /* NULL is allowed; what is not committed is removed */

#endif
