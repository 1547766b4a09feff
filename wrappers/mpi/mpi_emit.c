/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_emit.h"

#include "wrappers/mpi/mpi_mark.h"
#include "wrappers/mpi/mpi_ordinal.h"
#include "wrappers/mpi/mpi_request_table.h"

/* ---- messages ---- */

/* Source and tag of a received message; false: the message came from MPI_PROC_NULL. */
MPI_HOT bool read_status(const struct mpi_library *lib, const void *status, uint32_t *source,
                         uint32_t *tag)
{
    int from = mpi_status_int(status, lib->layout.status_source);
    *source = (uint32_t)from;
    *tag = (uint32_t)mpi_status_int(status, lib->layout.status_tag);
    return from >= 0;
}

void mpi_emit_recv_on(struct spur_loc *loc, OTF2_CommRef comm, const void *status)
{
    const struct mpi_library *lib = mpi_library();
    uint32_t source;
    uint32_t tag;
    if (comm == OTF2_UNDEFINED_COMM || !read_status(lib, status, &source, &tag))
        return;
    mpi_ordinal(loc, MPI_ORDINAL_RECV, comm, source, tag);
    spur_put_MpiRecv(loc, source, comm, tag, mpi_status_bytes(lib, status));
}

void mpi_emit_recv(struct spur_loc *loc, mpi_word comm, const void *status)
{
    mpi_emit_recv_on(loc, mpi_comm_id(comm), status);
}

void mpi_emit_recv_failed(struct spur_loc *loc, OTF2_CommRef comm, const void *status, int ret)
{
    uint32_t source;
    uint32_t tag;
    if (comm == OTF2_UNDEFINED_COMM || !mpi_error_is_truncation(ret) ||
        !read_status(mpi_library(), status, &source, &tag))
        return;
    mpi_mark_error(loc, ret);
    mpi_emit_recv_on(loc, comm, status);
}

bool mpi_emit_truncated(struct spur_loc *loc, const struct mpi_request *request, const void *status,
                        int error)
{
    uint32_t source;
    uint32_t tag;
    if (!status || !mpi_error_is_truncation(error) ||
        !read_status(mpi_library(), status, &source, &tag))
        return false;
    mpi_mark_error(loc, error);
    mpi_emit_received(loc, request, status);
    return true;
}

static bool read_envelope(const struct mpi_request *request, const void *status, uint32_t *source,
                          uint32_t *tag)
{
    return request->comm != OTF2_UNDEFINED_COMM && read_status(mpi_library(), status, source, tag);
}

/*
 * MPICH 4.0 does not fill in the status of MPI_Isendrecv: then the wanted source, tag and size
 * count.
 */
static bool is_stale(const struct mpi_request *request, uint32_t source, uint32_t tag)
{
    return request->has_envelope && (source != request->dest || tag != request->tag);
}

void mpi_emit_missed(const struct mpi_request *request, const void *status)
{
    uint32_t source;
    uint32_t tag;
    if (!read_envelope(request, status, &source, &tag))
        return;
    bool is_asked = is_stale(request, source, tag);
    mpi_ordinal_missed(MPI_ORDINAL_RECV, request->comm, is_asked ? request->dest : source,
                       is_asked ? request->tag : tag);
}

void mpi_emit_received(struct spur_loc *loc, const struct mpi_request *request, const void *status)
{
    const struct mpi_library *lib = mpi_library();
    uint32_t source;
    uint32_t tag;
    uint64_t bytes;
    if (!read_envelope(request, status, &source, &tag))
        return;
    if (is_stale(request, source, tag)) {
        source = request->dest;
        tag = request->tag;
        bytes = request->bytes;
    } else {
        bytes = mpi_status_bytes(lib, status);
    }
    mpi_ordinal(loc, MPI_ORDINAL_RECV, request->comm, source, tag);
    spur_put_MpiIrecv(loc, source, request->comm, tag, bytes, request->id);
}

void mpi_emit_coll_end_on(struct spur_loc *loc, OTF2_CollectiveOp op, OTF2_CommRef comm,
                          uint32_t root, uint64_t sent, uint64_t received)
{
    mpi_ordinal(loc, MPI_ORDINAL_COLL, comm, 0, 0);
    spur_put_MpiCollectiveEnd(loc, op, comm, root, sent, received);
}

/* ---- requests ---- */

static mpi_word handle_at(mpi_word address)
{
    return mpi_handle_at(mpi_library(), address, 0);
}

