/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/events/finish_gathered.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "finish/events/finish_whole.h"
#include "finish/finish_tidy.h"

/* Where a record lies: in the file, or else in the segment. */
#define IN_FILE (UINT64_C(1) << 63)

enum { WINDOW_BYTES = SPUR_GATHERED_BYTES };

static int fill(struct finish *f, const struct finish_process *p, struct finish_window *w,
                uint64_t at)
{
    static const char *const name[] = {"segment", SPUR_GATHERED_FILE};
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    w->have = 0;
    if (!w->bytes && !(w->bytes = spur_mem_new(WINDOW_BYTES)))
        return -ENOMEM;
    finish_path(f, p, name[at & IN_FILE ? 1 : 0], path);
    int fd = finish_try_open(f, path, &size);
    if (fd < 0)
        return fd;
    int64_t n = finish_try_read(f, path, fd, at & ~IN_FILE, w->bytes, WINDOW_BYTES);
    spur_file_close(fd);
    w->at = at;
    w->have = n < 0 ? 0 : (uint64_t)n;
    return n < 0 ? (int)n : 0;
}

/* So many bytes at that place; NULL: they are not there, or cannot be read now. */
static const uint8_t *look(struct finish *f, const struct finish_process *p,
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
        const uint8_t *header = look(f, p, &w, at, sizeof record);
        if (!header)
            break;
        memcpy(&record, header, sizeof record);
        at += sizeof record;
        if (record.bytes <= FINISH_CHUNK_HEADER || record.bytes > SPUR_GATHERED_BYTES ||
            record.bytes > end - at || !look(f, p, &w, at, record.bytes))
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

/* It is what it was when it was written, as far as can be told without a look at each event. */
static bool is_sound(const struct finish_moving *m)
{
    const struct finish_chunk *c = &m->chunk;
    return c->is_closed && c->first == 1 && c->events && c->last == c->events &&
           finish_whole_look(m) == FINISH_LOOK_QUICK;
}

int finish_gathered_take(struct finish_moving *m, bool *is_sure)
{
    struct finish_thread *t = m->t;
    const uint8_t *bytes = look(m->f, m->p, &m->gathered, t->gathered_at, t->gathered_bytes);
    int err = finish_tidy_drop_aside(m->f, m->id);
    if (!err && !bytes) /* it was there just before */
        err = m->f->unread ? m->f->unread : -EIO;
    if (!err)
        err = spur_file_publish(m->path, bytes, t->gathered_bytes);
    if (err)
        return err;
    t->has_file = true;
    *is_sure = finish_chunk_scan(bytes, t->gathered_bytes, &m->chunk) && is_sound(m);
    if (!*is_sure)
        return 0;
    t->events = m->chunk.events;
    t->first = m->chunk.time_first;
    if (m->p->state != FINISH_ENDED) /* it does not say when it ended, so its threads do */
        t->last = m->chunk.time_last;
    return 0;
}
