/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known about an open request, by handle. MPI gives out one handle for several requests
 * that are complete at once, to all threads, and reuses a handle at once; so each handle has a
 * queue for each thread that has made some, first in first out. Who asks for a handle gets the
 * first of its own, or, if it has none, of another thread's: that one has handed it over.
 * Unbounded, O(1), any thread; no lock is held while MPI is called. The first request of a handle
 * is as a rule at a place that the handle alone tells, on one cache line.
 *
 * A request is taken out when it is completed. Requests are values: put copies in, take copies out.
 * As long as one thread uses a table this takes no atomic operation (mpi_owner.h).
 */
#ifndef MPI_REQUEST_H
#define MPI_REQUEST_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

struct mpi_comm;

enum mpi_request_kind {
    MPI_REQUEST_OTHER, /* no message belongs to it: its peer is MPI_PROC_NULL, or it is no message
                        */
    MPI_REQUEST_SEND,
    MPI_REQUEST_RECV,
    MPI_REQUEST_SENDRECV,
    MPI_REQUEST_COLL,
    MPI_REQUEST_COMM, /* a communicator is being created */
    MPI_REQUEST_RMA,
    MPI_REQUEST_IO,
};

struct mpi_request {
    uint64_t id; /* the running operation's; of a persistent request a new one per start */
    OTF2_CommRef comm;
    uint8_t kind; /* enum mpi_request_kind */
    union {
        uint8_t unusual; /* 0: none of these */
        struct {
            bool is_persistent : 1;
            bool is_idle : 1; /* persistent and not started */
            bool is_cancelled : 1;
            bool is_off : 1;       /* of a persistent request: its group is switched off */
            bool is_dropped : 1;   /* the running operation's start is not recorded, nor will be its
                                      end */
            bool has_envelope : 1; /* of MPI_REQUEST_SENDRECV: see below */
        };
    };
    uint16_t maker; /* the thread that made it, by a number of the table's */
    union {
        struct {
            uint32_t dest; /* of a send: what each start of a persistent request records; of a
                              persistent receive the source and the tag */
            uint32_t tag;
            uint64_t bytes;
            /* Of MPI_REQUEST_SENDRECV: the above is the message to be received, if known. */
            uint64_t send_id;
            uint32_t partitions; /* of a persistent one; 0: it is plain */
        };
        struct {
            uint32_t root;
            OTF2_CollectiveOp op;
            uint64_t sent;
            uint64_t received;
            uint32_t series; /* of a persistent one: which of its communicator's it is */
        };
        struct {
            mpi_word new_handle_at; /* where MPI will put the handle; 0: it is known */
            struct mpi_comm *new_comm;
        };
        OTF2_RmaWinRef win;
        OTF2_IoHandleRef file;
    };
};

struct mpi_request_table;

/* The program's requests, and the matched messages of MPI_Mprobe (`comm` is what counts). */
extern struct mpi_request_table mpi_requests;
extern struct mpi_request_table mpi_messages;

/* Ids count up in a thread and are never reused in the process. */
uint64_t mpi_request_new_id(void);

/* Behind the thread's others with that handle. Forgotten when there is no memory. */
void mpi_request_put(struct mpi_request_table *table, mpi_word handle,
                     const struct mpi_request *request);
/* Before its maker's others with that handle: one that was taken and is still open. */
void mpi_request_put_back(struct mpi_request_table *table, mpi_word handle,
                          const struct mpi_request *request);
/* The first with this handle, rather of one's own. False when there is none. */
bool mpi_request_take(struct mpi_request_table *table, mpi_word handle,
                      struct mpi_request *request);
/* The same, and it stays. */
bool mpi_request_peek(struct mpi_request_table *table, mpi_word handle,
                      struct mpi_request *request);
/* MPI_Cancel was called: at its completion it is to be asked whether that had an effect. */
void mpi_request_cancel(struct mpi_request_table *table, mpi_word handle);

#endif
