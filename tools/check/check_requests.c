/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about requests: opened once, tested while open, completed by their own kind. */
#include <inttypes.h>

#include "tools/check/mpi.h"

enum { EXCHANGED_MIN = 8 }; /* fewer may be chance */

static const char *const kind_names[] = {"send", "receive", "collective operation"};

/* The list of open requests that contains request r; NULL for sends. */
static struct request **first_of(const struct request *r)
{
    return r->kind == REQUEST_RECEIVE      ? &r->at->first_receive
           : r->kind == REQUEST_COLLECTIVE ? &r->at->process->first_collective
                                           : NULL;
}

static struct request **last_of(const struct request *r)
{
    return r->kind == REQUEST_RECEIVE ? &r->at->last_receive : &r->at->process->last_collective;
}

static struct process *process_of(const struct check *c, const struct engine_note *n)
{
    return note_location(c, n)->process;
}

static struct request *find(struct check *c, const struct engine_note *n, uint64_t id)
{
    return table_find(&c->requests, (struct key){process_of(c, n)->node.key.a, id, 0});
}

static void link_request(struct request *r)
{
    if (!first_of(r))
        return;
    struct request **last = last_of(r);
    r->before = *last;
    *(r->before ? &r->before->after : first_of(r)) = r;
    *last = r;
}

void take_request_open(struct check *c, const struct engine_note *n, const void *data)
{
    const struct opening *o = data;
    struct location *at = note_location(c, n);
    if (find(c, n, o->id)) {
        found(c->verdict, RULE_REQUEST_TWICE, note_place(c, n, data),
              "request %" PRIu64 " of a %s is still open", o->id, kind_names[o->kind]);
        return;
    }
    struct request *r = table_intern(&c->requests, (struct key){at->process->node.key.a, o->id, 0});
    r->kind = (enum request_kind)o->kind;
    r->at = at;
    r->event = n->sequence - 1;
    r->time = o->time;
    r->moment = note_moment(n);
    r->channel = o->channel;
    r->size = o->size;
    r->series = o->series;
    r->is_partitioned = o->is_partitioned;
    r->is_unordered = o->is_unordered;
    at->n_open_sends += r->kind == REQUEST_SEND;
    if (r->kind == REQUEST_RECEIVE)
        at->last_posted = r->event;
    link_request(r);
}

void request_close(struct check *c, const struct engine_note *n, struct place where,
                   struct request *r)
{
    struct process *process = process_of(c, n);
    process->closed_request = r->node.key.b;
    process->closed_at = where.time;
    if (first_of(r)) {
        *(r->before ? &r->before->after : first_of(r)) = r->after;
        *(r->after ? &r->after->before : last_of(r)) = r->before;
    }
    table_remove(&c->requests, r);
}

static struct request *find_open(struct check *c, const struct engine_note *n, struct place where,
                                 uint64_t id, const char *what)
{
    struct request *r = find(c, n, id);
    if (!r)
        found(c->verdict, RULE_REQUEST_UNKNOWN, where, "request %" PRIu64 " is %s and not open", id,
              what);
    return r;
}

struct request *request_done(struct check *c, const struct engine_note *n, struct place where,
                             uint64_t id, enum request_kind kind)
{
    struct request *r = find_open(c, n, where, id, "completed");
    if (r && r->kind != kind) {
        found(c->verdict, RULE_REQUEST_KIND, where,
              "request %" PRIu64 " is one of a %s, and completed as one of a %s", id,
              kind_names[r->kind], kind_names[kind]);
        c->has_lost_parts = true;
        request_close(c, n, where, r);
        return NULL;
    }
    if (!r)
        c->has_lost_parts = true;
    return r;
}

/* ---- events ---- */

/* The content of a note about an open request. */
struct request_note {
    uint64_t time, id;
};

void mpi_irecv_request(struct check *c, struct location *at, event_data e)
{
    uint64_t region = innermost_region(c, at);
    struct opening o = {.time = at->time,
                        .id = e->evt_MpiIrecvRequest.requestID,
                        .kind = REQUEST_RECEIVE,
                        .is_partitioned = is_marked(at, MPI_MARK_PARTITIONS, NULL),
                        .is_unordered = region < c->n_regions && c->is_unordered[region]};
    TELL(c, at, REQUEST_OPEN, requests_key(at->process), o);
}

