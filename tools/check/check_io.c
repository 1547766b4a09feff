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
    bool is_blocking, is_issued;
};

struct handles {
    struct map handles;
    struct map operations;
    struct map agreements;
};

void io_begin(struct check *c)
{
    c->handles = take_memory(sizeof *c->handles);
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

static struct handle *handle_of(struct check *c, struct location *at, uint32_t number)
{
    struct handle *h =
        map_intern(&c->handles->handles, (struct key){at->process->node.key.a, number, 0});
    if (!h->is_known) {
        const struct otf2_def_IoHandle *def = handle_def(c, number);
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

static void count_together(struct handle *h, uint64_t what)
{
    h->n_together++;
    h->together = (h->together ^ what) * 0x100000001b3u; /* FNV-1a */
}

static struct handle *open_handle(struct check *c, struct location *at, uint32_t number)
{
    struct handle *h = handle_of(c, at, number);
    if (h->is_open)
        found(c->verdict, RULE_IO_HANDLE, event_place(at), "handle %" PRIu32 " is open already",
              number);
    h->is_open = true;
    return h;
}

void io_create(struct check *c, struct location *at, event_data e)
{
    enum { OPENED = 1 << 8 }; /* no mode of an operation */
    const struct otf2_evt_IoCreateHandle *create = &e->evt_IoCreateHandle;
    struct handle *h = open_handle(c, at, create->handle);
    h->has_access = true;
    h->access = create->mode;
    if (!openers(c, create->handle))
        return;
    count_together(h, OPENED);
    struct membership *m = membership_of(c, at, handle_def(c, create->handle)->comm);
    if (m)
        membership_use(at, m);
}

void io_destroy(struct check *c, struct location *at, event_data e)
{
    use(c, at, e->evt_IoDestroyHandle.handle, "IoDestroyHandle")->is_open = false;
}

void io_duplicate(struct check *c, struct location *at, event_data e)
{
    const struct handle *old = use(c, at, e->evt_IoDuplicateHandle.oldHandle, "IoDuplicateHandle");
    struct handle *new = open_handle(c, at, e->evt_IoDuplicateHandle.newHandle);
    new->has_access = old->has_access;
    new->access = old->access;
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
    struct key key = operation_key(at, begin->handle, begin->matchingId);
    struct handle *h = use(c, at, begin->handle, "IoOperationBegin");
    if (h->has_access && !is_allowed(h->access, begin->mode))
        found(c->verdict, RULE_IO_ACCESS, event_place(at), "handle %" PRIu32 " is open for %s only",
              begin->handle, begin->mode == OTF2_IO_OPERATION_MODE_READ ? "writing" : "reading");
    if (begin->operationFlags & OTF2_IO_OPERATION_FLAG_COLLECTIVE)
        count_together(h, begin->mode);
    if (map_find(&c->handles->operations, key))
        found(c->verdict, RULE_IO_OPERATION, event_place(at),
              "operation %" PRIu64 " of handle %" PRIu32 " is begun and under way",
              begin->matchingId, begin->handle);
    struct io_operation *o = map_intern(&c->handles->operations, key);
    o->at = at;
    o->event = at->file.count - 1;
    o->time = at->time;
    o->bytes = begin->bytesRequest;
    o->is_blocking = !(begin->operationFlags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
    o->is_issued = false;
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

static void not_in_background(struct check *c, struct location *at, const struct io_operation *o,
                              const char *what)
{
    if (o && o->is_blocking)
        found(c->verdict, RULE_IO_ISSUED, event_place(at),
              "%s of operation %" PRIu64 " of handle %" PRIu64 ", which blocks", what,
              o->node.key.c, o->node.key.b);
}

void io_operation_test(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoOperationTest *test = &e->evt_IoOperationTest;
    not_in_background(c, at, find(c, at, test->handle, test->matchingId, "IoOperationTest"),
                      "IoOperationTest");
}

void io_operation_issued(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_IoOperationIssued *issued = &e->evt_IoOperationIssued;
    struct io_operation *o = find(c, at, issued->handle, issued->matchingId, "IoOperationIssued");
    not_in_background(c, at, o, "IoOperationIssued");
    if (o && o->is_issued)
        found(c->verdict, RULE_IO_ISSUED, event_place(at),
              "operation %" PRIu64 " of handle %" PRIu32 " is issued twice", issued->matchingId,
              issued->handle);
    if (o)
        o->is_issued = true;
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
    if (!o->is_blocking && !o->is_issued)
        found(c->verdict, RULE_IO_ISSUED, event_place(at),
              "operation %" PRIu64 " of handle %" PRIu32 " is complete and was not issued",
              done->matchingId, done->handle);
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

/* What the processes with a handle have in common, one after the other. */
static void agree(void *node, void *context)
{
    struct check *c = context;
    const struct handle *h = node;
    const struct otf2_def_Group *group = openers(c, (uint32_t)h->node.key.b);
    if (!group || group->groupType == OTF2_GROUP_TYPE_COMM_SELF || !h->n_together)
        return;
    struct agreement *a = map_intern(&c->handles->agreements, (struct key){.a = h->node.key.b});
    if (a->n_processes++ == 0) {
        a->n_together = h->n_together;
        a->together = h->together;
    }
    a->is_broken |= a->n_together != h->n_together || a->together != h->together;
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
        map_each(&c->handles->operations, report_open, c);
        map_each(&c->handles->handles, agree, c);
        map_each(&c->handles->agreements, report_agreement, c);
    }
    map_fini(&c->handles->handles);
    map_fini(&c->handles->operations);
    map_fini(&c->handles->agreements);
    free(c->handles);
}
