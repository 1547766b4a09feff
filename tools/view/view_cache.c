/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/archive_path.h"
#include "tools/base/digest.h"
#include "tools/base/say.h"

enum { NAME_BYTES = 16, BUFFER_BYTES = 1 << 20 };

/* A machine of the opposite byte order reads a different number. */
static const uint64_t magic = 0x0132574549565053; /* "SPVIEW2" */

struct header {
    uint64_t magic;
    uint64_t file_bytes;
    uint64_t n;
    struct {
        char name[NAME_BYTES];
        struct cache_part part;
    } sections[CACHE_SECTIONS_MAX];
    uint64_t digest; /* of the header in front of the digest */
};

struct cache {
    int fd;
    char *path;       /* NULL: in memory */
    char *part;       /* temporary name, until the file has its own; NULL: named or not needed */
    bool is_nameless; /* the file has no temporary name either */
    int error;        /* errno of a failed write */
    struct header header;
    size_t n_buffered;
    uint8_t buffer[BUFFER_BYTES];
};

/* ---- the owner of the cache: archive and settings ---- */

static char *state_of(const char *path)
{
    struct stat s = {0};
    char *text;
    if (stat(path, &s))
        s = (struct stat){0};
    return asprintf(&text, "%llx:%llx:%lld:%lld.%09ld", (unsigned long long)s.st_dev,
                    (unsigned long long)s.st_ino, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec) < 0
               ? NULL
               : text;
}

char *cache_key(const char *anchor, const char *maker)
{
    size_t stem = strlen(anchor);
    stem -= stem > 5 && !strcmp(anchor + stem - 5, ".otf2") ? 5 : 0;
    char *key = NULL;
    char *definitions = NULL;
    char *events = NULL;
    if (asprintf(&definitions, "%.*s.def", (int)stem, anchor) < 0 ||
        asprintf(&events, "%.*s", (int)stem, anchor) < 0)
        return NULL;
    char *states[] = {state_of(anchor), state_of(definitions), state_of(events)};
    if (states[0] && states[1] && states[2] &&
        asprintf(&key, "%s\n%s\n%s\n%s\n", maker, states[0], states[1], states[2]) < 0)
        key = NULL;
    for (size_t i = 0; i < 3; i++)
        free(states[i]);
    free(definitions);
    free(events);
    return key;
}

/* ---- the place of the file ---- */

/* ---- reading ---- */

