/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the rules about input and output: handles, and notes about events. */
#ifndef CHECK_CHECK_IO_H
#define CHECK_CHECK_IO_H

#include "tools/check/mpi.h"

/* The state of a handle in one process. */
struct handle {
    struct node node; /* a: process, b: handle */
    bool is_open;
    bool is_known;       /* is_open is reliable */
    bool is_proxy;       /* stands for all handles of an interface */
    bool has_access;     /* the access mode of the opening is known */
    uint8_t access;      /* OTF2_IoAccessMode */
    uint64_t n_together; /* openings and collective operations begun, and */
    uint64_t together;   /* a number computed from their sequence */
    uint64_t n_under_way;
    uint64_t n_locks, n_shared; /* locks held; of these, shared locks */
};

/*
 * An unfinished blocking operation of a location, and the depth of the call that began the
 * operation.
 */
struct blocking {
    size_t depth;
    uint64_t id;
    uint32_t handle;
};

/* A note about an event. */
struct io_note {
    uint64_t time, id;
    uint64_t bytes; /* requested, or moved */
    uint32_t handle;
    uint32_t old;   /* the duplicated handle */
    uint32_t flags; /* of the begin of an operation */
    uint8_t record; /* enum otf2_evt_index */
    uint8_t mode;   /* of access, of the operation, or the type of a lock */
    bool has_group; /* of an opening: the processes of a communicator open together */
    uint8_t unused;
};

/* The state of a handle before the first event. */
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

/*
 * A note to the process. All notes to a process have one owner, so that an operation meets its
 * handle, and a handle meets the duplicate.
 */
void io_tell(struct check *c, struct location *at, enum otf2_evt_index record, struct io_note note);

/*
 * The state of a handle in the process of a location. io_use() also reports if the handle is not
 * open; `what` names the user in the message.
 */
struct handle *io_handle_of(struct check *c, const struct location *at, uint32_t number);
struct handle *io_use(struct check *c, const struct location *at, struct place where,
                      uint32_t number, const char *what);
void io_count_together(struct handle *h, uint64_t what);
/*
 * Reports `what`, an act on a handle that stands for all handles of an interface: only a real
 * handle can be used.
 */
void io_not_of_proxy(struct check *c, struct place where, const struct handle *h, const char *what);

const struct otf2_def_IoHandle *io_handle_def(const struct check *c, uint32_t number);

/* check_io_together.c */
void io_together_begin(struct check *c);
void io_together_finish(struct check *c, bool is_complete);
/* The MPI group whose processes open a handle together; NULL: no group. */
const struct otf2_def_Group *io_openers(const struct check *c, uint32_t number);

/* check_io_operations.c */
void io_operations_begin(struct check *c);
void io_operations_finish(struct check *c, bool is_complete);
void take_begin(struct check *c, const struct engine_note *n, struct place where,
                const struct io_note *begin);
void take_operation_event(struct check *c, const struct location *at, struct place where,
                          const struct io_note *note);

#endif
