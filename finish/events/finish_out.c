/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/events/finish_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/archive_files.h"
#include "base/beneath.h"
#include "base/file_signal.h"
#include "base/lock.h"
#include "base/mem.h"
#include "finish/find/finish_gathered.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_store.h"
#include "finish/state/finish_trouble.h"

enum { FD_MIN = 3 };

/* Those that are made just now, one for each worker. */
static struct {
    struct spur_lock lock;
    struct finish_out *first;
} made = {.lock = SPUR_LOCK_INIT};

void finish_out_begin(struct finish_out *out, const struct finish *f, uint64_t location,
                      const char *ending)
{
    snprintf(out->path, sizeof out->path, "%s/traces/%llu.%s", f->place,
             (unsigned long long)location, ending);
    out->memory = -1;
    out->real[0] = '\0';
    if (!f->container) {
        memcpy(out->real, out->path, sizeof out->real);
        return;
    }
    spur_lock_take(&made.lock);
    out->next = made.first;
    made.first = out;
    spur_lock_give(&made.lock);
}

void finish_out_end(struct finish_out *out, const struct finish *f)
{
    if (!f->container)
        return;
    spur_lock_take(&made.lock);
    struct finish_out **link = &made.first;
    while (*link && *link != out)
        link = &(*link)->next;
    if (*link)
        *link = out->next;
    spur_lock_give(&made.lock);
    finish_out_anew(out);
}

void finish_out_use(struct finish_out *out, const char *path)
{
    snprintf(out->real, sizeof out->real, "%s", path);
}

void finish_out_anew(struct finish_out *out)
{
    if (out->memory >= 0)
        spur_file_close(out->memory);
    out->memory = -1;
    out->real[0] = '\0';
}

const char *finish_out_name(const struct finish_out *out)
{
    return finish_out_is_file(out) ? out->real : "memory for events";
}

/* ---- in memory ---- */

/* Not in the place of a standard descriptor that the host has closed. */
static int move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
    return up < 0 ? -errno : up;
}

static int make_memory(struct finish_out *out)
{
    long low = syscall(SYS_memfd_create, "spur", MFD_CLOEXEC);
    if (low < 0)
        return -errno;
    out->memory = move_up((int)low);
    spur_file_close((int)low);
    return out->memory < 0 ? out->memory : 0;
}

static int size_of(int fd, uint64_t *size)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return -errno;
    *size = (uint64_t)info.st_size;
    return 0;
}

static int lend(const struct finish_out *out, uint64_t *size)
{
    int fd = out->memory < 0 ? -ENOENT : move_up(out->memory);
    int err = fd < 0 ? fd : size_of(fd, size);
    if (err && fd >= 0)
        spur_file_close(fd);
    return err ? err : fd;
}

static int append(struct finish_out *out, const void *from, uint64_t bytes)
{
    struct spur_hold_signal hold;
    uint64_t size = 0;
    int err = out->memory < 0 ? make_memory(out) : 0;
    if (!err)
        err = size_of(out->memory, &size);
    if (err)
        return err;
    spur_file_signal_hold(&hold);
    err = spur_file_write(out->memory, size, from, bytes);
    spur_file_signal_release(&hold);
    return err;
}

/* ---- either way ---- */

int finish_out_open(const struct finish_out *out, uint64_t *size)
{
    return finish_out_is_file(out) ? spur_file_open(out->real, size) : lend(out, size);
}

int finish_out_edit(const struct finish_out *out, uint64_t *size)
{
    return finish_out_is_file(out) ? spur_file_edit(out->real, size) : lend(out, size);
}

int finish_out_append(struct finish_out *out, const void *from, uint64_t bytes)
{
    return finish_out_is_file(out) ? spur_file_append(out->real, from, bytes)
                                   : append(out, from, bytes);
}

int finish_out_cut(const struct finish_out *out, uint64_t bytes)
{
    if (finish_out_is_file(out))
        return spur_file_cut(out->real, bytes);
    if (out->memory < 0)
        return -ENOENT;
    return ftruncate(out->memory, (off_t)bytes) < 0 ? -errno : 0;
}

int finish_out_remove(struct finish_out *out)
{
    if (finish_out_is_file(out))
        return spur_beneath_unlink(out->real);
    if (out->memory < 0)
        return -ENOENT;
    finish_out_anew(out);
    return 0;
}

