/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/beneath.h"
#include "base/file_signal.h"
#include "base/mem.h"
#include "base/raw_file.h"

enum { PIECE_BYTES = 64 << 10 };

struct finish_store *finish_store_new(void)
{
    struct finish_store *store = spur_mem_new(sizeof *store);
    if (store)
        store->fd = -1;
    return store;
}

void finish_store_free(struct finish_store *store)
{
    if (!store)
        return;
    if (store->fd >= 0)
        spur_file_close(store->fd);
    spur_mem_free(store, sizeof *store);
}

/* Not in the place of a standard descriptor that the host has closed. */
static int move_up(int fd)
{
    enum { FD_MIN = 3 };
    if (fd < 0 || fd >= FD_MIN)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
    int err = -errno;
    spur_file_close(fd);
    return up < 0 ? err : up;
}

/* What an attempt that was killed just then has left is no file of anybody. */
static int make_file(const char *folder)
{
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/made", folder);
    int fd = spur_beneath_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd == -EEXIST && spur_beneath_unlink(path) == 0)
        fd = spur_beneath_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    int err = fd < 0 ? fd : spur_beneath_unlink(path);
    if (err && fd >= 0)
        spur_file_close(fd);
    return err ? err : move_up(fd);
}

/* The room for so many bytes. */
static int reserve(struct finish_store *store, const char *folder, uint64_t bytes, uint64_t *at)
{
    spur_lock_take(&store->lock);
    if (store->fd < 0)
        store->fd = make_file(folder);
    int fd = store->fd;
    *at = store->end;
    store->end += fd < 0 ? 0 : bytes;
    spur_lock_give(&store->lock);
    return fd;
}

static int copy(int from, int to, uint64_t at, uint64_t bytes)
{
    char *piece = spur_mem_new(PIECE_BYTES);
    int err = piece ? 0 : -ENOMEM;
    for (uint64_t done = 0; done < bytes && !err;) {
        uint64_t part = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        int64_t n = spur_file_read(from, done, piece, part);
        err = n < 0 ? (int)n : n == 0 ? -EIO : spur_file_write(to, at + done, piece, (uint64_t)n);
        done += n > 0 ? (uint64_t)n : 0;
    }
    spur_mem_free(piece, PIECE_BYTES);
    return err;
}

int finish_store_add(struct finish_store *store, const char *folder, int from, uint64_t bytes,
                     uint64_t *at)
{
    struct spur_hold_signal hold;
    int fd = reserve(store, folder, bytes, at);
    if (fd < 0)
        return fd;
    spur_file_signal_hold(&hold);
    int err = copy(from, fd, *at, bytes);
    spur_file_signal_release(&hold);
    return err;
}

int finish_store_file(const struct finish_store *store)
{
    return store->fd;
}
