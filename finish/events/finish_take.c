/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "finish/events/finish_distance.h"
#include "finish/events/finish_moving.h"
#include "finish/events/finish_whole.h"
#include "finish/find/finish_gathered.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_trouble.h"

/* ---- the file of a process ---- */

static bool is_there(struct finish *f, const char *path)
{
    uint64_t size;
    int fd = finish_try_open(f, path, &size);
    if (fd < 0)
        return false; /* not there, or no file made by a process of the session */
    spur_file_close(fd);
    return true;
}

/* Makes the place of the event files. A settling process needs a place for event files only. */
static int make_place(const struct finish *f)
{
    char folder[SPUR_FILE_PATH_BYTES];
    int err = spur_beneath_mkdir(f->place, 0700);
    snprintf(folder, sizeof folder, "%s/traces", f->place);
    if (!err || err == -EEXIST)
        err = spur_beneath_mkdir(folder, 0700);
    return err == -EEXIST ? 0 : err;
}

/* Takes the file. For containers the file is completed, and read, in its old place. */
static bool take_from(struct finish_moving *m, const char *from, enum finish_in in)
{
    struct finish *f = m->f;
    if (!is_there(f, from))
        return false;
    m->in = in;
    if (f->container && !f->is_settling) {
        finish_out_use(&m->out, from);
        return true;
    }
    int err = f->container ? make_place(f) : 0;
    if (!err)
        err = spur_beneath_rename(from, m->out.path);
    if (err == -EXDEV && f->is_settling) /* from the host (SPUR_LOCAL) to the session */
        err = finish_copy(from, m->out.path);
    if (f->container) {
        finish_out_use(&m->out, m->out.path);
        m->in = FINISH_IN_SETTLED;
    }
    if (err && !f->unread)
        f->unread = finish_blame(f, err, "%s", m->out.path);
    return !f->unread;
}

/*
 * Takes the file of a settled process. The process may have moved the file already, see
 * finish_settled.h.
 */
static bool take_settled(struct finish_moving *m)
{
    char from[SPUR_FILE_PATH_BYTES];
    if (!m->p->head.world || m->f->is_settling)
        return false;
    return finish_settled_has(&m->f->adopted_evt, m->id) ||
           take_from(m, finish_settled_path(m->f, m->p, m->t->number, "evt", from),
                     FINISH_IN_SETTLED);
}

void finish_take_file(struct finish_moving *m)
{
    char from[SPUR_FILE_PATH_BYTES], name[64];
    snprintf(name, sizeof name, "traces/%u.evt", m->t->number);
    m->t->has_file =
        !m->p->is_settled && take_from(m, finish_path(m->f, m->p, name, from), FINISH_IN_FOLDER);
    if (!m->t->has_file)
        m->t->has_file = take_settled(m);
    if (!m->t->has_file) {
        snprintf(name, sizeof name, "retry/%llu.evt", (unsigned long long)m->id);
        m->t->has_file = take_from(m, finish_path(m->f, NULL, name, from), FINISH_IN_RETRY);
    }
}

int finish_take_from(struct finish_moving *m, char *source)
{
    char name[64];
    if (m->f->container) {
        snprintf(source, SPUR_FILE_PATH_BYTES, "%s", m->out.real);
        finish_out_anew(&m->out);
        return 0;
    }
    snprintf(name, sizeof name, "traces/%u.evt", m->t->number);
    return spur_beneath_rename(m->out.path, finish_path(m->f, m->p, name, source));
}