/* A request not recorded at its start is not recorded at its end. */
static void put_request(const struct spur_loc *loc, struct mpi_request *request,
                        mpi_word request_at)
{
    request->is_dropped = spur_is_dropped(loc);
    mpi_request_put(&mpi_requests, handle_at(request_at), request);
}

static __attribute__((noinline)) void put_message_slowly(const struct spur_loc *loc,
                                                         const struct mpi_request_message *message,
                                                         mpi_word request_at)
{
    struct mpi_request request = {.id = message->id, .comm = message->comm, .kind = message->kind};
    put_request(loc, &request, request_at);
}

/* The same for a message, which is all that has to be known of it. Its handle. */
MPI_HOT mpi_word put_message(const struct spur_loc *loc, enum mpi_request_kind kind, uint64_t id,
                             OTF2_CommRef comm, mpi_word request_at)
{
    const struct mpi_request_message message = {id, comm, (uint8_t)kind};
    const mpi_word handle = handle_at(request_at);
    if (__builtin_expect(spur_is_dropped(loc) ||
                             !mpi_request_put_message(&mpi_requests, handle, &message),
                         0))
        put_message_slowly(loc, &message, request_at);
    return handle;
}

static struct mpi_request send_request(const struct mpi_message *message)
{
    return (struct mpi_request){
        .kind = message->is_recorded ? MPI_REQUEST_SEND : MPI_REQUEST_OTHER,
        .comm = message->comm,
        .dest = message->dest,
        .tag = message->tag,
        .bytes = message->bytes,
    };
}

static bool is_message_from(OTF2_CommRef comm, int source)
{
    return comm != OTF2_UNDEFINED_COMM && source != mpi_library()->layout.proc_null;
}

static struct mpi_request recv_request(OTF2_CommRef comm, int source)
{
    return (struct mpi_request){
        .kind = is_message_from(comm, source) ? MPI_REQUEST_RECV : MPI_REQUEST_OTHER,
        .comm = comm,
    };
}

static inline void remember(uint64_t id, mpi_word handle, OTF2_CommRef comm, uint32_t peer,
                            uint32_t tag, bool is_send)
{
    struct spur_posted *posted = spur_posted(id);
    if (posted)
        *posted = (struct spur_posted){id, handle, comm, peer, tag, is_send};
}

void mpi_emit_isend(struct spur_loc *loc, struct spur_call *call, const struct mpi_message *message,
                    mpi_word request_at)
{
    if (!message->is_recorded) {
        mpi_emit_other_request(request_at);
        spur_leave_now(loc, call);
        return;
    }
    const uint64_t id = mpi_request_new_id();
    const mpi_word handle = put_message(loc, MPI_REQUEST_SEND, id, message->comm, request_at);
    mpi_ordinal(loc, MPI_ORDINAL_SEND, message->comm, message->dest, message->tag);
    remember(id, handle, message->comm, message->dest, message->tag, true);
    spur_leave_after_MpiIsend(loc, call, message->dest, message->comm, message->tag, message->bytes,
                              id);
}

void mpi_emit_irecv(struct spur_loc *loc, struct spur_call *call, OTF2_CommRef comm, int source,
                    int tag, mpi_word request_at)
{
    if (!is_message_from(comm, source)) {
        mpi_emit_other_request(request_at);
        spur_leave_now(loc, call);
        return;
    }
    const uint64_t id = mpi_request_new_id();
    const mpi_word handle = put_message(loc, MPI_REQUEST_RECV, id, comm, request_at);
    remember(id, handle, comm, (uint32_t)source, (uint32_t)tag, false);
    spur_leave_after_MpiIrecvRequest(loc, call, id);
}

/* The half of the send; UINT64_MAX: the send is not recorded. */
static uint64_t put_isend(struct spur_loc *loc, const struct mpi_message *send)
{
    if (!send->is_recorded)
        return UINT64_MAX;
    const uint64_t id = mpi_request_new_id();
    mpi_ordinal(loc, MPI_ORDINAL_SEND, send->comm, send->dest, send->tag);
    spur_put_MpiIsend(loc, send->dest, send->comm, send->tag, send->bytes, id);
    return id;
}