int finish_out_try(struct finish *f, const struct finish_out *out, uint64_t *size)
{
    int fd = finish_out_open(out, size);
    finish_note_unread(f, fd, finish_out_name(out));
    return fd;
}

/* ---- for the library ---- */

static struct finish_out *find(const char *path)
{
    spur_lock_take(&made.lock);
    struct finish_out *out = made.first;
    while (out && strcmp(out->path, path) != 0)
        out = out->next;
    spur_lock_give(&made.lock);
    return out;
}

static int open_memory(struct finish_out *out, int flags)
{
    uint64_t size;
    int err = out->memory < 0 ? (flags & O_CREAT ? make_memory(out) : -ENOENT) : 0;
    if (!err && flags & O_TRUNC)
        err = finish_out_cut(out, 0);
    return err ? err : lend(out, &size);
}

static int open_file(const char *path, int flags)
{
    struct finish_out *out = find(path);
    if (out && !finish_out_is_file(out))
        return open_memory(out, flags);
    return spur_archive_files.open(out ? out->real : path, flags);
}

/* Of files that are not in it. */
static int make_no_dir(const char *path)
{
    (void)path;
    return 0;
}

static int remove_file(const char *path)
{
    struct finish_out *out = find(path);
    return out ? finish_out_remove(out) : spur_beneath_unlink(path);
}

const OTF2X_FileCallbacks finish_out_files = {open_file, make_no_dir, remove_file,
                                              spur_beneath_rename};

/* ---- where it is ---- */

int finish_out_tell(struct finish *f, const void *bytes, uint64_t n, struct finish_source *source)
{
    const uint64_t at = f->kept.n * sizeof(uint64_t);
    uint64_t *to = spur_words_add(&f->kept, (n + sizeof *to - 1) / sizeof *to);
    *source = (struct finish_source){.at = at, .bytes = n, .in = FINISH_IN_TOLD};
    if (!to)
        return -ENOMEM;
    memcpy(to, bytes, n);
    return 0;
}

static int tell_file(struct finish *f, int fd, uint64_t bytes, struct finish_source *source)
{
    char *memory = spur_mem_new(bytes);
    int64_t n = memory ? spur_file_read(fd, 0, memory, bytes) : -ENOMEM;
    int err = n < 0                  ? (int)n
              : (uint64_t)n != bytes ? -EIO
                                     : finish_out_tell(f, memory, bytes, source);
    spur_mem_free(memory, bytes);
    return err;
}

int finish_out_keep(const struct finish_out *out, struct finish *f, enum finish_in in,
                    struct finish_source *source)
{
    uint64_t bytes = 0;
    int fd = finish_out_open(out, &bytes);
    int err = fd < 0 ? fd : 0;
    if (!err && finish_out_is_file(out))
        *source = (struct finish_source){.bytes = bytes, .in = in};
    else if (!err)
        err = f->is_settling ? tell_file(f, fd, bytes, source)
                             : finish_store_add(f, fd, bytes, source);
    if (fd >= 0)
        spur_file_close(fd);
    return err;
}

char *finish_source_path(const struct finish *f, const struct finish_process *p,
                         const struct finish_thread *t, const char *ending,
                         const struct finish_source *source, char path[SPUR_FILE_PATH_BYTES])
{
    char name[64];
    switch (source->in) {
    case FINISH_IN_FOLDER:
        snprintf(name, sizeof name, "traces/%u.%s", t->number, ending);
        return finish_path(f, p, name, path);
    case FINISH_IN_SETTLED:
        return finish_settled_path(f, p, t->number, ending, path);
    case FINISH_IN_RETRY:
        snprintf(name, sizeof name, "retry/%llu.%s", (unsigned long long)finish_location_id(p, t),
                 ending);
        return finish_path(f, NULL, name, path);
    case FINISH_IN_GATHERED:
        return finish_path(f, p, finish_gathered_file(source->at), path);
    case FINISH_IN_TOLD:
        snprintf(path, SPUR_FILE_PATH_BYTES, "%s", p->told_in);
        return path;
    case FINISH_IN_STORE:
        break;
    }
    return finish_store_path(f, source->store, path);
}

uint64_t finish_source_at(const struct finish_source *source)
{
    return source->in == FINISH_IN_GATHERED ? finish_gathered_at(source->at) : source->at;
}
