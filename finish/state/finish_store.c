/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/beneath.h"
#include "base/file_signal.h"
#include "base/mem.h"
#include "base/raw_file.h"

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

char *finish_store_path(const struct finish *f, uint32_t number, char path[SPUR_FILE_PATH_BYTES])
{
    char name[64];
    snprintf(name, sizeof name, "plain/" FINISH_STORE "%u", number);
    return finish_path(f, NULL, name, path);
}

/* Who makes a file owns it, and its number. */
static int make_file(const struct finish *f, struct finish_store *store)
{
    char path[SPUR_FILE_PATH_BYTES];
    int fd = -EEXIST;
    for (uint32_t number = 0; number < UINT32_MAX && fd == -EEXIST; number++) {
        store->number = number;
        fd = spur_beneath_open(finish_store_path(f, number, path), O_WRONLY | O_CREAT | O_EXCL,
                               0600);
    }
    return move_up(fd);
}

/* The room for so many bytes. */
static int reserve(const struct finish *f, uint64_t bytes, struct finish_source *source)
{
    struct finish_store *store = f->store;
    spur_lock_take(&store->lock);
    if (store->fd < 0)
        store->fd = make_file(f, store);
    int fd = store->fd;
    *source = (struct finish_source){.at = store->end,
                                     .bytes = bytes,
                                     .in = FINISH_IN_STORE,
                                     .store = store->number};
    store->end += fd < 0 ? 0 : bytes;
    spur_lock_give(&store->lock);
    return fd;
}

int finish_store_add(struct finish *f, int from, uint64_t bytes, struct finish_source *source)
{
    struct spur_hold_signal hold;
    int fd = reserve(f, bytes, source);
    if (fd < 0)
        return fd;
    spur_file_signal_hold(&hold);
    int err = spur_file_copy(from, 0, fd, source->at, bytes);
    spur_file_signal_release(&hold);
    return err;
}