void mpi_emit_isendrecv(struct spur_loc *loc, const struct mpi_message *send,
                        const struct mpi_message *receive, OTF2_CommRef comm, int source,
                        mpi_word request_at)
{
    struct mpi_request request = recv_request(comm, source);
    if (request.kind == MPI_REQUEST_OTHER) {
        request = send_request(send);
        request.id = put_isend(loc, send);
        put_request(loc, &request, request_at);
        return;
    }
    request.kind = MPI_REQUEST_SENDRECV;
    request.has_envelope = receive->is_recorded;
    request.dest = receive->dest;
    request.tag = receive->tag;
    request.bytes = receive->bytes;
    request.send_id = put_isend(loc, send);
    request.id = mpi_request_new_id();
    spur_put_MpiIrecvRequest(loc, request.id);
    put_request(loc, &request, request_at);
    remember(request.id, handle_at(request_at), comm, (uint32_t)source, receive->tag, false);
}

void mpi_emit_other_request(mpi_word request_at)
{
    struct mpi_request request = {.kind = MPI_REQUEST_OTHER};
    mpi_request_put(&mpi_requests, handle_at(request_at), &request);
}

static void put_persistent(struct mpi_request *request, bool is_off, mpi_word request_at)
{
    request->is_persistent = true;
    request->is_off = is_off;
    request->is_idle = true;
    mpi_request_put(&mpi_requests, handle_at(request_at), request);
}

void mpi_emit_send_init(const struct mpi_message *message, int partitions, bool is_off,
                        mpi_word request_at)
{
    struct mpi_request request = send_request(message);
    request.partitions = (uint32_t)partitions;
    put_persistent(&request, is_off, request_at);
}

void mpi_emit_recv_init(mpi_word comm, int source, int tag, int partitions, bool is_off,
                        mpi_word request_at)
{
    struct mpi_request request = recv_request(mpi_comm_id(comm), source);
    request.dest = (uint32_t)source;
    request.tag = (uint32_t)tag;
    request.partitions = (uint32_t)partitions;
    put_persistent(&request, is_off, request_at);
}

void mpi_emit_matched(mpi_word comm, mpi_word message_at)
{
    mpi_word message = handle_at(message_at);
    struct mpi_request request = {.comm = mpi_comm_id(comm)};
    if (message != mpi_library()->layout.message_no_proc)
        mpi_request_put(&mpi_messages, message, &request);
}

OTF2_CommRef mpi_emit_take_matched(mpi_word message_at)
{
    struct mpi_request request;
    return mpi_request_take(&mpi_messages, handle_at(message_at), &request) ? request.comm
                                                                            : OTF2_UNDEFINED_COMM;
}

/* ---- collective operations ---- */

void mpi_emit_coll_begin(struct spur_loc *loc, const struct mpi_comm *comm)
{
    if (comm)
        spur_put_MpiCollectiveBegin(loc);
}

/*
 * A failed operation took place as long as other processes may know of the operation. If the
 * arguments were found wrong, the operation belongs to the calling process alone. So the later
 * operations of the process still meet the operations of the other processes.
 */
static void end_failed(struct spur_loc *loc, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,
                       int ret)
{
    const struct mpi_comm *self = mpi_error_is_early(ret) ? mpi_comm_self() : NULL;
    if (self)
        root = root == OTF2_COLLECTIVE_ROOT_NONE ? root : 0;
    mpi_mark_error(loc, ret);
    mpi_emit_coll_end_on(loc, op, self ? self->id : comm, root, 0, 0);
}

void mpi_emit_coll_end(struct spur_loc *loc, const struct mpi_coll *coll, int ret)
{
    if (!coll->comm)
        return;
    if (ret == 0)
        mpi_emit_coll_end_on(loc, coll->op, coll->comm->id, coll->root, coll->sent, coll->received);
    else
        end_failed(loc, coll->op, coll->comm->id, coll->root, ret);
}

static struct mpi_request coll_request(const struct mpi_coll *coll)
{
    return (struct mpi_request){
        .kind = coll->comm ? MPI_REQUEST_COLL : MPI_REQUEST_OTHER,
        .comm = coll->comm ? coll->comm->id : OTF2_UNDEFINED_COMM,
        .op = coll->op,
        .root = coll->root,
        .sent = coll->sent,
        .received = coll->received,
    };
}

void mpi_emit_coll_request(struct spur_loc *loc, const struct mpi_coll *coll, mpi_word request_at)
{
    struct mpi_request request = coll_request(coll);
    if (request.kind == MPI_REQUEST_COLL) {
        request.id = mpi_request_new_id();
        spur_put_NonBlockingCollectiveRequest(loc, request.id);
    }
    put_request(loc, &request, request_at);
}

