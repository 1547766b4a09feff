/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "finish/events/finish_moving.h"
#include "session/wait_kinds.h"

static const char *const names[FINISH_STANDS] = {
    [FINISH_STAND_OPEN] = "spur::open",     [FINISH_STAND_WAITS] = "spur::waits",
    [FINISH_STAND_POSTED] = "spur::posted", [FINISH_STAND_SENDS] = "spur::sends",
    [FINISH_STAND_COMM] = "spur::comm",     [FINISH_STAND_PEER] = "spur::peer",
    [FINISH_STAND_TAG] = "spur::tag",
};

int finish_stands_define(struct finish *f, struct finish_process *p)
{
    uint64_t *to = spur_words_add(&p->map.of[SPUR_SPACE_PARAMETER], FINISH_STANDS);
    if (!to)
        return -ENOMEM;
    for (int i = 0; i < FINISH_STANDS; i++) {
        const struct spur_cell cells[] = {{spur_unify_string(f->unify, names[i]), NULL},
                                          {OTF2_PARAMETER_TYPE_INT64, NULL}};
        to[i] = spur_unify_define(f->unify, SPUR_DEFINITION_Parameter, cells);
    }
    return 0;
}

struct telling {
    const struct finish_moving *m;
    OTF2_EvtWriter *writer;
    uint64_t time;
    OTF2_ErrorCode error;
};

static void tell(struct telling *t, enum finish_stand what, int64_t value)
{
    const uint64_t first = t->m->p->map.of[SPUR_SPACE_PARAMETER].n - FINISH_STANDS;
    if (!t->error)
        t->error =
            OTF2_EvtWriter_ParameterInt(t->writer, NULL, t->time, (uint32_t)(first + what), value);
}

/* False: nobody knows the communicator. */
static bool tell_comm(struct telling *t, uint32_t comm)
{
    const struct spur_words *comms = &t->m->p->map.of[SPUR_SPACE_COMM];
    if (comm >= comms->n)
        return false;
    tell(t, FINISH_STAND_COMM, (int64_t)comms->at[comm]);
    return true;
}

/* The requests that a thread waits for: the one of that handle, or all that were made last. */
static void tell_posted(struct telling *t, uint64_t handle)
{
    for (uint32_t i = 0; i < SPUR_POSTED; i++) {
        const struct spur_posted *posted = &t->m->p->head.posted[i];
        if (!posted->handle || (handle && posted->handle != handle))
            continue;
        tell(t, FINISH_STAND_POSTED, (int64_t)posted->id);
        tell(t, FINISH_STAND_SENDS, posted->is_send != 0);
        if (!tell_comm(t, posted->comm))
            continue;
        tell(t, FINISH_STAND_PEER, (int32_t)posted->peer);
        tell(t, FINISH_STAND_TAG, (int32_t)posted->tag);
    }
}

OTF2_ErrorCode finish_stands(const struct finish_moving *m, OTF2_EvtWriter *writer, uint32_t open,
                             uint64_t time)
{
    const struct spur_waiting *waiting = &m->slot->waiting;
    const uint32_t kind = waiting->kind;
    struct telling t = {m, writer, time, OTF2_SUCCESS};
    if ((!open && !m->slot->is_main) || m->p->state != FINISH_DEAD)
        return OTF2_SUCCESS;
    tell(&t, FINISH_STAND_OPEN, open);
    if (kind == SPUR_WAIT_NOTHING || waiting->depth != m->slot->depth)
        return t.error;
    tell(&t, FINISH_STAND_WAITS, kind);
    if (kind == SPUR_WAIT_REQUEST || kind == SPUR_WAIT_ALL || kind == SPUR_WAIT_ANY) {
        tell_posted(&t, kind == SPUR_WAIT_REQUEST ? waiting->handle : 0);
        return t.error;
    }
    if (kind != SPUR_WAIT_LOCK && kind != SPUR_WAIT_THREAD && !tell_comm(&t, waiting->comm))
        return t.error;
    tell(&t, FINISH_STAND_PEER, (int32_t)waiting->peer);
    tell(&t, FINISH_STAND_TAG, (int32_t)waiting->tag);
    return t.error;
}
