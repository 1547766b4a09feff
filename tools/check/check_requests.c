/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about requests: opened once, tested while open, completed by their own kind. */
#include <inttypes.h>

#include "tools/check/mpi.h"

enum { EXCHANGED_MIN = 8 }; /* fewer may be chance */

static const char *const kind_names[] = {"send", "receive", "collective operation"};

/* The list of open requests in which this one stands; NULL for sends. */
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

static struct request *find(struct check *c, struct location *at, uint64_t id)
{
    return map_find(&c->requests, (struct key){at->process->node.key.a, id, 0});
}

struct request *request_open(struct check *c, struct location *at, uint64_t id,
                             enum request_kind kind)
{
    if (find(c, at, id)) {
        found(c->verdict, RULE_REQUEST_TWICE, event_place(at),
              "request %" PRIu64 " of a %s is still open", id, kind_names[kind]);
        return NULL;
    }
    c->requests.node_bytes = sizeof(struct request);
    struct request *r = map_intern(&c->requests, (struct key){at->process->node.key.a, id, 0});
    r->kind = kind;
    r->at = at;
    r->event = at->file.count - 1;
    r->time = at->time;
    r->sequence = c->n_events;
    r->region = innermost_region(c, at);
    at->n_open_sends += kind == REQUEST_SEND;
    if (first_of(r)) {
        struct request **last = last_of(r);
        r->before = *last;
        *(r->before ? &r->before->after : first_of(r)) = r;
        *last = r;
    }
    return r;
}

void request_close(struct check *c, struct location *at, struct request *r)
{
    struct process *process = at->process;
    process->closed_request = r->node.key.b;
    process->closed_at = at->time;
    if (first_of(r)) {
        *(r->before ? &r->before->after : first_of(r)) = r->after;
        *(r->after ? &r->after->before : last_of(r)) = r->before;
    }
    map_remove(&c->requests, r);
}

static struct request *find_open(struct check *c, struct location *at, uint64_t id,
                                 const char *what)
{
    struct request *r = find(c, at, id);
    if (!r)
        found(c->verdict, RULE_REQUEST_UNKNOWN, event_place(at),
              "request %" PRIu64 " is %s and not open", id, what);
    return r;
}

struct request *request_done(struct check *c, struct location *at, uint64_t id,
                             enum request_kind kind)
{
    struct request *r = find_open(c, at, id, "completed");
    if (r && r->kind != kind) {
        found(c->verdict, RULE_REQUEST_KIND, event_place(at),
              "request %" PRIu64 " is one of a %s, and completed as one of a %s", id,
              kind_names[r->kind], kind_names[kind]);
        c->has_lost_parts = true;
        request_close(c, at, r);
        return NULL;
    }
    if (!r)
        c->has_lost_parts = true;
    return r;
}

/* ---- events ---- */

void mpi_irecv_request(struct check *c, struct location *at, event_data e)
{
    struct request *r = request_open(c, at, e->evt_MpiIrecvRequest.requestID, REQUEST_RECEIVE);
    if (r)
        r->is_partitioned = is_marked(at, MPI_MARK_PARTITIONS, NULL);
}

void mpi_collective_request(struct check *c, struct location *at, event_data e)
{
    uint64_t series;
    struct request *r =
        request_open(c, at, e->evt_NonBlockingCollectiveRequest.requestID, REQUEST_COLLECTIVE);
    if (r && is_marked(at, MPI_MARK_SERIES, &series))
        r->series = series + 1;
}

void mpi_isend_complete(struct check *c, struct location *at, event_data e)
{
    struct request *r = request_done(c, at, e->evt_MpiIsendComplete.requestID, REQUEST_SEND);
    if (!r)
        return;
    at->process->n_exchanged += r->at != at;
    at->process->hands_over |= --at->n_open_sends < 0;
    request_close(c, at, r);
}

/* Another thread may complete a request at the time at which this one tests it. */
void mpi_request_test(struct check *c, struct location *at, event_data e)
{
    uint64_t id = e->evt_MpiRequestTest.requestID;
    if (id != at->process->closed_request || at->process->closed_at != at->time)
        (void)find_open(c, at, id, "tested");
}

void mpi_request_cancelled(struct check *c, struct location *at, event_data e)
{
    struct request *r = find_open(c, at, e->evt_MpiRequestCancelled.requestID, "cancelled");
    if (!r)
        return;
    enum request_kind kind = r->kind;
    if (kind == REQUEST_SEND) {
        at->n_open_sends--;
        message_cancel(c, r);
    }
    request_close(c, at, r);
    if (kind == REQUEST_COLLECTIVE)
        collectives_release(c, at->process);
}

/* ---- the end ---- */

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct request *r = node;
    found(c->verdict, RULE_REQUEST_OPEN,
          (struct place){.location = r->at->id,
                         .has_location = true,
                         .has_event = true,
                         .event = r->event,
                         .time = r->time},
          "request %" PRIu64 " of a %s is never completed", r->node.key.b, kind_names[r->kind]);
}

/*
 * A thread may complete what another one has started, once that has handed it over: as a rule it
 * has then completed more than it has started itself. Where that never was so, and each has in the
 * end completed as many as it has started, who recorded it may have confused their requests: MPI
 * has one handle for several of them.
 */
static void check_exchanges(struct check *c)
{
    for (size_t i = 0; i < c->n_locations; i++)
        c->locations[i].process->hands_over |= c->locations[i].n_open_sends != 0;
    for (size_t i = 0; i < c->n_locations; i++) {
        struct process *process = c->locations[i].process;
        if (process->n_exchanged >= EXCHANGED_MIN && !process->hands_over)
            found(c->verdict, RULE_REQUEST_THREAD,
                  (struct place){.location = c->locations[i].id, .has_location = true},
                  "the threads of this process complete %" PRIu64
                  " sends of each other, and as many as they have started",
                  process->n_exchanged);
        process->hands_over = true; /* told once */
    }
}

void requests_finish(struct check *c)
{
    if (!c->allows_unfinished && !c->is_cut && !c->has_lost_parts && !c->has_gaps) {
        map_each(&c->requests, report_open, c);
        check_exchanges(c);
    }
    map_fini(&c->requests);
}