void mpi_emit_coll_init(const struct mpi_coll *coll, bool is_off, mpi_word request_at)
{
    struct mpi_request request = coll_request(coll);
    if (coll->comm)
        request.series = atomic_fetch_add_explicit(&coll->comm->series, 1, memory_order_relaxed);
    put_persistent(&request, is_off, request_at);
}

/* ---- communicators ---- */

static void end_on(struct spur_loc *loc, OTF2_CollectiveOp op, OTF2_CommRef comm, int ret)
{
    if (ret == 0)
        mpi_emit_coll_end_on(loc, op, comm, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    else
        end_failed(loc, op, comm, OTF2_COLLECTIVE_ROOT_NONE, ret);
}

struct mpi_comm *mpi_emit_comm_new(const struct spur_loc *loc, mpi_word parent, mpi_word new_at,
                                   int ret)
{
    return ret ? NULL
               : mpi_comm_created(handle_at(new_at), parent ? mpi_comm_of(parent) : NULL,
                                  !spur_is_dropped(loc), "");
}

enum { TAG_DIGITS = 20, TAG_MAX = 100 };

/* The digits of the number, without the stack that printf takes. */
static const char *digits_of(int number, char digits[TAG_DIGITS])
{
    char *at = digits + TAG_DIGITS - 1;
    unsigned left = number < 0 ? 0u - (unsigned)number : (unsigned)number;
    *at = '\0';
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--at = '-';
    return at;
}

struct mpi_comm *mpi_emit_comm_tagged(const struct spur_loc *loc, mpi_word parent, mpi_word new_at,
                                      int tag, const char *text, int ret)
{
    char digits[TAG_DIGITS];
    char how[TAG_MAX] = "made by tag ";
    if (ret)
        return NULL;
    strncat(how, text ? text : digits_of(tag, digits), sizeof how - strlen(how) - 1);
    return mpi_comm_created(handle_at(new_at), parent ? mpi_comm_of(parent) : NULL,
                            !spur_is_dropped(loc), how);
}

void mpi_emit_comm_created(struct spur_loc *loc, const struct mpi_comm *on,
                           const struct mpi_comm *made, int ret)
{
    if (!on)
        return;
    if (made && made->has_events)
        spur_put_CommCreate(loc, made->id);
    end_on(loc, OTF2_COLLECTIVE_OP_CREATE_HANDLE, on->id, ret);
}

void mpi_emit_comm_icreate(struct spur_loc *loc, mpi_word parent, mpi_word new_at,
                           mpi_word request_at)
{
    const struct mpi_comm *from = mpi_comm_of(parent);
    struct mpi_comm *made = from ? mpi_comm_copied(from, !spur_is_dropped(loc)) : NULL;
    if (!made) {
        mpi_emit_other_request(request_at);
        return;
    }
    /*
     * MPICH and Open MPI store the new handle at once, and their Fortran bindings rely on the early
     * handle. A binding passes the address of a variable of its own, and the variable is gone when
     * the request completes.
     */
    const bool is_known = mpi_library()->layout.family != MPI_FAMILY_ABI;
    if (is_known)
        mpi_comm_bind(made, handle_at(new_at));
    struct mpi_request request = {
        .id = mpi_request_new_id(),
        .kind = MPI_REQUEST_COMM,
        .comm = from->id,
        .new_handle_at = is_known ? 0 : new_at,
        .new_comm = made,
    };
    spur_put_NonBlockingCollectiveRequest(loc, request.id);
    put_request(loc, &request, request_at);
}

void mpi_emit_comm_free(struct spur_loc *loc, mpi_word handle, struct mpi_comm *comm, int ret)
{
    OTF2_CommRef id = comm ? comm->id : OTF2_UNDEFINED_COMM;
    if (comm && ret == 0 && comm->has_events)
        spur_put_CommDestroy(loc, id);
    if (ret == 0)
        mpi_comm_forget(handle, comm);
    if (id != OTF2_UNDEFINED_COMM)
        end_on(loc, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, id, ret);
}

void mpi_emit_comm_name(mpi_word comm, mpi_word name)
{
    const struct mpi_comm *known = mpi_comm_of(comm);
    if (known)
        spur_def_comm_name(known->id, mpi_address(name));
}
