/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_wait.h"

#include "agent/spur_polls.h"
#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_emit.h"
#include "wrappers/mpi/mpi_file.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_mark.h"
#include "wrappers/mpi/mpi_request_table.h"
#include "wrappers/mpi/mpi_win.h"

_Atomic(bool) mpi_wait_has_threads = true;

void mpi_wait_set_threads(bool is_multiple)
{
    atomic_store(&mpi_wait_has_threads, is_multiple);
}

/*
 * Room for n handles, n requests and n statuses. False: memory is missing, and nothing is recorded
 * of the call's requests.
 */
static bool allocate(struct mpi_wait *wait)
{
    wait->memory = NULL;
    wait->handles = wait->small_handles;
    wait->taken = wait->small_taken;
    if (wait->n <= MPI_WAIT_SMALL)
        return true;
    size_t n = (size_t)wait->n;
    size_t each = sizeof(union mpi_status) + sizeof(struct mpi_request) + sizeof(mpi_word);
    wait->memory_bytes = n * each;
    wait->memory = spur_mem_new(wait->memory_bytes);
    if (!wait->memory)
        return false;
    wait->taken = (struct mpi_request *)((union mpi_status *)wait->memory + n);
    wait->handles = (mpi_word *)(wait->taken + n);
    return true;
}

mpi_word mpi_wait_begin_slowly(struct mpi_wait *wait, int n, mpi_word requests, mpi_word statuses,
                               mpi_word ignore)
{
    const struct mpi_library *lib = mpi_library();
    wait->n = n > 0 ? n : 0;
    wait->requests = requests;
    wait->statuses = statuses;
    wait->is_early = atomic_load_explicit(&mpi_wait_has_threads, memory_order_relaxed);
    if (!allocate(wait)) {
        wait->n = 0;
        return statuses;
    }
    if (statuses == ignore)
        wait->statuses = wait->memory ? (mpi_word)wait->memory : (mpi_word)wait->small_statuses;
    for (int i = 0; i < wait->n; i++) {
        mpi_word handle = mpi_wait_handle(lib, requests, i);
        if (handle && wait->is_early && !mpi_request_take(&mpi_requests, handle, &wait->taken[i]))
            handle = 0;
        wait->handles[i] = handle;
    }
    return wait->statuses;
}

static void finish(struct mpi_wait *wait)
{
    /* The last first, so that requests with the same handle keep their order. */
    for (int i = wait->n - 1; wait->is_early && i >= 0; i--)
        if (wait->handles[i])
            mpi_request_put_back(&mpi_requests, wait->handles[i], &wait->taken[i]);
    if (wait->memory)
        spur_mem_free(wait->memory, wait->memory_bytes);
}

static void bind_comm(const struct mpi_request *request)
{
    if (request->new_handle_at)
        mpi_comm_bind(request->new_comm, mpi_handle_at(mpi_library(), request->new_handle_at, 0));
}

static void comm_completed(struct spur_loc *loc, const struct mpi_request *request)
{
    bind_comm(request);
    if (request->new_comm->has_events)
        spur_put_CommCreate(loc, request->new_comm->id);
    mpi_ordinal(loc, MPI_ORDINAL_ICOLL, request->comm, 0, 0);
    spur_put_NonBlockingCollectiveComplete(loc, OTF2_COLLECTIVE_OP_CREATE_HANDLE, request->comm,
                                           OTF2_COLLECTIVE_ROOT_NONE, 0, 0, request->id);
}

static void was_cancelled(struct spur_loc *loc, const struct mpi_request *request)
{
    if (request->kind == MPI_REQUEST_IO)
        spur_put_IoOperationCancelled(loc, request->file, request->id);
    else if (request->kind != MPI_REQUEST_OTHER)
        spur_put_MpiRequestCancelled(loc, request->id);
}

static void completed(struct spur_loc *loc, const struct mpi_request *request, const void *status)
{
    int cancelled = 0;
    if (request->is_cancelled)
        mpi_library()->Test_cancelled(status, &cancelled);
    if (cancelled) {
        was_cancelled(loc, request);
        return;
    }
    switch ((enum mpi_request_kind)request->kind) {
    case MPI_REQUEST_OTHER:
        break;
    case MPI_REQUEST_SEND:
        spur_put_MpiIsendComplete(loc, request->id);
        break;
    case MPI_REQUEST_SENDRECV:
        if (request->send_id != UINT64_MAX)
            spur_put_MpiIsendComplete(loc, request->send_id);
        __attribute__((fallthrough));
    case MPI_REQUEST_RECV:
        mpi_emit_received(loc, request, status);
        break;
    case MPI_REQUEST_COLL:
        mpi_ordinal(loc, MPI_ORDINAL_ICOLL, request->comm, 0, 0);
        spur_put_NonBlockingCollectiveComplete(loc, request->op, request->comm, request->root,
                                               request->sent, request->received, request->id);
        break;
    case MPI_REQUEST_COMM:
        comm_completed(loc, request);
        break;
    case MPI_REQUEST_RMA:
        mpi_win_request_done(loc, request->win, request->id);
        break;
    case MPI_REQUEST_IO:
        mpi_file_done(loc, request->file, request->id, status);
        break;
    }
}

