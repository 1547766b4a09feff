/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about input and output: handles and what is done with them. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/io/check_io.h"

void io_begin(struct check *c)
{
    c->handles = take_memory(sizeof *c->handles);
    c->handles->states.node_bytes = sizeof(struct state);
    c->handles->handles.node_bytes = sizeof(struct handle);
    io_operations_begin(c);
    io_together_begin(c);
}

/* ---- handles ---- */

const struct otf2_def_IoHandle *io_handle_def(const struct check *c, uint32_t number)
{
    return defined_as(c, OTF2_REF_IoHandle, number, OTF2_DEF_IoHandle);
}

static struct key handle_key(const struct location *at, uint32_t number)
{
    return (struct key){at->process->node.key.a, number, 0};
}

static const struct state *state_of(struct check *c, uint32_t number)
{
    struct table *states = &c->handles->states;
    if (!c->handles->has_states)
        each_definition(c, d, IoPreCreatedHandleState)
        {
            const struct otf2_def_IoPreCreatedHandleState *def = d->data;
            struct state *state = table_intern(states, (struct key){.a = def->ioHandle});
            state->access = def->mode;
        }
    c->handles->has_states = true;
    return table_find(states, (struct key){.a = number});
}

struct handle *io_handle_of(struct check *c, const struct location *at, uint32_t number)
{
    struct handle *h = table_intern(&c->handles->handles, handle_key(at, number));
    if (!h->is_known) {
        const struct otf2_def_IoHandle *def = io_handle_def(c, number);
        h->is_known = true;
        const uint32_t flags = def ? def->ioHandleFlags : 0;
        h->is_proxy = flags & OTF2_IO_HANDLE_FLAG_ALL_PROXY;
        h->is_open = flags & OTF2_IO_HANDLE_FLAG_PRE_CREATED || h->is_proxy;
        const struct state *state = h->is_open && !h->is_proxy ? state_of(c, number) : NULL;
        h->has_access = state != NULL;
        h->access = state ? state->access : 0;
    }
    return h;
}

struct handle *io_use(struct check *c, const struct location *at, struct place where,
                      uint32_t number, const char *what)
{
    struct handle *h = io_handle_of(c, at, number);
    if (!h->is_open && is_defined(c, OTF2_REF_IoHandle, number))
        found(c->verdict, RULE_IO_HANDLE, where, "%s of handle %" PRIu32 ", which is not open",
              what, number);
    return h;
}

void io_tell(struct check *c, struct location *at, enum otf2_evt_index record, struct io_note note)
{
    struct key key = {.a = at->process->node.key.a};
    note.time = at->time;
    note.record = (uint8_t)record;
    TELL(c, at, IO, key, note);
}

void io_not_of_proxy(struct check *c, struct place where, const struct handle *h, const char *what)
{
    if (h->is_proxy)
        found(c->verdict, RULE_IO_PROXY, where,
              "%s of handle %" PRIu64 ", which stands for all handles of its interface", what,
              h->node.key.b);
}

/* What is counted, besides the modes of operations. */
enum { TOGETHER_OPENED = 1 << 8, TOGETHER_CLOSED };

void io_count_together(struct handle *h, uint64_t what)
{
    h->n_together++;
    h->together = (h->together ^ what) * 0x100000001b3u; /* FNV-1a */
}

static struct handle *open_handle(struct check *c, const struct location *at, struct place where,
                                  uint32_t number, const char *what)
{
    struct handle *h = io_handle_of(c, at, number);
    io_not_of_proxy(c, where, h, what);
    if (h->is_open && !h->is_proxy)
        found(c->verdict, RULE_IO_HANDLE, where, "handle %" PRIu32 " is open already", number);
    h->is_open = true;
    return h;
}

void io_create(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoCreateHandle *create = &e->evt_IoCreateHandle;
    bool has_group = io_openers(c, create->handle);
    io_tell(c, at, OTF2_EVT_IoCreateHandle,
            (struct io_note){.handle = create->handle,
                             .mode = create->mode,
                             .has_group = has_group});
    if (!has_group)
        return;
    struct membership *m = membership_of(c, at, io_handle_def(c, create->handle)->comm);
    if (m)
        membership_use(at, m);
}

static void take_creation(struct check *c, const struct location *at, struct place where,
                          const struct io_note *note)
{
    struct handle *h = open_handle(c, at, where, note->handle, "IoCreateHandle");
    h->has_access = true;
    h->access = note->mode;
    if (note->has_group)
        io_count_together(h, TOGETHER_OPENED);
}

static void check_duplicate(struct check *c, struct place where, const struct io_note *note)
{
    const struct otf2_def_IoHandle *old = io_handle_def(c, note->old);
    const struct otf2_def_IoHandle *new = io_handle_def(c, note->handle);
    if (!old || !new)
        return;
    if (old->ioParadigm != new->ioParadigm)
        found(c->verdict, RULE_IO_DUPLICATE, where,
              "handle %" PRIu32 " is of another interface than handle %" PRIu32
              ", which it duplicates",
              note->handle, note->old);
    else if ((old->file == OTF2_UNDEFINED_IO_FILE) != (new->file == OTF2_UNDEFINED_IO_FILE))
        found(c->verdict, RULE_IO_DUPLICATE, where,
              "one of handle %" PRIu32 " and its duplicate %" PRIu32 " has a file, the other not",
              note->old, note->handle);
}

static void take_duplicate(struct check *c, const struct location *at, struct place where,
                           const struct io_note *note)
{
    check_duplicate(c, where, note);
    const struct handle *old = io_use(c, at, where, note->old, "IoDuplicateHandle");
    struct handle *new = open_handle(c, at, where, note->handle, "IoDuplicateHandle");
    io_not_of_proxy(c, where, old, "IoDuplicateHandle");
    new->has_access = old->has_access;
    new->access = old->access;
}

