/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meaning of calls for the trace: messages, requests, communicators. Each function writes
 * records at the location's current time; mpi_meanings.h has the calls of these functions.
 */
#ifndef MPI_EMIT_H
#define MPI_EMIT_H

#include "wrappers/mpi/library/mpi_size.h"
#include "wrappers/mpi/mpi_coll.h"
#include "wrappers/mpi/mpi_ordinal.h"
#include "wrappers/mpi/mpi_request.h"

/* A message to be sent. */
struct mpi_message {
    OTF2_CommRef comm;
    uint32_t dest;
    uint32_t tag;
    uint64_t bytes;
    bool is_recorded; /* false: to MPI_PROC_NULL, or with wrong arguments */
};

/* All arguments as the program passed them; `count` is widened already. */
MPI_HOT struct mpi_message mpi_emit_message(mpi_word comm, int dest, int tag, int64_t count,
                                            mpi_word datatype)
{
    struct mpi_message message = {.dest = (uint32_t)dest, .tag = (uint32_t)tag};
    const struct mpi_comm *known = mpi_comm_of(comm);
    if (known && dest >= 0 && dest < mpi_comm_partners(known) && tag >= 0 && count >= 0) {
        message.comm = known->id;
        message.bytes = mpi_bytes(mpi_library(), count, datatype);
        message.is_recorded = true;
    }
    return message;
}

MPI_HOT void mpi_emit_send(struct spur_loc *loc, const struct mpi_message *message)
{
    if (!message->is_recorded)
        return;
    mpi_ordinal(loc, MPI_ORDINAL_SEND, message->comm, message->dest, message->tag);
    spur_put_MpiSend(loc, message->dest, message->comm, message->tag, message->bytes);
}
void mpi_emit_recv(struct spur_loc *loc, mpi_word comm, const void *status);
/* The call has failed, but has received a message all the same if the message was too long. */
void mpi_emit_recv_failed(struct spur_loc *loc, OTF2_CommRef comm, const void *status, int ret);
/* A receive from a matched message: `comm` as remembered. */
void mpi_emit_recv_on(struct spur_loc *loc, OTF2_CommRef comm, const void *status);
/* The completion of a receive request. */
void mpi_emit_received(struct spur_loc *loc, const struct mpi_request *request, const void *status);
/* The same for a receive started while recording was paused: the message is counted. */
void mpi_emit_missed(const struct mpi_request *request, const void *status);
/* The same for a failed receive, if the message was too long for the request; else false. */
bool mpi_emit_truncated(struct spur_loc *loc, const struct mpi_request *request, const void *status,
                        int error);

/* The starts. `request_at` is the address of the new handle. The first two functions leave `call`
 * now. */
void mpi_emit_isend(struct spur_loc *loc, struct spur_call *call, const struct mpi_message *message,
                    mpi_word request_at);
void mpi_emit_irecv(struct spur_loc *loc, struct spur_call *call, OTF2_CommRef comm, int source,
                    int tag, mpi_word request_at);
/* `receive` is the message as asked for; not recorded when a wildcard was given. */
void mpi_emit_isendrecv(struct spur_loc *loc, const struct mpi_message *send,
                        const struct mpi_message *receive, OTF2_CommRef comm, int source,
                        mpi_word request_at);
/* A request without a message, so that handles are counted right. */
void mpi_emit_other_request(mpi_word request_at);

/*
 * Persistent requests are made: remembered, nothing is written. `is_off`: the starts of the
 * requests will not be recorded either, since their group is switched off. `partitions`: 0 of a
 * plain message.
 */
void mpi_emit_send_init(const struct mpi_message *message, int partitions, bool is_off,
                        mpi_word request_at);
void mpi_emit_recv_init(mpi_word comm, int source, int tag, int partitions, bool is_off,
                        mpi_word request_at);

/* MPI_Mprobe found a message: remember its communicator. Taken when the message is received. */
void mpi_emit_matched(mpi_word comm, mpi_word message_at);
OTF2_CommRef mpi_emit_take_matched(mpi_word message_at);

/* Collective operations: a begin, an end, a start in the background; a persistent operation is
 * made. */
void mpi_emit_coll_begin(struct spur_loc *loc, const struct mpi_comm *comm);
void mpi_emit_coll_end(struct spur_loc *loc, const struct mpi_coll *coll, int ret);
/* The record alone, with its place in the order of the communicator's operations. */
void mpi_emit_coll_end_on(struct spur_loc *loc, OTF2_CollectiveOp op, OTF2_CommRef comm,
                          uint32_t root, uint64_t sent, uint64_t received);
void mpi_emit_coll_request(struct spur_loc *loc, const struct mpi_coll *coll, mpi_word request_at);
void mpi_emit_coll_init(const struct mpi_coll *coll, bool is_off, mpi_word request_at);

/* The communicator at `new_at`, made from `parent`; NULL: this process has no new communicator. */
struct mpi_comm *mpi_emit_comm_new(const struct spur_loc *loc, mpi_word parent, mpi_word new_at,
                                   int ret);
/* The same for a communicator whose members have met by a tag: a number, or a text if `text` is not
 * NULL. */
struct mpi_comm *mpi_emit_comm_tagged(const struct spur_loc *loc, mpi_word parent, mpi_word new_at,
                                      int tag, const char *text, int ret);
/* The birth of a communicator, and the end of the collective operation on `on` (NULL: no begin)
 * with the result `ret`. */
void mpi_emit_comm_created(struct spur_loc *loc, const struct mpi_comm *on,
                           const struct mpi_comm *made, int ret);
void mpi_emit_comm_icreate(struct spur_loc *loc, mpi_word parent, mpi_word new_at,
                           mpi_word request_at);
/* `handle` was read and `comm` looked up before the call that frees the handle. */
void mpi_emit_comm_free(struct spur_loc *loc, mpi_word handle, struct mpi_comm *comm, int ret);
void mpi_emit_comm_name(mpi_word comm, mpi_word name);

/* ---- the subject of a blocking call's wait ---- */

static inline void mpi_emit_waits_send(struct spur_loc *loc, const struct mpi_message *message)
{
    spur_waits(loc, SPUR_WAIT_SEND, message->comm, message->dest, message->tag);
}

static inline void mpi_emit_waits_coll(struct spur_loc *loc, const struct mpi_coll *coll)
{
    if (coll->comm)
        spur_waits(loc, SPUR_WAIT_COLLECTIVE, coll->comm->id, coll->root, coll->op);
}

static inline void mpi_emit_waits_create(struct spur_loc *loc, const struct mpi_comm *on)
{
    if (on)
        spur_waits(loc, SPUR_WAIT_COLLECTIVE, on->id, OTF2_COLLECTIVE_ROOT_NONE,
                   OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

#endif