/*
 * With the error in front. The operation has its place among the operations of its communicator all
 * the same.
 */
static void coll_failed(struct spur_loc *loc, const struct mpi_request *request, int error)
{
    bool is_comm = request->kind == MPI_REQUEST_COMM;
    mpi_mark_error(loc, error);
    mpi_ordinal(loc, MPI_ORDINAL_ICOLL, request->comm, 0, 0);
    spur_put_NonBlockingCollectiveComplete(loc,
                                           is_comm ? OTF2_COLLECTIVE_OP_CREATE_HANDLE : request->op,
                                           request->comm,
                                           is_comm ? OTF2_COLLECTIVE_ROOT_NONE : request->root, 0,
                                           0, request->id);
}

/*
 * A message that was too long was received. Other failed requests have no message: the requests are
 * cancelled.
 */
static void message_failed(struct spur_loc *loc, const struct mpi_request *request,
                           const void *status, int error)
{
    bool is_received = request->kind != MPI_REQUEST_SEND && request->comm != OTF2_UNDEFINED_COMM &&
                       mpi_emit_truncated(loc, request, status, error);
    if (!is_received)
        was_cancelled(loc, request);
    if (request->kind != MPI_REQUEST_SENDRECV || request->send_id == UINT64_MAX)
        return;
    if (is_received)
        spur_put_MpiIsendComplete(loc, request->send_id);
    else
        spur_put_MpiRequestCancelled(loc, request->send_id);
}

/* `status` may be NULL. The outcome of an RMA operation is seen at the end of its epoch. */
static void failed(struct spur_loc *loc, const struct mpi_request *request, const void *status,
                   int error)
{
    if (request->kind == MPI_REQUEST_SEND || request->kind == MPI_REQUEST_RECV ||
        request->kind == MPI_REQUEST_SENDRECV)
        message_failed(loc, request, status, error);
    else if (request->kind == MPI_REQUEST_COLL || request->kind == MPI_REQUEST_COMM)
        coll_failed(loc, request, error);
    else if (request->kind == MPI_REQUEST_IO)
        was_cancelled(loc, request);
}

/* The request was started while recording was paused: no record, whenever the request ends. */
static void missed(const struct mpi_request *request, const void *status)
{
    int cancelled = 0;
    if (request->is_cancelled)
        mpi_library()->Test_cancelled(status, &cancelled);
    if (cancelled)
        return;
    if (request->kind == MPI_REQUEST_RECV || request->kind == MPI_REQUEST_SENDRECV)
        mpi_emit_missed(request, status);
    else if (request->kind == MPI_REQUEST_COLL || request->kind == MPI_REQUEST_COMM)
        mpi_ordinal_missed(MPI_ORDINAL_ICOLL, request->comm, 0, 0);
}

static void ended(struct spur_loc *loc, const struct mpi_request *request, const void *status,
                  int error)
{
    if (request->is_dropped && !request->is_off && !error)
        missed(request, status);
    if (!request->is_dropped && !error)
        completed(loc, request, status);
    else if (!request->is_dropped)
        failed(loc, request, status, error);
    else if (request->kind == MPI_REQUEST_COMM && !error)
        bind_comm(request);
}

/* A taken request is not open any more. */
static inline void close_taken(struct spur_loc *loc, mpi_word handle, struct mpi_request *request,
                               const void *status, int error)
{
    if (!request->is_idle)
        ended(loc, request, status, error);
    if (!request->is_persistent)
        return;
    request->is_idle = true;
    request->is_cancelled = false;
    mpi_request_put_back(&mpi_requests, handle, request);
}

/* The same for request i of the call. */
static void close_request(struct mpi_wait *wait, struct spur_loc *loc, int i, const void *status,
                          int error)
{
    mpi_word handle = wait->handles[i];
    struct mpi_request *request = &wait->taken[i];
    if (!handle || (!wait->is_early && !mpi_request_take(&mpi_requests, handle, request)))
        return;
    wait->handles[i] = 0;
    close_taken(loc, handle, request, status, error);
}

/*
 * After an error in some requests: a status tells whether its request is complete, pending or
 * failed.
 */