static void note_lock(struct handle *h, uint8_t type)
{
    h->n_locks++;
    h->n_shared += type == OTF2_LOCK_SHARED;
}

static void take_unlock(struct check *c, struct place where, struct handle *h, uint8_t type)
{
    const bool is_shared = type == OTF2_LOCK_SHARED;
    if (!h->n_locks) {
        found(c->verdict, RULE_IO_LOCK, where,
              "a lock on handle %" PRIu64 " is released and not held", h->node.key.b);
        return;
    }
    const bool is_held = is_shared ? h->n_shared : h->n_locks > h->n_shared;
    if (!is_held)
        found(c->verdict, RULE_IO_LOCK_TYPE, where,
              "%s lock on handle %" PRIu64 " is released, and %s one is held",
              is_shared ? "a shared" : "an exclusive", h->node.key.b,
              is_shared ? "an exclusive" : "a shared");
    h->n_locks--;
    h->n_shared -= is_shared == is_held;
}

void io_duplicate(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoDuplicateHandle *d = &e->evt_IoDuplicateHandle;
    io_tell(c, at, OTF2_EVT_IoDuplicateHandle,
            (struct io_note){.handle = d->newHandle, .old = d->oldHandle});
}

/* Of these the handle counts, and the type of a lock. */
#define TELL_HANDLE(function, Name, type)                                                          \
    void function(struct check *c, struct location *at, event_data e)                              \
    {                                                                                              \
        const struct otf2_evt_##Name *r = &e->evt_##Name;                                          \
        io_tell(c, at, OTF2_EVT_##Name, (struct io_note){.handle = r->handle, .mode = (type)});    \
    }
TELL_HANDLE(io_destroy, IoDestroyHandle, 0)
TELL_HANDLE(io_change_flags, IoChangeStatusFlags, 0)
TELL_HANDLE(io_acquire_lock, IoAcquireLock, r->lockType)
TELL_HANDLE(io_try_lock, IoTryLock, r->lockType)
TELL_HANDLE(io_release_lock, IoReleaseLock, r->lockType)

static bool leads_elsewhere(const struct otf2_evt_IoSeek *seek)
{
    const uint64_t asked = (uint64_t)seek->offsetRequest;
    switch (seek->whence) {
    case OTF2_IO_SEEK_FROM_START:
        return asked != seek->offsetResult;
    case OTF2_IO_SEEK_DATA:
    case OTF2_IO_SEEK_HOLE:
        return asked > seek->offsetResult;
    default:
        return false;
    }
}

void io_seek(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoSeek *seek = &e->evt_IoSeek;
    if (seek->offsetResult != OTF2_UNDEFINED_UINT64 && leads_elsewhere(seek))
        found(c->verdict, RULE_IO_SEEK, event_place(at),
              "handle %" PRIu32 " is at %" PRIu64 " and was to be at %" PRId64, seek->handle,
              seek->offsetResult, seek->offsetRequest);
    io_tell(c, at, OTF2_EVT_IoSeek, (struct io_note){.handle = seek->handle});
}

/* What is under way ends elsewhere; locks end with the handle, and nobody says so. */
static void take_destruction(struct check *c, struct place where, struct handle *h)
{
    if (h->is_open && h->n_under_way)
        found(c->verdict, RULE_IO_UNDER_WAY, where,
              "handle %" PRIu64 " is closed, and %" PRIu64 " operations are under way",
              h->node.key.b, h->n_under_way);
    h->is_open = h->is_proxy;
    h->n_locks = h->n_shared = 0;
    if (io_openers(c, (uint32_t)h->node.key.b))
        io_count_together(h, TOGETHER_CLOSED);
}

static void take_handle(struct check *c, const struct location *at, struct place where,
                        const struct io_note *note)
{
    const char *what = otf2_events[note->record].name;
    struct handle *h = io_use(c, at, where, note->handle, what);
    io_not_of_proxy(c, where, h, what);
    if (note->record == OTF2_EVT_IoDestroyHandle)
        take_destruction(c, where, h);
    else if (note->record == OTF2_EVT_IoAcquireLock)
        note_lock(h, note->mode);
    else if (note->record == OTF2_EVT_IoReleaseLock)
        take_unlock(c, where, h, note->mode);
}

void take_io(struct check *c, const struct engine_note *n, const void *data)
{
    const struct io_note *note = data;
    const struct location *at = note_location(c, n);
    struct place where = note_place(c, n, data);
    switch ((int)note->record) {
    case OTF2_EVT_IoCreateHandle:
        take_creation(c, at, where, note);
        break;
    case OTF2_EVT_IoDuplicateHandle:
        take_duplicate(c, at, where, note);
        break;
    case OTF2_EVT_IoOperationBegin:
        take_begin(c, n, where, note);
        break;
    case OTF2_EVT_IoOperationTest:
    case OTF2_EVT_IoOperationIssued:
    case OTF2_EVT_IoOperationComplete:
    case OTF2_EVT_IoOperationCancelled:
        take_operation_event(c, at, where, note);
        break;
    default:
        take_handle(c, at, where, note);
    }
}

/* ---- the end ---- */

void io_finish(struct check *c)
{
    bool is_complete = !c->allows_unfinished && !c->is_cut && !c->has_gaps;
    io_operations_finish(c, is_complete);
    io_together_finish(c, is_complete);
    table_fini(&c->handles->states);
    table_fini(&c->handles->handles);
    free(c->handles);
}
