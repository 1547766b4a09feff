/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of MPI-IO: the trace's knowledge of a handle, and the records of operations on the handle.
 * A file opened before recording began is not known: its calls are regions and nothing else.
 * Successful operations are recorded, and operations that failed after a call of the lower layer.
 * All functions are thread-safe.
 */
#ifndef MPI_FILE_H
#define MPI_FILE_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* An operation: a read, a write or a flush, and its arguments. */
struct mpi_file_op {
    bool is_recorded; /* the operation has begun, on a known file */
    OTF2_IoHandleRef file;
    uint64_t id;
    OTF2_IoOperationMode mode;
    OTF2_IoOperationFlag flags;
    int64_t count;
    mpi_word type;
};

/* The id of the handle in records; OTF2_UNDEFINED_IO_HANDLE: not known. */
OTF2_IoHandleRef mpi_file_id(mpi_word handle);

/* The new handle of a file that is being opened: the `file` of a struct mpi_layer. */
OTF2_IoHandleRef mpi_file_opening(const struct spur_layer_file *file);
/* The file is open, and MPI's handle at `file_at`. */
void mpi_file_opened(struct spur_loc *loc, OTF2_IoHandleRef id, int amode, mpi_word file_at);

/*
 * The handle is about to be closed, and MPI may give the handle out again before the call has
 * returned: take the handle away. OTF2_UNDEFINED_IO_HANDLE: not known.
 */
OTF2_IoHandleRef mpi_file_take(mpi_word file_at);
/* The call has returned; after an error (ret != 0) the handle at `file_at` means `file` again. */
void mpi_file_closed(struct spur_loc *loc, mpi_word file_at, OTF2_IoHandleRef file, int ret);

void mpi_file_deleted(struct spur_loc *loc, mpi_word name);

/* An operation begins, and MPI has accepted its datatype. Nothing happens if the file is not
 * known. */
void mpi_file_began(struct spur_loc *loc, struct mpi_file_op *op);
/* The operation goes on in the background; the request at `request_at` will complete the
 * operation. */
void mpi_file_requested(const struct mpi_file_op *op, mpi_word request_at);
/* The operation goes on in the background; mpi_file_split_end() will complete the operation. */
void mpi_file_split_begin(const struct mpi_file_op *op, mpi_word handle);
/* The call that began the operation is over; after an error (ret != 0) so is the operation. */
void mpi_file_issued(struct spur_loc *loc, const struct mpi_file_op *op, int ret);
/* The same for a blocking operation; `status` tells the amount of moved data, NULL: unknown. */
void mpi_file_over(struct spur_loc *loc, const struct mpi_file_op *op, int ret, const void *status);
/* The operation has failed after its begin. */
void mpi_file_failed(struct spur_loc *loc, const struct mpi_file_op *op);
/* The operation is complete. */
void mpi_file_done(struct spur_loc *loc, OTF2_IoHandleRef file, uint64_t id, const void *status);
/* The call that waits for the operation has returned: the operation is complete, or after an error
 * over. */
void mpi_file_split_end(struct spur_loc *loc, mpi_word handle, int ret, const void *status);

/*
 * The individual file pointer was moved, or the shared pointer. Positions are in units of the
 * view's elementary type. spur does not ask for the shared pointer's position after a relative
 * movement: other processes may have moved the pointer again.
 */
void mpi_file_sought(struct spur_loc *loc, mpi_word handle, int64_t offset, int whence,
                     bool is_shared);
/* A view was set: all file pointers are at the begin of the view. */
void mpi_file_viewed(struct spur_loc *loc, mpi_word handle);

#endif