static void close_by_status(struct mpi_wait *wait, struct spur_loc *loc, int i, int at)
{
    const struct mpi_layout *layout = &mpi_library()->layout;
    const void *status = mpi_status_at(mpi_library(), wait->statuses, at);
    int error = mpi_status_int(status, layout->status_error);
    if (error != layout->err_pending)
        close_request(wait, loc, i, status, error);
}

/* The only request of a call that returned the error: MPI does not free persistent requests. */
static bool is_persistent_and_ended(const struct mpi_wait *wait, int ret)
{
    struct mpi_request request;
    if (wait->n != 1 || !wait->handles[0] || ret == mpi_library()->layout.err_in_status ||
        mpi_error_is_early(ret))
        return false;
    if (wait->is_early)
        return wait->taken[0].is_persistent;
    return mpi_request_peek(&mpi_requests, wait->handles[0], &request) && request.is_persistent;
}

/*
 * After an error without statuses, but for `status` (or NULL): requests freed by MPI are not open
 * any more.
 */
static void close_freed(struct mpi_wait *wait, struct spur_loc *loc, const void *status, int ret)
{
    const struct mpi_library *lib = mpi_library();
    for (int i = 0; i < wait->n; i++)
        if (mpi_handle_at(lib, wait->requests, i) == lib->layout.request_null)
            close_request(wait, loc, i, status, ret);
    if (is_persistent_and_ended(wait, ret))
        close_request(wait, loc, 0, status, ret);
}

static void put_tested(struct spur_loc *loc, const struct mpi_request *request)
{
    if (request->is_idle || request->is_dropped || request->kind == MPI_REQUEST_OTHER ||
        mpi_group_is_off[MPI_GROUP_req])
        return;
    if (request->kind == MPI_REQUEST_RMA)
        spur_put_RmaOpTest(loc, request->win, request->id);
    else if (request->kind == MPI_REQUEST_IO)
        spur_put_IoOperationTest(loc, request->file, request->id);
    else
        spur_put_MpiRequestTest(loc, request->id);
}

static void tested(struct mpi_wait *wait, struct spur_loc *loc)
{
    for (int i = 0; i < wait->n && !spur_poll_is_counted(loc); i++) {
        mpi_word handle = wait->handles[i];
        if (handle && (wait->is_early || mpi_request_peek(&mpi_requests, handle, &wait->taken[i])))
            put_tested(loc, &wait->taken[i]);
    }
}

/* The same as completed(), for usual requests. */
static inline void message_completed(struct spur_loc *loc,
                                     const struct mpi_request_message *message, const void *status)
{
    const struct mpi_library *lib = mpi_library();
    if (message->kind == MPI_REQUEST_SEND) {
        spur_put_MpiIsendComplete(loc, message->id);
        return;
    }
    int from = mpi_status_int(status, lib->layout.status_source);
    uint32_t tag = (uint32_t)mpi_status_int(status, lib->layout.status_tag);
    if (from >= 0)
        spur_put_MpiIrecv(loc, (uint32_t)from, message->comm, tag, mpi_status_bytes(lib, status),
                          message->id);
}

static __attribute__((noinline)) void close_late(struct spur_loc *loc, mpi_word handle,
                                                 const void *status)
{
    struct mpi_request request;
    if (mpi_request_take(&mpi_requests, handle, &request))
        close_taken(loc, handle, &request, status, 0);
}

/* All requests are complete, and are to be looked up now. */
static void close_all_late(const struct mpi_wait *wait, struct spur_loc *loc)
{
    const size_t status_bytes = mpi_library()->layout.status_bytes;
    const char *status = mpi_address(wait->statuses);
    const mpi_word *const end = wait->handles + wait->n;
    for (const mpi_word *handle = wait->handles; handle < end; handle++, status += status_bytes) {
        struct mpi_request_message message;
        if (!*handle)
            continue;
        if (__builtin_expect(mpi_request_take_message(&mpi_requests, *handle, &message), 1))
            message_completed(loc, &message, status);
        else
            close_late(loc, *handle, status);
    }
}

void mpi_wait_all(struct mpi_wait *wait, struct spur_loc *loc, int ret)
{
    const struct mpi_library *lib = mpi_library();
    if (__builtin_expect(ret == 0 && !wait->is_early && !wait->memory, 1)) {
        close_all_late(wait, loc);
        return;
    }
    for (int i = 0; i < wait->n; i++) {
        if (ret == 0)
            close_request(wait, loc, i, mpi_status_at(lib, wait->statuses, i), 0);
        else if (ret == lib->layout.err_in_status)
            close_by_status(wait, loc, i, i);
    }
    if (ret != 0)
        close_freed(wait, loc, wait->n == 1 ? mpi_address(wait->statuses) : NULL, ret);
    finish(wait);
}

