/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/find/finish_gathered.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/state/finish_chunk.h"
#include "finish/state/finish_trouble.h"

/* Where a record lies: in the file, or else in the segment. */
#define IN_FILE (UINT64_C(1) << 63)

enum { WINDOW_BYTES = SPUR_GATHERED_BYTES };

const char *finish_gathered_file(uint64_t at)
{
    return at & IN_FILE ? SPUR_GATHERED_FILE : "segment";
}

uint64_t finish_gathered_at(uint64_t at)
{
    return at & ~IN_FILE;
}

/* Behind what the process has gathered, its segment holds nothing of use. */
static uint64_t bytes_behind(const struct finish_process *p, uint64_t at)
{
    uint64_t end = SPUR_GATHERED_OFFSET + p->head.gathered_bytes;
    if (at & IN_FILE)
        return WINDOW_BYTES;
    return at < end && end - at < WINDOW_BYTES ? end - at : WINDOW_BYTES;
}

static int fill(struct finish *f, const struct finish_process *p, struct finish_window *w,
                uint64_t at)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    w->have = 0;
    if (!w->bytes && !(w->bytes = spur_mem_new(WINDOW_BYTES)))
        return -ENOMEM;
    finish_path(f, p, finish_gathered_file(at), path);
    int fd = finish_try_open(f, path, &size);
    if (fd < 0)
        return fd;
    int64_t n = finish_try_read(f, path, fd, finish_gathered_at(at), w->bytes, bytes_behind(p, at));
    spur_file_close(fd);
    w->at = at;
    w->have = n < 0 ? 0 : (uint64_t)n;
    return n < 0 ? (int)n : 0;
}

const uint8_t *finish_gathered_look(struct finish *f, const struct finish_process *p,
                                    struct finish_window *w, uint64_t at, uint64_t bytes)
{
    bool is_inside = at >= w->at && at + bytes <= w->at + w->have;
    if (!is_inside && (fill(f, p, w, at) != 0 || bytes > w->have))
        return NULL;
    return w->bytes + (at - w->at);
}

void finish_window_free(struct finish_window *window)
{
    spur_mem_free(window->bytes, WINDOW_BYTES);
    *window = (struct finish_window){0};
}

static int each_record(struct finish *f, const struct finish_process *p, uint64_t at, uint64_t end,
                       void *data,
                       int (*each)(void *data, uint32_t thread, uint64_t at, uint64_t bytes))
{
    struct finish_window w = {0};
    struct spur_gathered record;
    int err = 0;
    while (!err && end - at >= sizeof record) {
        const uint8_t *header = finish_gathered_look(f, p, &w, at, sizeof record);
        if (!header)
            break;
        memcpy(&record, header, sizeof record);
        at += sizeof record;
        if (record.bytes <= OTF2_FRAME_HEADER_BYTES || record.bytes > SPUR_GATHERED_BYTES ||
            record.bytes > end - at || !finish_gathered_look(f, p, &w, at, record.bytes))
            break;
        err = each(data, record.thread, at, record.bytes);
        at += spur_gathered_room(record.bytes) - sizeof record;
        at = at < end ? at : end;
    }
    finish_window_free(&w);
    return err ? err : f->unread;
}

int finish_gathered_each(struct finish *f, const struct finish_process *p, void *data,
                         int (*each)(void *data, uint32_t thread, uint64_t at, uint64_t bytes))
{
    uint64_t bytes = p->head.gathered_bytes;
    int err = 0;
    if (bytes && bytes <= SPUR_GATHERED_BYTES)
        err = each_record(f, p, SPUR_GATHERED_OFFSET, SPUR_GATHERED_OFFSET + bytes, data, each);
    if (!err && (p->head.gathered_moves || p->state != FINISH_ENDED))
        err = each_record(f, p, IN_FILE, UINT64_MAX, data, each);
    return err;
}
