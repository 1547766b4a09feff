/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>

#include "base/beneath.h"
#include "finish/events/finish_moving.h"
#include "finish/events/finish_whole.h"
#include "finish/find/finish_gathered.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_trouble.h"

int finish_drop_aside(struct finish *f, uint64_t id)
{
    char path[SPUR_FILE_PATH_BYTES], name[64];
    if (finish_settled_has(&f->adopted_evt,
                           id)) { /* made by a process that did not come to an end */
        snprintf(path, sizeof path, "%s/traces/%llu.evt", f->place, (unsigned long long)id);
        int err = spur_beneath_unlink(path);
        if (err && err != -ENOENT)
            return finish_blame(f, err, "%s", path);
    }
    if (!f->is_retried)
        return 0;
    snprintf(name, sizeof name, "retry/%llu.evt", (unsigned long long)id);
    int err = spur_beneath_unlink(finish_path(f, NULL, name, path));
    return err == -ENOENT ? 0 : finish_blame(f, err, "%s", path);
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
    const uint8_t *bytes =
        finish_gathered_look(m->f, m->p, &m->gathered, t->gathered_at, t->gathered_bytes);
    int err = finish_drop_aside(m->f, m->id);
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
    m->bytes = t->gathered_bytes;
    t->first = m->chunk.time_first;
    if (m->p->state != FINISH_ENDED) /* it does not say when it ended, so its threads do */
        t->last = m->chunk.time_last;
    return 0;
}
