/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about input and output: handles and what is done with them. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/mpi.h"

/* A handle as one process has it. */
struct handle {
    struct node node; /* a: process, b: handle */
    bool is_open;
    bool is_known;       /* whether it is open */
    bool has_access;     /* the mode that it was opened with is known */
    uint8_t access;      /* OTF2_IoAccessMode */
    uint64_t n_together; /* openings and collective operations begun, */
    uint64_t together;   /* and which, as a number that tells sequences apart */
    uint64_t n_locks;
};

/* What the first process with a handle says, which the others have to agree with. */
struct agreement {
    struct node node; /* a: handle */
    uint64_t n_processes;
    uint64_t n_together, together;
    bool is_broken;
};

struct io_operation {
    struct node node; /* a: process, b: handle, c: id */
    const struct location *at;
    uint64_t event, time, bytes;
    bool is_blocking, is_issued, is_flush;
};

/* What is told of an event. */
struct io_note {
    uint64_t time, id;
    uint64_t bytes; /* requested, or moved */
    uint32_t handle;
    uint32_t old;   /* which is duplicated */
    uint32_t flags; /* of an operation that begins */
    uint8_t record; /* enum otf2_evt_index */
    uint8_t mode;   /* of access, or of the operation */
    bool has_group; /* of an opening: others of a communicator take part */
    uint8_t unused;
};

/* What the processes with a handle have in common: told in the end. */
struct together_note {
    uint64_t handle, n_together, together;
};

/* How a handle was open before. */
struct state {
    struct node node; /* a: handle */
    uint8_t access;   /* OTF2_IoAccessMode */
};

struct handles {
    struct table states;
    bool has_states; /* of all definitions */
    struct table handles;
    struct table operations;
    struct table agreements;
};

void io_begin(struct check *c)
{
    c->handles = take_memory(sizeof *c->handles);
    c->handles->states.node_bytes = sizeof(struct state);
    c->handles->handles.node_bytes = sizeof(struct handle);
    c->handles->operations.node_bytes = sizeof(struct io_operation);
    c->handles->agreements.node_bytes = sizeof(struct agreement);
}

/* ---- handles ---- */

static const struct otf2_def_IoHandle *handle_def(const struct check *c, uint32_t number)
{
    return defined_as(c, OTF2_REF_IoHandle, number, OTF2_DEF_IoHandle);
}

