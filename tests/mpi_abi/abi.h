/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of the tests' MPI library. Ranks share one file: a queue of messages per rank, under
 * one lock. Every message is copied into it at once, so a send never waits; a receive is posted in
 * the process and matched in the order of posting. Collective operations are such messages, with a
 * number of their own, to and from every rank that has a part in them. Simple and slow; a job that
 * fills the file aborts.
 */
#ifndef TESTS_MPI_ABI_ABI_H
#define TESTS_MPI_ABI_ABI_H

#include "mpi.h"

#include <stdbool.h>
#include <stddef.h>

/* MPI_Name is a weak second name of PMPI_Name, as the profiling interface wants it. */
#define ALIAS(Name)                                                                                \
    extern __typeof__(PMPI_##Name) MPI_##Name __attribute__((weak, alias("PMPI_" #Name)));

enum { MAX_RANKS = 64 };

/* ---- communicators ---- */

struct comm {
    int context; /* messages use it, collective operations the next one */
    int size;
    int rank;
    int *members; /* world ranks */
    int collectives;
    bool returns_errors;
    char name[MPI_MAX_OBJECT_NAME];
};

extern struct comm abi_world;
extern struct comm abi_self;

/* NULL when it is no communicator. */
struct comm *abi_comm(MPI_Comm comm);

/* What an operation on `comm` that ends with `error` does: return it, or end the job. */
int abi_error(const struct comm *comm, int error);

/* ---- datatypes and operators ---- */

/* -1 when it is no datatype. */
int64_t abi_type_size(MPI_Datatype datatype);

/* inout = in op inout */
void abi_reduce(const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op op);

/* ---- the shared file: all under its lock ---- */

struct message {
    uint64_t next; /* offset in the file, 0 for none */
    int source;    /* rank in the communicator */
    int tag;
    int context;
    int is_synchronous; /* its sender frees it, when it is taken */
    int is_taken;
    int class;
    uint64_t number; /* among those to the receiver */
    uint64_t bytes;
    unsigned char data[];
};

/* Join the job that the environment names, or be one of a single process. False on failure. */
bool abi_share_open(int *rank, int *size);
void abi_share_close(void);
int abi_share_new_contexts(int count);

/* Send to a world rank; a synchronous message is returned, to be freed by its sender. */
struct message *abi_message_put(int to, const struct message *envelope, const void *data);
/* How many messages to `to` there were so far. */
uint64_t abi_messages_arrived(int to);
/* The first of these `until` messages that matches; taken out of the queue when `take`. */
struct message *abi_message_match(int to, int context, int source, int tag, uint64_t until,
                                  bool take);
void abi_message_received(struct message *message);
void abi_message_free(struct message *message);
bool abi_message_is_taken(const struct message *message);
/* Let others go on. */
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
    bool is_freed; /* by MPI_Request_free, before it was done */
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

/* Begin what the request stands for; finish what can be finished; is this one done? */
void abi_request_start(struct request *request);
bool abi_request_test(struct request *request);
void abi_request_release(struct request *request);
/* Wait for a request that nobody else knows, free it, and return its error. */
int abi_request_finish(struct request *request, MPI_Status *status);

/* A point-to-point request of a context, not started. */
struct request *abi_transfer(enum kind kind, struct comm *comm, int context, int peer, int tag);

bool abi_collective_test(struct request *request);
void abi_collective_free(struct collective *collective);

/* The number of bytes in a status, and whether it was cancelled. */
void abi_status_set(MPI_Status *status, int source, int tag, int error, uint64_t bytes);
uint64_t abi_status_bytes(const MPI_Status *status);

#endif
