/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of the tests' MPI library. Ranks share one file: a queue of messages per rank, under
 * one lock. A send copies its message into the file at once and never waits. A receive is posted in
 * the process and matched in the order of posting. A collective operation consists of messages with
 * a number of their own, to and from every rank with a part in the operation. Simple and slow; a
 * job aborts when the file is full.
 */
#ifndef TESTS_MPI_ABI_ABI_H
#define TESTS_MPI_ABI_ABI_H

#include "mpi.h"

#include <stdbool.h>
#include <stddef.h>

/* MPI_Name is a weak second name of PMPI_Name, as the profiling interface wants. */
#define ALIAS(Name)                                                                                \
    extern __typeof__(PMPI_##Name) MPI_##Name __attribute__((weak, alias("PMPI_" #Name)));

enum { MAX_RANKS = 64 };

/* ---- communicators ---- */

struct comm {
    int context; /* of messages; collective operations: context + 1 */
    int size;
    int rank;
    int *members; /* world ranks */
    int collectives;
    bool returns_errors;
    char name[MPI_MAX_OBJECT_NAME];
};

extern struct comm abi_world;
extern struct comm abi_self;

/* NULL when `comm` is no communicator. */
struct comm *abi_comm(MPI_Comm comm);

/* The end of an operation on `comm` with `error`: return the error, or end the job. */
int abi_error(const struct comm *comm, int error);

/* ---- datatypes and operators ---- */

/* -1 when `datatype` is no datatype. */
int64_t abi_type_size(MPI_Datatype datatype);

/* inout = in op inout */
void abi_reduce(const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op op);

/* ---- the shared file: all under the lock of the file ---- */

struct message {
    uint64_t next; /* offset in the file, 0: no next message */
    int source;    /* rank in the communicator */
    int tag;
    int context;
    int is_synchronous; /* the sender frees the message, once taken */
    int is_taken;
    int class;
    uint64_t number; /* among all messages to the receiver */
    uint64_t bytes;
    unsigned char data[];
};

/* Join the job of the environment, or be a job of a single process. False on failure. */
bool abi_share_open(int *rank, int *size);
void abi_share_close(void);
int abi_share_new_contexts(int count);

/* Send to a world rank. Returns a synchronous message, which the sender has to free. */
struct message *abi_message_put(int to, const struct message *envelope, const void *data);
/* How many messages to `to` there were so far. */
uint64_t abi_messages_arrived(int to);
/* The first matching message of the first `until` messages; taken out of the queue when `take`. */
struct message *abi_message_match(int to, int context, int source, int tag, uint64_t until,
                                  bool take);
void abi_message_received(struct message *message);
void abi_message_free(struct message *message);
bool abi_message_is_taken(const struct message *message);
/* Let other ranks go on. */
void abi_pause(void);

/* ---- requests ---- */

enum kind { SEND, RECV, MATCHED, COLLECTIVE_OPERATION, GENERALISED };

struct collective;

struct request {
    enum kind kind;
    bool is_persistent;
    bool is_active;
    bool is_done;
    bool is_synchronous;
    bool is_freed; /* by MPI_Request_free, before the end of the operation */
    struct comm *comm;
    int context;
    int peer;
    int tag;
    const void *out;
    void *in;
    uint64_t bytes;
    MPI_Status status;
    struct message *message; /* synchronous and sent, or matched */
    struct collective *collective;
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free_state;
    MPI_Grequest_cancel_function *cancel;
    void *state;
    struct request *next_posted;
};

struct request *abi_request_new(enum kind kind, struct comm *comm);
struct request *abi_request(MPI_Request request);
MPI_Request abi_handle(struct request *request);

/* Begin the request's operation; finish every operation that can end now; is the request done? */
void abi_request_start(struct request *request);
bool abi_request_test(struct request *request);
void abi_request_release(struct request *request);
/* Wait for a request that nobody else knows, free the request, and return its error. */
int abi_request_finish(struct request *request, MPI_Status *status);

/* A point-to-point request of a context, not started. */
struct request *abi_transfer(enum kind kind, struct comm *comm, int context, int peer, int tag);

bool abi_collective_test(struct request *request);
void abi_collective_free(struct collective *collective);

/* A status: the number of bytes, and whether the operation was cancelled. */
void abi_status_set(MPI_Status *status, int source, int tag, int error, uint64_t bytes);
uint64_t abi_status_bytes(const MPI_Status *status);

#endif
