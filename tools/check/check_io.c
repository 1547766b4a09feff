/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about input and output: handles and what is done with them. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/check.h"

/* A handle as one process has it. */
struct handle {
    struct node node; /* a: process, b: handle */
    bool is_open;
    bool is_known; /* whether it is open */
    uint64_t n_locks;
};

struct io_operation {
    struct node node; /* a: process, b: handle, c: id */
    const struct location *at;
    uint64_t event, time, bytes;
};

struct handles {
    struct map handles;
    struct map operations;
};

void io_begin(struct check *c)
{
    c->handles = take(sizeof *c->handles);
    c->handles->handles.node_bytes = sizeof(struct handle);
    c->handles->operations.node_bytes = sizeof(struct io_operation);
}

/* ---- handles ---- */

static struct handle *handle_of(struct check *c, struct location *at, uint32_t number)
{
    struct handle *h =
        map_intern(&c->handles->handles, (struct key){at->process->node.key.a, number, 0});
    if (!h->is_known) {
        const struct otf2_def_IoHandle *def =
            defined_as(c, OTF2_REF_IoHandle, number, OTF2_DEF_IoHandle);
        h->is_known = true;
        h->is_open = def && def->ioHandleFlags & OTF2_IO_HANDLE_FLAG_PRE_CREATED;
    }
    return h;
}

static struct handle *use(struct check *c, struct location *at, uint32_t number, const char *what)
{
    struct handle *h = handle_of(c, at, number);
    if (!h->is_open && is_defined(c, OTF2_REF_IoHandle, number))
        found(c->verdict, RULE_IO_HANDLE, event_place(at),
              "%s of handle %" PRIu32 ", which is not open", what, number);
    return h;
}

static void open_handle(struct check *c, struct location *at, uint32_t number)
{
    struct handle *h = handle_of(c, at, number);
    if (h->is_open)
        found(c->verdict, RULE_IO_HANDLE, event_place(at), "handle %" PRIu32 " is open already",
              number);
    h->is_open = true;
}

void io_create(struct check *c, struct location *at, event_data e)
{
    open_handle(c, at, e->evt_IoCreateHandle.handle);
}

void io_destroy(struct check *c, struct location *at, event_data e)
{
    use(c, at, e->evt_IoDestroyHandle.handle, "IoDestroyHandle")->is_open = false;
}

void io_duplicate(struct check *c, struct location *at, event_data e)
{
    (void)use(c, at, e->evt_IoDuplicateHandle.oldHandle, "IoDuplicateHandle");
    open_handle(c, at, e->evt_IoDuplicateHandle.newHandle);
}

void io_seek(struct check *c, struct location *at, event_data e)
{
    (void)use(c, at, e->evt_IoSeek.handle, "IoSeek");
}

void io_change_flags(struct check *c, struct location *at, event_data e)
{
    (void)use(c, at, e->evt_IoChangeStatusFlags.handle, "IoChangeStatusFlags");
}

/* ---- locks ---- */

void io_acquire_lock(struct check *c, struct location *at, event_data e)
{
    use(c, at, e->evt_IoAcquireLock.handle, "IoAcquireLock")->n_locks++;
}

void io_try_lock(struct check *c, struct location *at, event_data e)
{
    (void)use(c, at, e->evt_IoTryLock.handle, "IoTryLock");
}

void io_release_lock(struct check *c, struct location *at, event_data e)
{
    struct handle *h = use(c, at, e->evt_IoReleaseLock.handle, "IoReleaseLock");
    if (h->n_locks)
        h->n_locks--;
    else
        found(c->verdict, RULE_IO_LOCK, event_place(at),
              "a lock on handle %" PRIu64 " is released and not held", h->node.key.b);
}

/* ---- operations ---- */

static struct key operation_key(const struct location *at, uint32_t handle, uint64_t id)
{
    return (struct key){at->process->node.key.a, handle, id};
}

void io_operation_begin(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoOperationBegin *begin = &e->evt_IoOperationBegin;
    struct key key = operation_key(at, begin->handle, begin->matchingId);
    (void)use(c, at, begin->handle, "IoOperationBegin");
    if (map_find(&c->handles->operations, key))
        found(c->verdict, RULE_IO_OPERATION, event_place(at),
              "operation %" PRIu64 " of handle %" PRIu32 " is begun and under way",
              begin->matchingId, begin->handle);
    struct io_operation *o = map_intern(&c->handles->operations, key);
    o->at = at;
    o->event = at->file.count - 1;
    o->time = at->time;
    o->bytes = begin->bytesRequest;
}

static struct io_operation *find(struct check *c, struct location *at, uint32_t handle, uint64_t id,
                                 const char *what)
{
    struct io_operation *o = map_find(&c->handles->operations, operation_key(at, handle, id));
    if (!o)
        found(c->verdict, RULE_IO_OPERATION, event_place(at),
              "%s of operation %" PRIu64 " of handle %" PRIu32 ", which was not begun", what, id,
              handle);
    return o;
}

void io_operation_test(struct check *c, struct location *at, event_data e)
{
    (void)find(c, at, e->evt_IoOperationTest.handle, e->evt_IoOperationTest.matchingId,
               "IoOperationTest");
}

void io_operation_issued(struct check *c, struct location *at, event_data e)
{
    (void)find(c, at, e->evt_IoOperationIssued.handle, e->evt_IoOperationIssued.matchingId,
               "IoOperationIssued");
}

void io_operation_complete(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoOperationComplete *done = &e->evt_IoOperationComplete;
    struct io_operation *o = find(c, at, done->handle, done->matchingId, "IoOperationComplete");
    if (!o)
        return;
    if (done->bytesResult > o->bytes && done->bytesResult != OTF2_UNDEFINED_UINT64)
        found(c->verdict, RULE_IO_BYTES, event_place(at),
              "%" PRIu64 " bytes were moved, %" PRIu64 " requested", done->bytesResult, o->bytes);
    map_remove(&c->handles->operations, o);
}

void io_operation_cancelled(struct check *c, struct location *at, event_data e)
{
    struct io_operation *o = find(c, at, e->evt_IoOperationCancelled.handle,
                                  e->evt_IoOperationCancelled.matchingId, "IoOperationCancelled");
    if (o)
        map_remove(&c->handles->operations, o);
}

/* ---- the end ---- */

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct io_operation *o = node;
    found(c->verdict, RULE_IO_OPEN,
          (struct place){.location = o->at->id,
                         .has_location = true,
                         .has_event = true,
                         .event = o->event,
                         .time = o->time},
          "operation %" PRIu64 " of handle %" PRIu64 " is never complete", o->node.key.c,
          o->node.key.b);
}

void io_finish(struct check *c)
{
    if (!c->allows_unfinished && !c->is_cut)
        map_each(&c->handles->operations, report_open, c);
    map_fini(&c->handles->handles);
    map_fini(&c->handles->operations);
    free(c->handles);
}