static bool read_all(int fd, void *bytes, size_t n, uint64_t at)
{
    for (uint8_t *p = bytes; n;) {
        ssize_t got = pread(fd, p, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

/* A user who may write to the file can decide the content of the page. */
static bool is_own(int fd, uint64_t *bytes)
{
    struct stat s;
    if (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid() || s.st_mode & 022)
        return false;
    *bytes = (uint64_t)s.st_size;
    return true;
}

static bool is_sound(const struct header *h, uint64_t bytes)
{
    if (h->magic != magic || h->file_bytes != bytes || h->n > CACHE_SECTIONS_MAX ||
        h->digest != digest_add(DIGEST_BEGIN, h, offsetof(struct header, digest)))
        return false;
    for (size_t i = 0; i < h->n; i++)
        if (h->sections[i].part.at > bytes ||
            h->sections[i].part.n_bytes > bytes - h->sections[i].part.at)
            return false;
    return true;
}

static bool has_key(const struct cache *c, const char *key)
{
    struct cache_part part;
    size_t n = strlen(key);
    char *held = malloc(n + 1);
    bool is_same = held && cache_find(c, "key", &part) && part.n_bytes == n &&
                   cache_read(c, part, 0, held, n) && !memcmp(held, key, n);
    free(held);
    return is_same;
}

static struct cache *open_path(char *path, const char *key)
{
    uint64_t bytes;
    struct cache *c = path ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        free(path);
        return NULL;
    }
    c->path = path;
    c->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (c->fd >= 0 && is_own(c->fd, &bytes) && read_all(c->fd, &c->header, sizeof c->header, 0) &&
        is_sound(&c->header, bytes) && has_key(c, key))
        return c;
    cache_close(c);
    return NULL;
}

struct cache *cache_open(const char *anchor, const char *key)
{
    struct cache *c = open_path(archive_beside(anchor, "view"), key);
    return c ? c : open_path(archive_in_cache(anchor, "view"), key);
}

bool cache_find(const struct cache *c, const char *name, struct cache_part *part)
{
    for (size_t i = 0; i < c->header.n; i++)
        if (!strncmp(c->header.sections[i].name, name, NAME_BYTES)) {
            *part = c->header.sections[i].part;
            return true;
        }
    return false;
}

bool cache_read(const struct cache *c, struct cache_part part, uint64_t at, void *bytes, size_t n)
{
    return at <= part.n_bytes && n <= part.n_bytes - at && read_all(c->fd, bytes, n, part.at + at);
}

/* ---- writing ---- */

/* A file without a name vanishes with the process; not every file system has such files. */
static void create_file(struct cache *c)
{
    char *slash = strrchr(c->part, '/');
    char *folder = slash ? strndup(c->part, (size_t)(slash - c->part) + 1) : strdup(".");
    c->fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    c->is_nameless = c->fd >= 0;
    free(folder);
    if (c->is_nameless)
        return;
    unlink(c->part); /* of an ended process of the same number */
    c->fd = open(c->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool create(struct cache *c, char *path)
{
    if (!path || asprintf(&c->part, "%s.part-%ld", path, (long)getpid()) < 0) {
        free(path);
        c->part = NULL;
        return false;
    }
    create_file(c);
    if (c->fd < 0) {
        free(path);
        free(c->part);
        c->part = NULL;
        return false;
    }
    c->path = path;
    return true;
}

static void flush(struct cache *c)
{
    const uint8_t *p = c->buffer;
    while (c->n_buffered && !c->error) {
        ssize_t n = write(c->fd, p, c->n_buffered);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            c->error = n ? errno : ENOSPC;
            break;
        }
        p += n;
        c->n_buffered -= (size_t)n;
    }
    c->n_buffered = 0;
}

void cache_begin(struct cache *c, const char *name)
{
    if (c->header.n == CACHE_SECTIONS_MAX || strlen(name) > NAME_BYTES) {
        c->error = EINVAL;
        return;
    }
    strncpy(c->header.sections[c->header.n].name, name, NAME_BYTES);
    c->header.sections[c->header.n++].part.at = c->header.file_bytes;
}

void cache_put(struct cache *c, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    c->header.file_bytes += n;
    if (c->header.n)
        c->header.sections[c->header.n - 1].part.n_bytes += n;
    while (n && !c->error) {
        size_t room = BUFFER_BYTES - c->n_buffered;
        size_t some = n < room ? n : room;
        memcpy(c->buffer + c->n_buffered, p, some);
        c->n_buffered += some;
        p += some;
        n -= some;
        if (c->n_buffered == BUFFER_BYTES)
            flush(c);
    }
}

struct cache *cache_new(const char *anchor, const char *key)
{
    struct cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    if (!create(c, archive_beside(anchor, "view")) &&
        !create(c, archive_in_cache(anchor, "view"))) {
        c->fd = memfd_create("spur-view", MFD_CLOEXEC);
        c->error = c->fd < 0 ? errno : 0;
    }
    cache_put(c, &c->header, sizeof c->header); /* room for the header */
    cache_begin(c, "key");
    cache_put(c, key, strlen(key));
    return c;
}

void cache_restart(struct cache *c)
{
    struct header *h = &c->header;
    flush(c);
    h->file_bytes = h->sections[0].part.at + h->sections[0].part.n_bytes;
    memset(&h->sections[1], 0, sizeof h->sections - sizeof h->sections[0]);
    h->n = 1;
    if (!c->error && (ftruncate(c->fd, (off_t)h->file_bytes) ||
                      lseek(c->fd, (off_t)h->file_bytes, SEEK_SET) < 0))
        c->error = errno;
}

/* A file that cannot get its name serves only the present process. */
static void name_file(struct cache *c)
{
    char self[64];
    if (!c->part)
        return;
    snprintf(self, sizeof self, "/proc/self/fd/%d", c->fd);
    if (c->is_nameless) {
        unlink(c->part);
        if (linkat(AT_FDCWD, self, AT_FDCWD, c->part, AT_SYMLINK_FOLLOW))
            return;
    }
    c->is_nameless = false;
    if (rename(c->part, c->path))
        unlink(c->part);
}

bool cache_commit(struct cache *c)
{
    struct header *h = &c->header;
    flush(c);
    h->magic = magic;
    h->digest = digest_add(DIGEST_BEGIN, h, offsetof(struct header, digest));
    if (!c->error && pwrite(c->fd, h, sizeof *h, 0) != (ssize_t)sizeof *h)
        c->error = errno;
    if (c->error) {
        say("%s: %s", c->path ? c->path : "memory", strerror(c->error));
        return false;
    }
    name_file(c);
    free(c->part);
    c->part = NULL;
    return true;
}

bool cache_reload(struct cache *c)
{
    struct stat s;
    c->n_buffered = 0;
    free(c->part);
    c->part = NULL;
    return !fstat(c->fd, &s) && read_all(c->fd, &c->header, sizeof c->header, 0) &&
           is_sound(&c->header, (uint64_t)s.st_size);
}

void cache_close(struct cache *c)
{
    if (!c)
        return;
    if (c->part && !c->is_nameless)
        unlink(c->part);
    if (c->fd >= 0)
        close(c->fd);
    free(c->part);
    free(c->path);
    free(c);
}
