/* SPDX-License-Identifier: BSD-3-Clause */
/* The meanings of mpi_calls_io.def, in the form that mpi_meanings.h describes. */
#ifndef MPI_MEANINGS_IO_H
#define MPI_MEANINGS_IO_H

#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_file.h"
#include "wrappers/mpi/mpi_layer.h"

/* clang-format off */
/* POSIX calls of the real function belong to the layer below. */
#define LAYER_(file) \
    MPI_LAYER(layer_) = mpi_layer_of(file); \
    mpi_layer_begin(&layer_, loc, frame.call);
#define LAYER_OF_(fh) LAYER_(mpi_file_id(fh))
#define LAYER_END_ mpi_layer_returned(&layer_);

#define HOOKS_FILE_WORKS(...) NOTHING, BEFORE, ISSUED, _
#define BEFORE_FILE_WORKS(fh) LAYER_OF_(fh)
#define ISSUED_FILE_WORKS(...) LAYER_END_

#define HOOKS_FILE_OPEN(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_OPEN(comm, name, amode, fh) \
    MPI_LAYER(layer_) = mpi_layer_opening(mpi_comm_id(comm), name); \
    mpi_layer_begin(&layer_, loc, frame.call);
#define ISSUED_FILE_OPEN(...) LAYER_END_
#define AFTER_FILE_OPEN(comm, name, amode, fh) TICK_ \
    if (ret == 0) \
        mpi_file_opened(loc, spur_layer_handle_of(&layer_.file), INT_(amode), fh);

#define HOOKS_FILE_CLOSE(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_CLOSE(fh) \
    const OTF2_IoHandleRef closing_ = mpi_file_take(fh); \
    LAYER_(closing_)
#define ISSUED_FILE_CLOSE(...) LAYER_END_
#define AFTER_FILE_CLOSE(fh) TICK_ mpi_file_closed(loc, fh, closing_, ret);

#define HOOKS_FILE_DELETE(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_DELETE(name) LAYER_(OTF2_UNDEFINED_IO_HANDLE)
#define ISSUED_FILE_DELETE(...) LAYER_END_
#define AFTER_FILE_DELETE(name) TICK_ \
    if (ret == 0) \
        mpi_file_deleted(loc, name);

/* Its begin is recorded in front of the first POSIX call, or when the real function has succeeded. */
#define OPERATES_(mode_, flags_, fh, n, type_) \
    MPI_LAYER(layer_) = mpi_layer_operating((struct mpi_file_op){ \
        .file = mpi_file_id(fh), .mode = OTF2_IO_OPERATION_MODE_##mode_, .flags = flags_, \
        .count = n, .type = type_}); \
    mpi_layer_begin(&layer_, loc, frame.call);
#define OPERATED_ LAYER_END_ \
    if (ret == 0) \
        spur_layer_begin_once(&layer_.file, loc);
#define OP_ (&layer_.op)
#define FILE_FLAG_(flag) OTF2_IO_OPERATION_FLAG_##flag

/* A read or write that blocks. */
#define HOOKS_FILE_DO(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_DO(mode, flag, fh, n, type, status) \
    OWN_STATUS_(status) \
    OPERATES_(mode, FILE_FLAG_(flag), fh, COUNT_(n), type)
#define ISSUED_FILE_DO(...) OPERATED_
#define AFTER_FILE_DO(mode, flag, fh, n, type, status) TICK_ \
    mpi_file_over(loc, OP_, ret, mpi_address(status));

/* One that a request completes. */
#define HOOKS_FILE_START(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_START(mode, flag, fh, n, type, request) \
    OPERATES_(mode, FILE_FLAG_(NON_BLOCKING) | FILE_FLAG_(flag), fh, COUNT_(n), type)
#define ISSUED_FILE_START(mode, flag, fh, n, type, request) OPERATED_ \
    if (ret == 0) \
        mpi_file_requested(OP_, request);
#define AFTER_FILE_START(...) TICK_ mpi_file_issued(loc, OP_, ret);

/* One in two halves. */
#define HOOKS_FILE_BEGIN(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_BEGIN(mode, fh, n, type) \
    OPERATES_(mode, FILE_FLAG_(NON_BLOCKING) | FILE_FLAG_(COLLECTIVE), fh, COUNT_(n), type)
#define ISSUED_FILE_BEGIN(mode, fh, n, type) OPERATED_ \
    if (ret == 0) \
        mpi_file_split_begin(OP_, fh);
#define AFTER_FILE_BEGIN(...) TICK_ mpi_file_issued(loc, OP_, ret);

#define HOOKS_FILE_END(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_END(fh, status) \
    OWN_STATUS_(status) \
    LAYER_OF_(fh)
#define ISSUED_FILE_END(...) LAYER_END_
#define AFTER_FILE_END(fh, status) TICK_ mpi_file_split_end(loc, fh, ret, mpi_address(status));

#define HOOKS_FILE_SYNC(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_SYNC(fh) OPERATES_(FLUSH, FILE_FLAG_(COLLECTIVE), fh, 0, 0)
#define ISSUED_FILE_SYNC(...) OPERATED_
#define AFTER_FILE_SYNC(...) TICK_ mpi_file_over(loc, OP_, ret, NULL);

#define HOOKS_FILE_SEEK(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_SEEK(fh, offset, whence) LAYER_OF_(fh)
#define ISSUED_FILE_SEEK(...) LAYER_END_
#define AFTER_FILE_SEEK(fh, offset, whence) TICK_ \
    if (ret == 0) \
        mpi_file_sought(loc, fh, (int64_t)(offset), INT_(whence), false);

#define HOOKS_FILE_SEEK_SHARED(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_SEEK_SHARED(fh, offset, whence) LAYER_OF_(fh)
#define ISSUED_FILE_SEEK_SHARED(...) LAYER_END_
#define AFTER_FILE_SEEK_SHARED(fh, offset, whence) TICK_ \
    if (ret == 0) \
        mpi_file_sought(loc, fh, (int64_t)(offset), INT_(whence), true);

#define HOOKS_FILE_VIEW(...) NOTHING, BEFORE, ISSUED, AFTER
#define BEFORE_FILE_VIEW(fh) LAYER_OF_(fh)
#define ISSUED_FILE_VIEW(...) LAYER_END_
#define AFTER_FILE_VIEW(fh) TICK_ \
    if (ret == 0) \
        mpi_file_viewed(loc, fh);
/* clang-format on */

#endif
