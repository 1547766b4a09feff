/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about operations on handles: their bytes, their ends. A location knows by itself which of
 * its operations block; all else is known to the process.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/io/check_io.h"

struct io_operation {
    struct node node; /* a: process, b: handle, c: id */
    const struct location *at;
    uint64_t event, time, bytes;
    bool is_blocking, is_issued, is_flush;
};

void io_operations_begin(struct check *c)
{
    c->handles->operations.node_bytes = sizeof(struct io_operation);
}

/* ---- operations ---- */

static struct key operation_key(const struct location *at, uint32_t handle, uint64_t id)
{
    return (struct key){at->process->node.key.a, handle, id};
}

static bool is_allowed(uint8_t access, uint8_t mode)
{
    if (mode == OTF2_IO_OPERATION_MODE_READ)
        return access == OTF2_IO_ACCESS_MODE_READ_ONLY || access == OTF2_IO_ACCESS_MODE_READ_WRITE;
    if (mode == OTF2_IO_OPERATION_MODE_WRITE)
        return access == OTF2_IO_ACCESS_MODE_WRITE_ONLY || access == OTF2_IO_ACCESS_MODE_READ_WRITE;
    return true;
}

/* ---- of a location: what blocks ends in its call ---- */

static void note_blocking(struct location *at, const struct otf2_evt_IoOperationBegin *begin)
{
    at->blocking =
        list_grow(at->blocking, &at->blocking_room, at->n_blocking + 1, sizeof *at->blocking);
    at->blocking[at->n_blocking++] = (struct blocking){at->depth, begin->matchingId, begin->handle};
}

static void note_end(struct location *at, uint32_t handle, uint64_t id)
{
    for (size_t i = at->n_blocking; i-- > 0;)
        if (at->blocking[i].handle == handle && at->blocking[i].id == id) {
            at->n_blocking--;
            memmove(at->blocking + i, at->blocking + i + 1,
                    (at->n_blocking - i) * sizeof *at->blocking);
            return;
        }
}

void io_call_is_over(struct check *c, struct location *at)
{
    while (at->n_blocking && at->blocking[at->n_blocking - 1].depth >= at->depth) {
        const struct blocking *b = &at->blocking[--at->n_blocking];
        if (!c->declares_pauses)
            found(c->verdict, RULE_IO_INSIDE, event_place(at),
                  "operation %" PRIu64 " of handle %" PRIu32 " blocks, and its call ends before it",
                  b->id, b->handle);
    }
}

void io_operation_begin(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoOperationBegin *begin = &e->evt_IoOperationBegin;
    if (!(begin->operationFlags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) && at->depth)
        note_blocking(at, begin);
    io_tell(c, at, OTF2_EVT_IoOperationBegin,
            (struct io_note){.handle = begin->handle,
                             .id = begin->matchingId,
                             .bytes = begin->bytesRequest,
                             .flags = begin->operationFlags,
                             .mode = begin->mode});
}

/* ---- of a process ---- */

static void check_begin(struct check *c, struct place where, const struct handle *h,
                        const struct io_note *begin)
{
    if (h->has_access && !is_allowed(h->access, begin->mode))
        found(c->verdict, RULE_IO_ACCESS, where, "handle %" PRIu32 " is open for %s only",
              begin->handle, begin->mode == OTF2_IO_OPERATION_MODE_READ ? "writing" : "reading");
    if (begin->mode != OTF2_IO_OPERATION_MODE_FLUSH)
        io_not_of_proxy(c, where, h, "a transfer");
    else if (begin->bytes && begin->bytes != OTF2_UNDEFINED_UINT64)
        found(c->verdict, RULE_IO_BYTES, where, "a flush asks for %" PRIu64 " bytes", begin->bytes);
}