int finish_drop_aside(struct finish *f, uint64_t id)
{
    char path[SPUR_FILE_PATH_BYTES], name[64];
    if (finish_settled_has(&f->adopted_evt,
                           id)) { /* made by a process that never reached its end */
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

/* ---- gathered events of a process ---- */

/*
 * Are the gathered events unchanged since their writing, as far as a look at less than all events
 * can tell?
 */
static bool is_sound(const struct finish_moving *m)
{
    const struct finish_chunk *c = &m->chunk;
    return c->is_closed && c->first == 1 && c->events && c->last == c->events &&
           finish_whole_look(m) == FINISH_LOOK_QUICK;
}

/* A complete, unchanging file needs no copy for a container. */
static int put_gathered(struct finish_moving *m, const uint8_t *bytes, bool is_sure)
{
    struct finish_thread *t = m->t;
    if (!m->f->container)
        return spur_file_publish(m->out.path, bytes, t->gathered_bytes);
    if (!is_sure || finish_has_distances(m->f, m->p))
        return finish_out_append(&m->out, bytes, t->gathered_bytes);
    if (m->f->is_settling)
        return finish_out_tell(m->f, bytes, t->gathered_bytes, &t->evt);
    t->evt = (struct finish_source){.at = t->gathered_at,
                                    .bytes = t->gathered_bytes,
                                    .in = FINISH_IN_GATHERED};
    return 0;
}

int finish_gathered_take(struct finish_moving *m, bool *is_sure)
{
    struct finish_thread *t = m->t;
    const uint8_t *bytes =
        finish_gathered_look(m->f, m->p, &m->gathered, t->gathered_at, t->gathered_bytes);
    int err = finish_drop_aside(m->f, m->id);
    if (!err && !bytes) /* the bytes were there just before */
        err = m->f->unread ? m->f->unread : -EIO;
    *is_sure = !err && finish_chunk_scan(bytes, t->gathered_bytes, &m->chunk) && is_sound(m);
    if (!err)
        err = put_gathered(m, bytes, *is_sure);
    if (err)
        return err;
    t->has_file = true;
    if (!*is_sure)
        return 0;
    t->events = m->chunk.events;
    m->bytes = t->gathered_bytes;
    t->first = m->chunk.time_first;
    if (m->p->state != FINISH_ENDED) /* the process's end is unknown: the threads' times count */
        t->last = m->chunk.time_last;
    return 0;
}

/* ---- events in the record of a settled process ---- */

static int put_told(struct finish_moving *m, const struct finish_source *source, bool is_sure)
{
    struct finish *f = m->f;
    const char *path = m->p->told_in;
    if (f->container && is_sure && !finish_has_distances(f, m->p)) {
        m->t->evt = *source;
        return 0;
    }
    uint64_t size;
    char *bytes = spur_mem_new(source->bytes);
    int fd = bytes ? finish_try_open(f, path, &size) : -ENOMEM;
    int64_t n = fd < 0 ? fd : finish_try_read(f, path, fd, source->at, bytes, source->bytes);
    if (fd >= 0)
        spur_file_close(fd);
    int err = n < 0 ? (int)n : (uint64_t)n != source->bytes ? -EIO : finish_drop_aside(f, m->id);
    if (!err)
        err = f->container ? finish_out_append(&m->out, bytes, source->bytes)
                           : spur_file_publish(m->out.path, bytes, source->bytes);
    spur_mem_free(bytes, source->bytes);
    return err;
}

int finish_take_told(struct finish_moving *m, bool *is_sure)
{
    const uint64_t *told = finish_settled_of(m->p, m->t);
    struct finish_source source;
    int err = 0;
    if (finish_settled_kept(m->p, m->t, FINISH_TOLD_EVT, &source)) {
        bool is_quick = finish_whole_look(m) == FINISH_LOOK_QUICK && !m->p->is_damaged;
        err = put_told(m, &source, is_quick);
        m->t->has_file = !err;
        *is_sure = m->t->has_file && is_quick;
    } else {
        finish_take_file(m);
        *is_sure = m->t->has_file && finish_whole_look(m) == FINISH_LOOK_QUICK;
    }
    if (!m->t->has_file && told[FINISH_TOLD_EVENTS] > 0)
        finish_whole_note(m);
    if (*is_sure)
        m->bytes = told[FINISH_TOLD_BYTES];
    return err;
}