void mpi_collective_request(struct check *c, struct location *at, event_data e)
{
    uint64_t series = 0;
    struct opening o = {.time = at->time,
                        .id = e->evt_NonBlockingCollectiveRequest.requestID,
                        .kind = REQUEST_COLLECTIVE};
    if (is_marked(at, MPI_MARK_SERIES, &series))
        o.series = series + 1;
    TELL(c, at, REQUEST_OPEN, requests_key(at->process), o);
}

void mpi_isend_complete(struct check *c, struct location *at, event_data e)
{
    struct request_note note = {at->time, e->evt_MpiIsendComplete.requestID};
    TELL(c, at, REQUEST_SENT, requests_key(at->process), note);
}

void take_request_sent(struct check *c, const struct engine_note *n, const void *data)
{
    const struct request_note *note = data;
    struct place where = note_place(c, n, data);
    struct location *at = note_location(c, n);
    struct request *r = request_done(c, n, where, note->id, REQUEST_SEND);
    if (!r)
        return;
    at->process->n_exchanged += r->at != at;
    at->process->hands_over |= --at->n_open_sends < 0;
    request_close(c, n, where, r);
}

void mpi_request_test(struct check *c, struct location *at, event_data e)
{
    struct request_note note = {at->time, e->evt_MpiRequestTest.requestID};
    TELL(c, at, REQUEST_TEST, requests_key(at->process), note);
}

/* A second thread may complete a request at the very time of a test by the first thread. */
void take_request_test(struct check *c, const struct engine_note *n, const void *data)
{
    const struct request_note *note = data;
    const struct process *process = process_of(c, n);
    if (note->id != process->closed_request || process->closed_at != note->time)
        (void)find_open(c, n, note_place(c, n, data), note->id, "tested");
}

void mpi_request_cancelled(struct check *c, struct location *at, event_data e)
{
    struct request_note note = {at->time, e->evt_MpiRequestCancelled.requestID};
    TELL(c, at, REQUEST_CANCEL, requests_key(at->process), note);
}

void take_request_cancel(struct check *c, const struct engine_note *n, const void *data)
{
    const struct request_note *note = data;
    struct place where = note_place(c, n, data);
    struct request *r = find_open(c, n, where, note->id, "cancelled");
    if (!r)
        return;
    enum request_kind kind = r->kind;
    if (kind == REQUEST_SEND) {
        note_location(c, n)->n_open_sends--;
        message_cancel(c, n, r);
    }
    request_close(c, n, where, r);
    if (kind == REQUEST_COLLECTIVE)
        collectives_release(c, n, process_of(c, n));
}

/* ---- the end ---- */

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct request *r = node;
    found(c->verdict, RULE_REQUEST_OPEN, place_at(r->at->id, r->event, r->time),
          "request %" PRIu64 " of a %s is never completed", r->node.key.b, kind_names[r->kind]);
}

/*
 * A thread may complete the requests of another thread after a hand-over: as a rule the completing
 * thread has then completed more requests than it has started. If no thread ever completed more,
 * and in the end each thread has completed as many requests as started, the recorder may have
 * confused the requests: MPI has the same handle for several requests.
 */
static void check_exchanges(struct check *c)
{
    c->phase = PHASE_EXCHANGES;
    for (size_t i = 0; i < c->n_locations; i++)
        if (owns_process(c, c->locations[i].process))
            c->locations[i].process->hands_over |= c->locations[i].n_open_sends != 0;
    for (size_t i = 0; i < c->n_locations; i++) {
        struct process *process = c->locations[i].process;
        if (!owns_process(c, process))
            continue;
        c->phase_key[0] = i;
        if (process->n_exchanged >= EXCHANGED_MIN && !process->hands_over)
            found(c->verdict, RULE_REQUEST_THREAD,
                  (struct place){.location = c->locations[i].id, .has_location = true},
                  "the threads of this process complete %" PRIu64
                  " sends of each other, and as many as they have started",
                  process->n_exchanged);
        process->hands_over = true; /* told once */
    }
}

void requests_begin(struct check *c)
{
    c->requests = (struct table){.node_bytes = sizeof(struct request)};
}

void requests_finish(struct check *c)
{
    if (!c->allows_unfinished && !c->is_cut && !c->has_lost_parts && !c->has_gaps) {
        each_in_phase(c, PHASE_REQUESTS, &c->requests, report_open);
        check_exchanges(c);
    }
    table_fini(&c->requests);
}