void take_begin(struct check *c, const struct engine_note *n, struct place where,
                const struct io_note *begin)
{
    const struct location *at = note_location(c, n);
    struct key key = operation_key(at, begin->handle, begin->id);
    struct handle *h = io_use(c, at, where, begin->handle, "IoOperationBegin");
    check_begin(c, where, h, begin);
    if (begin->flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE)
        io_count_together(h, begin->mode);
    if (table_find(&c->handles->operations, key))
        found(c->verdict, RULE_IO_OPERATION, where,
              "operation %" PRIu64 " of handle %" PRIu32 " is begun and under way", begin->id,
              begin->handle);
    else
        h->n_under_way++;
    struct io_operation *o = table_intern(&c->handles->operations, key);
    o->at = at;
    o->event = where.event;
    o->time = where.time;
    o->bytes = begin->bytes;
    o->is_blocking = !(begin->flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
    o->is_issued = false;
    o->is_flush = begin->mode == OTF2_IO_OPERATION_MODE_FLUSH;
}

/* Of these the handle and the id, and the bytes that were moved. */
#define TELL_OPERATION(function, Name, is_end, moved)                                              \
    void function(struct check *c, struct location *at, event_data e)                              \
    {                                                                                              \
        const struct otf2_evt_##Name *o = &e->evt_##Name;                                          \
        if ((is_end) && at->n_blocking)                                                            \
            note_end(at, o->handle, o->matchingId);                                                \
        io_tell(c, at, OTF2_EVT_##Name,                                                            \
                (struct io_note){.handle = o->handle, .id = o->matchingId, .bytes = (moved)});     \
    }
TELL_OPERATION(io_operation_test, IoOperationTest, false, 0)
TELL_OPERATION(io_operation_issued, IoOperationIssued, false, 0)
TELL_OPERATION(io_operation_complete, IoOperationComplete, true, o->bytesResult)
TELL_OPERATION(io_operation_cancelled, IoOperationCancelled, true, 0)

static void not_in_background(struct check *c, struct place where, const struct io_operation *o,
                              const char *what)
{
    if (o->is_blocking)
        found(c->verdict, RULE_IO_ISSUED, where,
              "%s of operation %" PRIu64 " of handle %" PRIu64 ", which blocks", what,
              o->node.key.c, o->node.key.b);
}

static void check_issue(struct check *c, struct place where, const struct io_operation *o,
                        const struct io_note *note)
{
    const bool is_issue = note->record == OTF2_EVT_IoOperationIssued;
    if (is_issue && o->is_issued)
        found(c->verdict, RULE_IO_ISSUED, where,
              "operation %" PRIu64 " of handle %" PRIu32 " is issued twice", note->id,
              note->handle);
    else if (!is_issue && !o->is_blocking && !o->is_issued)
        found(c->verdict, RULE_IO_ISSUED, where,
              "%s of operation %" PRIu64 " of handle %" PRIu32 ", which was not issued",
              otf2_events[note->record].name, note->id, note->handle);
}

static void check_bytes(struct check *c, struct place where, const struct io_operation *o,
                        const struct io_note *done)
{
    if (done->bytes == OTF2_UNDEFINED_UINT64)
        return;
    if (done->bytes && o->is_flush)
        found(c->verdict, RULE_IO_BYTES, where, "a flush has moved %" PRIu64 " bytes", done->bytes);
    else if (done->bytes > o->bytes)
        found(c->verdict, RULE_IO_BYTES, where,
              "%" PRIu64 " bytes were moved, %" PRIu64 " requested", done->bytes, o->bytes);
}

static void take_end(struct check *c, const struct location *at, struct io_operation *o,
                     const struct io_note *note)
{
    struct handle *h = io_handle_of(c, at, note->handle);
    h->n_under_way -= h->n_under_way > 0;
    table_remove(&c->handles->operations, o);
}

void take_operation_event(struct check *c, const struct location *at, struct place where,
                          const struct io_note *note)
{
    const char *what = otf2_events[note->record].name;
    struct io_operation *o =
        table_find(&c->handles->operations, operation_key(at, note->handle, note->id));
    if (!o) {
        found(c->verdict, RULE_IO_OPERATION, where,
              "%s of operation %" PRIu64 " of handle %" PRIu32 ", which was not begun", what,
              note->id, note->handle);
        return;
    }
    if (o->is_blocking && o->at != at)
        found(c->verdict, RULE_IO_BLOCKING, where,
              "%s of operation %" PRIu64 " of handle %" PRIu32
              ", which blocks and was begun by location %" PRIu64,
              what, note->id, note->handle, o->at->id);
    const bool is_complete = note->record == OTF2_EVT_IoOperationComplete;
    if (!is_complete)
        not_in_background(c, where, o, what);
    check_issue(c, where, o, note);
    o->is_issued |= note->record == OTF2_EVT_IoOperationIssued;
    if (is_complete)
        check_bytes(c, where, o, note);
    if (is_complete || note->record == OTF2_EVT_IoOperationCancelled)
        take_end(c, at, o, note);
}

/* ---- the end ---- */

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct io_operation *o = node;
    found(c->verdict, RULE_IO_OPEN, place_at(o->at->id, o->event, o->time),
          "operation %" PRIu64 " of handle %" PRIu64 " is never complete", o->node.key.c,
          o->node.key.b);
}

void io_operations_finish(struct check *c, bool is_complete)
{
    if (is_complete)
        each_in_phase(c, PHASE_IO_OPEN, &c->handles->operations, report_open);
    table_fini(&c->handles->operations);
}
