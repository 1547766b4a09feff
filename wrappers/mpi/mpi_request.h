/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The knowledge about an open request, by handle. MPI gives out the same handle for several
 * requests that are complete at once, to all threads, and reuses a handle at once. So each handle
 * has a queue for each thread that has made requests with the handle, first in first out. A thread
 * that asks for a handle gets its own first request, or, without own requests, another thread's:
 * then the other thread has handed the request over. Unbounded, O(1), any thread; no lock is held
 * while MPI is called. The first request of a handle is as a rule at a place computed from the
 * handle, on a cache line of its own.
 *
 * A request is taken out at its completion. Requests are values: put copies in, take copies out. As
 * long as one thread uses a table, the functions take no atomic operation (mpi_owner.h).
 */
#ifndef MPI_REQUEST_H
#define MPI_REQUEST_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

struct mpi_comm;

enum mpi_request_kind {
    MPI_REQUEST_OTHER, /* without a message: peer MPI_PROC_NULL, or another operation */
    MPI_REQUEST_SEND,
    MPI_REQUEST_RECV,
    MPI_REQUEST_SENDRECV,
    MPI_REQUEST_COLL,
    MPI_REQUEST_COMM, /* a communicator is being created */
    MPI_REQUEST_RMA,
    MPI_REQUEST_IO,
};

struct mpi_request {
    uint64_t id; /* of the running operation; a persistent request gets a new id per start */
    OTF2_CommRef comm;
    uint8_t kind; /* enum mpi_request_kind */
    union {
        uint8_t unusual; /* 0: all flags below are 0 */
        struct {
            bool is_persistent : 1;
            bool is_idle : 1; /* persistent and not started */
            bool is_cancelled : 1;
            bool is_off : 1;       /* of a persistent request: the group is off */
            bool is_dropped : 1;   /* the running operation's start is not recorded, nor will be its
                                      end */
            bool has_envelope : 1; /* of MPI_REQUEST_SENDRECV: see below */
        };
    };
    uint16_t maker; /* the making thread, by a number of the table's */
    union {
        struct {
            uint32_t dest; /* of a send: what each start of a persistent request records; of a
                              persistent receive the source and the tag */
            uint32_t tag;
            uint64_t bytes;
            /* Of MPI_REQUEST_SENDRECV: the members above are the message to be received, if
             * known. */
            uint64_t send_id;
            uint32_t partitions; /* of a persistent request; 0: plain */
        };
        struct {
            uint32_t root;
            OTF2_CollectiveOp op;
            uint64_t sent;
            uint64_t received;
            uint32_t series; /* of a persistent request: number within its communicator */
        };
        struct {
            mpi_word new_handle_at; /* where MPI will put the handle; 0: known */
            struct mpi_comm *new_comm;
        };
        OTF2_RmaWinRef win;
        OTF2_IoHandleRef file;
    };
};

struct mpi_request_table;

/* The program's requests, and the matched messages of MPI_Mprobe (of these, `comm` counts). */
extern struct mpi_request_table mpi_requests;
extern struct mpi_request_table mpi_messages;

/* Ids count up in a thread and are never reused in the process. */
uint64_t mpi_request_new_id(void);

/* Put behind the thread's earlier requests with the handle. Forgotten when there is no memory. */
void mpi_request_put(struct mpi_request_table *table, mpi_word handle,
                     const struct mpi_request *request);
/* Put back before its maker's requests with the handle: a request that was taken and is still
 * open. */
void mpi_request_put_back(struct mpi_request_table *table, mpi_word handle,
                          const struct mpi_request *request);
/* Take the first request with this handle, rather an own request. False: no request. */
bool mpi_request_take(struct mpi_request_table *table, mpi_word handle,
                      struct mpi_request *request);
/* The same, and the request stays. */
bool mpi_request_peek(struct mpi_request_table *table, mpi_word handle,
                      struct mpi_request *request);
/* MPI_Cancel was called: at the completion, ask MPI whether the cancel had an effect. */
void mpi_request_cancel(struct mpi_request_table *table, mpi_word handle);

#endif