void mpi_wait_any(struct mpi_wait *wait, struct spur_loc *loc, int ret, bool is_done, int index)
{
    if (ret != 0)
        close_freed(wait, loc, mpi_address(wait->statuses), ret);
    else if (!is_done)
        tested(wait, loc);
    else if (index >= 0 && index < wait->n)
        close_request(wait, loc, index, mpi_address(wait->statuses), 0);
    finish(wait);
}

void mpi_wait_some(struct mpi_wait *wait, struct spur_loc *loc, int ret, int n, const int *indices)
{
    const struct mpi_library *lib = mpi_library();
    for (int k = 0; k < n; k++) {
        int i = indices[k];
        if (i < 0 || i >= wait->n)
            continue;
        if (ret == 0)
            close_request(wait, loc, i, mpi_status_at(lib, wait->statuses, k), 0);
        else if (ret == lib->layout.err_in_status)
            close_by_status(wait, loc, i, k);
    }
    if (ret != 0)
        close_freed(wait, loc, NULL, ret);
    else if (n == 0)
        tested(wait, loc);
    finish(wait);
}

void mpi_wait_test_all(struct mpi_wait *wait, struct spur_loc *loc, int ret, bool is_done)
{
    if (ret == 0 && !is_done) {
        tested(wait, loc);
        finish(wait);
        return;
    }
    mpi_wait_all(wait, loc, ret);
}

/* ---- persistent requests ---- */

static void remember(mpi_word handle, const struct mpi_request *request)
{
    struct spur_posted *posted = spur_posted(request->id);
    if (posted)
        *posted = (struct spur_posted){.id = request->id,
                                       .handle = handle,
                                       .comm = request->comm,
                                       .peer = request->dest,
                                       .tag = request->tag,
                                       .is_send = request->kind == MPI_REQUEST_SEND};
}

static void started(struct spur_loc *loc, mpi_word handle, struct mpi_request *request)
{
    request->id = mpi_request_new_id();
    request->is_idle = false;
    request->is_dropped = request->is_off || spur_is_dropped(loc);
    if (request->kind == MPI_REQUEST_SEND)
        mpi_ordinal(loc, MPI_ORDINAL_SEND, request->comm, request->dest, request->tag);
    if (request->is_dropped)
        return;
    bool is_message = request->kind == MPI_REQUEST_SEND || request->kind == MPI_REQUEST_RECV;
    if (is_message)
        remember(handle, request);
    if (is_message && request->partitions)
        mpi_mark(loc, MPI_MARK_PARTITIONS, request->partitions);
    if (request->kind == MPI_REQUEST_COLL)
        mpi_mark(loc, MPI_MARK_SERIES, request->series);
    if (request->kind == MPI_REQUEST_SEND)
        spur_put_MpiIsend(loc, request->dest, request->comm, request->tag, request->bytes,
                          request->id);
    else if (request->kind == MPI_REQUEST_RECV)
        spur_put_MpiIrecvRequest(loc, request->id);
    else if (request->kind == MPI_REQUEST_COLL)
        spur_put_NonBlockingCollectiveRequest(loc, request->id);
}

void mpi_wait_start(struct spur_loc *loc, int n, mpi_word requests)
{
    const struct mpi_library *lib = mpi_library();
    for (int i = 0; i < n; i++) {
        mpi_word handle = mpi_handle_at(lib, requests, i);
        struct mpi_request request;
        if (!mpi_request_take(&mpi_requests, handle, &request))
            continue;
        started(loc, handle, &request);
        mpi_request_put_back(&mpi_requests, handle, &request);
    }
}

/* ---- single requests ---- */

void mpi_wait_cancel(mpi_word requests)
{
    mpi_request_cancel(&mpi_requests, mpi_handle_at(mpi_library(), requests, 0));
}

void mpi_wait_status(struct spur_loc *loc, mpi_word handle, bool is_done)
{
    struct mpi_request request;
    if (!is_done && !spur_poll_is_counted(loc) && mpi_request_peek(&mpi_requests, handle, &request))
        put_tested(loc, &request);
}

void mpi_wait_statuses(struct spur_loc *loc, int n, mpi_word requests, bool is_done)
{
    for (int i = 0; !is_done && i < n; i++)
        mpi_wait_status(loc, mpi_handle_at(mpi_library(), requests, i), false);
}

void mpi_wait_free(struct spur_loc *loc, mpi_word handle)
{
    struct mpi_request request;
    if (!mpi_request_take(&mpi_requests, handle, &request) || request.is_idle || request.is_dropped)
        return;
    if (request.kind == MPI_REQUEST_SEND)
        spur_put_MpiIsendComplete(loc, request.id);
    else if (request.kind == MPI_REQUEST_IO) /* the number of bytes moved will not be known */
        spur_put_IoOperationComplete(loc, request.file, OTF2_UNDEFINED_UINT64, request.id);
}
