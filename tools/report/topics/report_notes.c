/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_notes.h"

#include "tools/report/topics/report.h"
#include "tools/report/topics/report_instances.h"
#include "tools/report/topics/report_matching.h"

struct engine_note notes_new(const struct report *r, struct stream *s, enum note_kind kind)
{
    const struct notes *n = &r->notes;
    return (struct engine_note){
        .time = n->is_at_end ? UINT64_MAX : s->last,
        .sequence = s->n_notes++,
        .location = n->is_at_end ? s->location : n->order[s->location],
        .kind = (uint16_t)kind,
        .stage = kind >= NOTE_TEAM ? 2 : 1,
    };
}

static void tell(const struct report *r, unsigned worker, struct engine_note *note,
                 const void *data, size_t bytes)
{
    note->words = (uint8_t)(bytes / sizeof(uint64_t));
    engine_queue(r->notes.engine, (int)worker, note, data);
}

void notes_tell_process(const struct report *r, uint32_t process, struct engine_note note,
                        const void *data, size_t bytes)
{
    tell(r, r->notes.worker_of[process], &note, data, bytes);
}

void notes_tell_location(const struct report *r, uint32_t location, struct engine_note note,
                         const void *data, size_t bytes)
{
    tell(r, r->notes.location_of[location], &note, data, bytes);
}

void notes_tell_comm(const struct report *r, uint64_t comm, struct engine_note note,
                     const void *data, size_t bytes)
{
    tell(r, engine_owner(r->notes.engine, comm, 0, 0), &note, data, bytes);
}

void notes_tell_lock(const struct report *r, uint32_t process, uint64_t lock,
                     struct engine_note note, const void *data, size_t bytes)
{
    tell(r, engine_owner(r->notes.engine, lock, process, 1), &note, data, bytes);
}

/* What ends only since the archive does has not ended. */
void notes_tell_device(struct report *r, struct stream *s, struct device_event event)
{
    event.time = s->last;
    event.location = s->location;
    event.device = s->watch.device;
    event.owner = defs_owner(&r->defs, s->location);
    if (r->notes.is_at_end)
        return;
    if (notes_are_whole(&r->notes, event.owner))
        devices_take(&r->devices, &event);
    else
        notes_tell_process(r, event.owner, notes_new(r, s, NOTE_DEVICE), &event, sizeof event);
}

void notes_take(struct report *r, const struct engine_note *note, const void *data)
{
    switch ((enum note_kind)note->kind) {
    case NOTE_SEND:
        matching_take_send(r, note, data);
        break;
    case NOTE_RETURNED:
        matching_take_return(r, note, data);
        break;
    case NOTE_RECEIVE:
        matching_take_receive(r, note, data);
        break;
    case NOTE_ARRIVAL:
        instances_take(r, note, data);
        break;
    case NOTE_WAIT:
        matching_take_wait(r, data);
        break;
    case NOTE_LOCK:
        locks_take(r, note, data);
        break;
    case NOTE_LOCK_WAIT:
        locks_take_wait(r, data);
        break;
    case NOTE_TEAM:
        teams_take(r, data);
        break;
    case NOTE_FILE:
        files_take(r, data);
        break;
    case NOTE_DEVICE:
        devices_take(&r->devices, data);
        break;
    }
}
