/* SPDX-License-Identifier: BSD-3-Clause */
/* What requests stand for: transfers, which are posted and matched, and generalised requests. */
#include "abi.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Posted receives and synchronous sends that nobody has taken yet, in the order of their start. */
static struct request *posted;
static struct request **posted_end = &posted;
static atomic_flag posted_lock = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&posted_lock, memory_order_acquire))
        sched_yield();
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&posted_lock, memory_order_release);
}

struct request *abi_request_new(enum kind kind, struct comm *comm)
{
    struct request *request = calloc(1, sizeof *request);
    request->kind = kind;
    request->comm = comm;
    return request;
}

struct request *abi_request(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NULL : (struct request *)request;
}

MPI_Request abi_handle(struct request *request)
{
    return (MPI_Request)request;
}

struct request *abi_transfer(enum kind kind, struct comm *comm, int context, int peer, int tag)
{
    struct request *request = abi_request_new(kind, comm);
    request->context = context;
    request->peer = peer;
    request->tag = tag;
    return request;
}

/* Under the lock, as the next ones. */
static void receive(struct request *request, struct message *message)
{
    uint64_t room = request->bytes;
    uint64_t bytes = message->bytes < room ? message->bytes : room;
    if (bytes > 0)
        memcpy(request->in, message->data, bytes);
    abi_status_set(&request->status, message->source, message->tag,
                   message->bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS, bytes);
    abi_message_received(message);
    request->is_done = true;
}

/* Of the messages that had arrived when there were `until` of them. */
static bool try_once(struct request *request, uint64_t until)
{
    if (request->kind == RECV) {
        struct message *message = abi_message_match(abi_world.rank, request->context, request->peer,
                                                    request->tag, until, true);
        if (message)
            receive(request, message);
    } else if (abi_message_is_taken(request->message)) {
        abi_message_free(request->message);
        request->is_done = true;
    }
    return request->is_done;
}

/*
 * What arrives meanwhile is for the next time: a receive that was posted earlier, and has been
 * looked at already, may want it.
 */
static void progress(void)
{
    uint64_t until = abi_messages_arrived(abi_world.rank);
    for (struct request **at = &posted; *at;) {
        struct request *request = *at;
        if (!try_once(request, until)) {
            at = &request->next_posted;
            continue;
        }
        *at = request->next_posted;
        if (!*at)
            posted_end = at;
        if (request->is_freed)
            free(request);
    }
}

static void send(struct request *request)
{
    struct message envelope = {.source = request->comm->rank,
                               .tag = request->tag,
                               .context = request->context,
                               .is_synchronous = request->is_synchronous,
                               .bytes = request->bytes};
    int to = request->comm->members[request->peer];
    request->message = abi_message_put(to, &envelope, request->out);
    abi_status_set(&request->status, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
    request->is_done = !request->is_synchronous;
}

void abi_request_start(struct request *request)
{
    lock();
    request->is_active = true;
    request->is_done = false;
    if (request->peer == MPI_PROC_NULL) {
        abi_status_set(&request->status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0);
        request->is_done = true;
    } else if (request->kind == MATCHED) {
        receive(request, request->message);
    } else if (request->kind == SEND) {
        send(request);
    }
    if (!request->is_done) {
        request->next_posted = NULL;
        *posted_end = request;
        posted_end = &request->next_posted;
    }
    unlock();
}

bool abi_request_test(struct request *request)
{
    if (request->kind == COLLECTIVE_OPERATION)
        return abi_collective_test(request);
    lock();
    if (!request->is_done)
        progress();
    bool is_done = request->is_done;
    unlock();
    return is_done;
}

void abi_request_release(struct request *request)
{
    if (request->kind == GENERALISED && request->free_state)
        request->free_state(request->state);
    if (request->collective)
        abi_collective_free(request->collective);
    lock();
    bool is_posted = request->kind != GENERALISED && request->is_active && !request->is_done;
    request->is_freed = true;
    unlock();
    if (!is_posted)
        free(request);
}

int abi_request_finish(struct request *request, MPI_Status *status)
{
    while (!abi_request_test(request))
        abi_pause();
    int error = request->status.MPI_ERROR;
    if (status != MPI_STATUS_IGNORE)
        *status = request->status;
    request->is_active = false;
    abi_request_release(request);
    return error;
}

int PMPI_Cancel(MPI_Request *request)
{
    struct request *known = abi_request(*request);
    if (!known)
        return abi_error(NULL, MPI_ERR_REQUEST);
    if (known->kind == GENERALISED)
        return known->cancel(known->state, known->is_done);
    lock();
    struct request **at = &posted;
    while (*at && *at != known)
        at = &(*at)->next_posted;
    if (*at && known->kind == RECV) {
        *at = known->next_posted;
        if (!*at)
            posted_end = at;
        PMPI_Status_set_cancelled(&known->status, 1);
        known->is_done = true;
    }
    unlock();
    return MPI_SUCCESS;
}
ALIAS(Cancel)

/* ---- generalised requests ---- */

int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                        MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                        MPI_Request *request)
{
    struct request *made = abi_request_new(GENERALISED, &abi_world);
    made->query = query_fn;
    made->free_state = free_fn;
    made->cancel = cancel_fn;
    made->state = extra_state;
    made->is_active = true;
    *request = abi_handle(made);
    return MPI_SUCCESS;
}
ALIAS(Grequest_start)

int PMPI_Grequest_complete(MPI_Request request)
{
    struct request *known = abi_request(request);
    if (!known || known->kind != GENERALISED)
        return abi_error(NULL, MPI_ERR_REQUEST);
    lock();
    known->is_done = true;
    unlock();
    return MPI_SUCCESS;
}
ALIAS(Grequest_complete)
