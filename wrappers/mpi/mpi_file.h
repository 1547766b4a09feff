/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of MPI-IO: what the trace knows about a handle, and the records of what is done with it. A
 * file that was opened before recording began is not known: its calls are regions and nothing else.
 * What succeeds is recorded, and what has failed after a call of the layer below. All functions are
 * thread-safe.
 */
#ifndef MPI_FILE_H
#define MPI_FILE_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* An operation: a read, a write or a flush, and what it asks for. */
struct mpi_file_op {
    bool is_recorded; /* it has begun, of a file that is known */
    OTF2_IoHandleRef file;
    uint64_t id;
    OTF2_IoOperationMode mode;
    OTF2_IoOperationFlag flags;
    int64_t count;
    mpi_word type;
};

/* What is recorded of the handle; OTF2_UNDEFINED_IO_HANDLE: not known. */
OTF2_IoHandleRef mpi_file_id(mpi_word handle);

/* The new handle of a file that is being opened: the `file` of a struct mpi_layer. */
OTF2_IoHandleRef mpi_file_opening(const struct spur_layer_file *file);
/* The file is open, and MPI's handle at `file_at`. */
void mpi_file_opened(struct spur_loc *loc, OTF2_IoHandleRef id, int amode, mpi_word file_at);

/*
 * The handle is about to be closed, and MPI may give it out again before the call has returned:
 * take it away. OTF2_UNDEFINED_IO_HANDLE: not known.
 */
OTF2_IoHandleRef mpi_file_take(mpi_word file_at);
/* The call has returned; after an error (ret != 0) `file` is what it was. */
void mpi_file_closed(struct spur_loc *loc, mpi_word file_at, OTF2_IoHandleRef file, int ret);

void mpi_file_deleted(struct spur_loc *loc, mpi_word name);

/* An operation begins, whose datatype MPI has accepted. Nothing, if its file is not known. */
void mpi_file_began(struct spur_loc *loc, struct mpi_file_op *op);
/* It goes on in the background; the request at `request_at` will complete it. */
void mpi_file_requested(const struct mpi_file_op *op, mpi_word request_at);
/* It goes on in the background; mpi_file_split_end() will complete it. */
void mpi_file_split_begin(const struct mpi_file_op *op, mpi_word handle);
/* The call that began it is over; after an error (ret != 0) it is as well. */
void mpi_file_issued(struct spur_loc *loc, const struct mpi_file_op *op, int ret);
/* The same of one that blocks; `status` says how much was moved, NULL: nobody knows. */
void mpi_file_over(struct spur_loc *loc, const struct mpi_file_op *op, int ret, const void *status);
/* It has failed, after it had begun. */
void mpi_file_failed(struct spur_loc *loc, const struct mpi_file_op *op);
/* It is complete. */
void mpi_file_done(struct spur_loc *loc, OTF2_IoHandleRef file, uint64_t id, const void *status);
/* The call that waits for it has returned: complete, or after an error over. */
void mpi_file_split_end(struct spur_loc *loc, mpi_word handle, int ret, const void *status);

/*
 * The individual file pointer was moved, or the shared one. Positions are in units of the view's
 * elementary type. Where the shared pointer is after a relative movement is not asked: other
 * processes may have moved it again.
 */
void mpi_file_sought(struct spur_loc *loc, mpi_word handle, int64_t offset, int whence,
                     bool is_shared);
/* A view was set, which puts all file pointers to its begin. */
void mpi_file_viewed(struct spur_loc *loc, mpi_word handle);

#endif
