/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rules about input and output share: handles, and what is told of an event. */
#ifndef CHECK_CHECK_IO_H
#define CHECK_CHECK_IO_H

#include "tools/check/mpi.h"

/* A handle as one process has it. */
struct handle {
    struct node node; /* a: process, b: handle */
    bool is_open;
    bool is_known;       /* whether it is open */
    bool is_proxy;       /* of all handles of its interface */
    bool has_access;     /* the mode that it was opened with is known */
    uint8_t access;      /* OTF2_IoAccessMode */
    uint64_t n_together; /* openings and collective operations begun, */
    uint64_t together;   /* and which, as a number that tells sequences apart */
    uint64_t n_under_way;
    uint64_t n_locks, n_shared; /* that are held; those of them that are shared */
};

/* An operation of a location that blocks, and how deep the call is in which it began. */
struct blocking {
    size_t depth;
    uint64_t id;
    uint32_t handle;
};

/* What is told of an event. */
struct io_note {
    uint64_t time, id;
    uint64_t bytes; /* requested, or moved */
    uint32_t handle;
    uint32_t old;   /* which is duplicated */
    uint32_t flags; /* of an operation that begins */
    uint8_t record; /* enum otf2_evt_index */
    uint8_t mode;   /* of access, of the operation, or the type of a lock */
    bool has_group; /* of an opening: others of a communicator take part */
    uint8_t unused;
};

/* How a handle was open before. */
struct state {
    struct node node; /* a: handle */
    uint8_t access;   /* OTF2_IoAccessMode */
};

struct handles {
    struct table states;
    bool has_states; /* of all definitions */
    struct table handles;
    struct table operations;
    struct table agreements;
};

/* To the process: an operation of it has one owner with the handle, and that with its duplicate. */
void io_tell(struct check *c, struct location *at, enum otf2_evt_index record, struct io_note note);

/* The handle as a process has it. `what` uses it, and has to find it open. */
struct handle *io_handle_of(struct check *c, const struct location *at, uint32_t number);
struct handle *io_use(struct check *c, const struct location *at, struct place where,
                      uint32_t number, const char *what);
void io_count_together(struct handle *h, uint64_t what);
/* `what` is done to a handle that stands for all of its interface, which is none. */
void io_not_of_proxy(struct check *c, struct place where, const struct handle *h, const char *what);

const struct otf2_def_IoHandle *io_handle_def(const struct check *c, uint32_t number);

/* check_io_together.c */
void io_together_begin(struct check *c);
void io_together_finish(struct check *c, bool is_complete);
/* The group of MPI that opens a handle together; NULL: it has none. */
const struct otf2_def_Group *io_openers(const struct check *c, uint32_t number);

/* check_io_operations.c */
void io_operations_begin(struct check *c);
void io_operations_finish(struct check *c, bool is_complete);
void take_begin(struct check *c, const struct engine_note *n, struct place where,
                const struct io_note *begin);
void take_operation_event(struct check *c, const struct location *at, struct place where,
                          const struct io_note *note);

#endif