/* The group of MPI that opens a handle together; NULL: it has none. */
static const struct otf2_def_Group *openers(const struct check *c, uint32_t number)
{
    const struct otf2_def_IoHandle *def = handle_def(c, number);
    const struct otf2_def_Comm *comm =
        def ? defined_as(c, OTF2_REF_Comm, def->comm, OTF2_DEF_Comm) : NULL;
    const struct otf2_def_Group *group =
        comm ? defined_as(c, OTF2_REF_Group, comm->group, OTF2_DEF_Group) : NULL;
    return group && group->paradigm == OTF2_PARADIGM_MPI ? group : NULL;
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

static struct handle *handle_of(struct check *c, const struct location *at, uint32_t number)
{
    struct handle *h = table_intern(&c->handles->handles, handle_key(at, number));
    if (!h->is_known) {
        const struct otf2_def_IoHandle *def = handle_def(c, number);
        h->is_known = true;
        h->is_open = def && def->ioHandleFlags & OTF2_IO_HANDLE_FLAG_PRE_CREATED;
        const struct state *state = h->is_open ? state_of(c, number) : NULL;
        h->has_access = state != NULL;
        h->access = state ? state->access : 0;
    }
    return h;
}

static struct handle *use(struct check *c, const struct location *at, struct place where,
                          uint32_t number, const char *what)
{
    struct handle *h = handle_of(c, at, number);
    if (!h->is_open && is_defined(c, OTF2_REF_IoHandle, number))
        found(c->verdict, RULE_IO_HANDLE, where, "%s of handle %" PRIu32 ", which is not open",
              what, number);
    return h;
}

/* To the process: an operation of it has one owner with the handle, and that with its duplicate. */
static void tell(struct check *c, struct location *at, enum otf2_evt_index record,
                 struct io_note note)
{
    struct key key = {.a = at->process->node.key.a};
    note.time = at->time;
    note.record = (uint8_t)record;
    TELL(c, at, IO, key, note);
}

/* What is counted, besides the modes of operations. */
enum { TOGETHER_OPENED = 1 << 8, TOGETHER_CLOSED };

static void count_together(struct handle *h, uint64_t what)
{
    h->n_together++;
    h->together = (h->together ^ what) * 0x100000001b3u; /* FNV-1a */
}

static struct handle *open_handle(struct check *c, const struct location *at, struct place where,
                                  uint32_t number)
{
    struct handle *h = handle_of(c, at, number);
    if (h->is_open)
        found(c->verdict, RULE_IO_HANDLE, where, "handle %" PRIu32 " is open already", number);
    h->is_open = true;
    return h;
}

void io_create(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoCreateHandle *create = &e->evt_IoCreateHandle;
    bool has_group = openers(c, create->handle);
    tell(c, at, OTF2_EVT_IoCreateHandle,
         (struct io_note){.handle = create->handle, .mode = create->mode, .has_group = has_group});
    if (!has_group)
        return;
    struct membership *m = membership_of(c, at, handle_def(c, create->handle)->comm);
    if (m)
        membership_use(at, m);
}

static void take_creation(struct check *c, const struct location *at, struct place where,
                          const struct io_note *note)
{
    struct handle *h = open_handle(c, at, where, note->handle);
    h->has_access = true;
    h->access = note->mode;
    if (note->has_group)
        count_together(h, TOGETHER_OPENED);
}

static void check_duplicate(struct check *c, struct place where, const struct io_note *note)
{
    const struct otf2_def_IoHandle *old = handle_def(c, note->old);
    const struct otf2_def_IoHandle *new = handle_def(c, note->handle);
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
    const struct handle *old = use(c, at, where, note->old, "IoDuplicateHandle");
    struct handle *new = open_handle(c, at, where, note->handle);
    new->has_access = old->has_access;
    new->access = old->access;
}

static void take_unlock(struct check *c, struct place where, struct handle *h)
{
    if (h->n_locks)
        h->n_locks--;
    else
        found(c->verdict, RULE_IO_LOCK, where,
              "a lock on handle %" PRIu64 " is released and not held", h->node.key.b);
}

void io_duplicate(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoDuplicateHandle *d = &e->evt_IoDuplicateHandle;
    tell(c, at, OTF2_EVT_IoDuplicateHandle,
         (struct io_note){.handle = d->newHandle, .old = d->oldHandle});
}

/* Of these only the handle counts. */
#define TELL_HANDLE(function, Name)                                                                \
    void function(struct check *c, struct location *at, event_data e)                              \
    {                                                                                              \
        tell(c, at, OTF2_EVT_##Name, (struct io_note){.handle = e->evt_##Name.handle});            \
    }
TELL_HANDLE(io_destroy, IoDestroyHandle)
TELL_HANDLE(io_change_flags, IoChangeStatusFlags)
TELL_HANDLE(io_acquire_lock, IoAcquireLock)
TELL_HANDLE(io_try_lock, IoTryLock)
TELL_HANDLE(io_release_lock, IoReleaseLock)

void io_seek(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoSeek *seek = &e->evt_IoSeek;
    bool is_known =
        seek->whence == OTF2_IO_SEEK_FROM_START && seek->offsetResult != OTF2_UNDEFINED_UINT64;
    if (is_known && (uint64_t)seek->offsetRequest != seek->offsetResult)
        found(c->verdict, RULE_IO_SEEK, event_place(at),
              "handle %" PRIu32 " is at %" PRIu64 " and was to be at %" PRId64, seek->handle,
              seek->offsetResult, seek->offsetRequest);
    tell(c, at, OTF2_EVT_IoSeek, (struct io_note){.handle = seek->handle});
}

static void take_handle(struct check *c, const struct location *at, struct place where,
                        const struct io_note *note)
{
    struct handle *h = use(c, at, where, note->handle, otf2_events[note->record].name);
    if (note->record == OTF2_EVT_IoDestroyHandle) {
        h->is_open = false;
        if (openers(c, note->handle))
            count_together(h, TOGETHER_CLOSED);
    } else if (note->record == OTF2_EVT_IoAcquireLock) {
        h->n_locks++;
    } else if (note->record == OTF2_EVT_IoReleaseLock) {
        take_unlock(c, where, h);
    }
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

void io_operation_begin(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoOperationBegin *begin = &e->evt_IoOperationBegin;
    tell(c, at, OTF2_EVT_IoOperationBegin,
         (struct io_note){.handle = begin->handle,
                          .id = begin->matchingId,
                          .bytes = begin->bytesRequest,
                          .flags = begin->operationFlags,
                          .mode = begin->mode});
}

static void take_begin(struct check *c, const struct engine_note *n, struct place where,
                       const struct io_note *begin)
{
    const struct location *at = note_location(c, n);
    struct key key = operation_key(at, begin->handle, begin->id);
    struct handle *h = use(c, at, where, begin->handle, "IoOperationBegin");
    if (h->has_access && !is_allowed(h->access, begin->mode))
        found(c->verdict, RULE_IO_ACCESS, where, "handle %" PRIu32 " is open for %s only",
              begin->handle, begin->mode == OTF2_IO_OPERATION_MODE_READ ? "writing" : "reading");
    if (begin->flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE)
        count_together(h, begin->mode);
    if (table_find(&c->handles->operations, key))
        found(c->verdict, RULE_IO_OPERATION, where,
              "operation %" PRIu64 " of handle %" PRIu32 " is begun and under way", begin->id,
              begin->handle);
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
#define TELL_OPERATION(function, Name, moved)                                                      \
    void function(struct check *c, struct location *at, event_data e)                              \
    {                                                                                              \
        const struct otf2_evt_##Name *o = &e->evt_##Name;                                          \
        tell(c, at, OTF2_EVT_##Name,                                                               \
             (struct io_note){.handle = o->handle, .id = o->matchingId, .bytes = (moved)});        \
    }
TELL_OPERATION(io_operation_test, IoOperationTest, 0)
TELL_OPERATION(io_operation_issued, IoOperationIssued, 0)
TELL_OPERATION(io_operation_complete, IoOperationComplete, o->bytesResult)
TELL_OPERATION(io_operation_cancelled, IoOperationCancelled, 0)

static void not_in_background(struct check *c, struct place where, const struct io_operation *o,
                              const char *what)
{
    if (o->is_blocking)
        found(c->verdict, RULE_IO_ISSUED, where,
              "%s of operation %" PRIu64 " of handle %" PRIu64 ", which blocks", what,
              o->node.key.c, o->node.key.b);
}

static void take_issue(struct check *c, struct place where, struct io_operation *o,
                       const struct io_note *note)
{
    if (o->is_issued)
        found(c->verdict, RULE_IO_ISSUED, where,
              "operation %" PRIu64 " of handle %" PRIu32 " is issued twice", note->id,
              note->handle);
    o->is_issued = true;
}

static void take_completion(struct check *c, struct place where, struct io_operation *o,
                            const struct io_note *done)
{
    if (done->bytes && done->bytes != OTF2_UNDEFINED_UINT64 && o->is_flush)
        found(c->verdict, RULE_IO_BYTES, where, "a flush has moved %" PRIu64 " bytes", done->bytes);
    else if (done->bytes > o->bytes && done->bytes != OTF2_UNDEFINED_UINT64)
        found(c->verdict, RULE_IO_BYTES, where,
              "%" PRIu64 " bytes were moved, %" PRIu64 " requested", done->bytes, o->bytes);
    if (!o->is_blocking && !o->is_issued)
        found(c->verdict, RULE_IO_ISSUED, where,
              "operation %" PRIu64 " of handle %" PRIu32 " is complete and was not issued",
              done->id, done->handle);
    table_remove(&c->handles->operations, o);
}

static void take_operation_event(struct check *c, const struct location *at, struct place where,
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
    if (note->record == OTF2_EVT_IoOperationTest || note->record == OTF2_EVT_IoOperationIssued)
        not_in_background(c, where, o, what);
    if (note->record == OTF2_EVT_IoOperationIssued)
        take_issue(c, where, o, note);
    else if (note->record == OTF2_EVT_IoOperationComplete)
        take_completion(c, where, o, note);
    else if (note->record == OTF2_EVT_IoOperationCancelled)
        table_remove(&c->handles->operations, o);
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

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct io_operation *o = node;
    found(c->verdict, RULE_IO_OPEN, place_at(o->at->id, o->event, o->time),
          "operation %" PRIu64 " of handle %" PRIu64 " is never complete", o->node.key.c,
          o->node.key.b);
}

/* What a process has begun together with others of the handle's communicator. */
static void tell_together(void *node, void *context)
{
    struct check *c = context;
    const struct handle *h = node;
    const struct otf2_def_Group *group = openers(c, (uint32_t)h->node.key.b);
    if (!group || group->groupType == OTF2_GROUP_TYPE_COMM_SELF || !h->n_together)
        return;
    struct together_note note = {h->node.key.b, h->n_together, h->together};
    if (is_alone(c))
        take_io_together(c, NULL, &note);
    else
        tell_at_end(c, 0, 0, NOTE_IO_TOGETHER, owner_of(c, (struct key){.a = note.handle}), &note,
                    sizeof note);
}

void io_tell_agreements(struct check *c)
{
    table_each(&c->handles->handles, tell_together, c);
}

/* One process after the other. */
void take_io_together(struct check *c, const struct engine_note *n, const void *data)
{
    const struct together_note *note = data;
    struct agreement *a = table_intern(&c->handles->agreements, (struct key){.a = note->handle});
    (void)n;
    if (a->n_processes++ == 0) {
        a->n_together = note->n_together;
        a->together = note->together;
    }
    a->is_broken |= a->n_together != note->n_together || a->together != note->together;
}

static void report_agreement(void *node, void *context)
{
    struct check *c = context;
    const struct agreement *a = node;
    const struct otf2_def_Group *group = openers(c, (uint32_t)a->node.key.a);
    if (a->is_broken)
        found(c->verdict, RULE_IO_COLLECTIVE, (struct place){0},
              "the processes with handle %" PRIu64 " begin different collective operations",
              a->node.key.a);
    else if (group->numberOfMembers && a->n_processes < group->numberOfMembers)
        found(c->verdict, RULE_IO_COLLECTIVE, (struct place){0},
              "%" PRIu64 " of the %" PRIu32 " members of its communicator open handle %" PRIu64,
              a->n_processes, group->numberOfMembers, a->node.key.a);
}

void io_finish(struct check *c)
{
    if (!c->allows_unfinished && !c->is_cut && !c->has_gaps) {
        each_in_phase(c, PHASE_IO_OPEN, &c->handles->operations, report_open);
        each_in_phase(c, PHASE_IO_AGREED, &c->handles->agreements, report_agreement);
    }
    table_fini(&c->handles->states);
    table_fini(&c->handles->handles);
    table_fini(&c->handles->operations);
    table_fini(&c->handles->agreements);
    free(c->handles);
}
