/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the kernel's interface (linux/io_uring.h), which headers of older systems lack. */
#ifndef IO_RING_MARKS_H
#define IO_RING_MARKS_H

enum {
#define RING_OPERATION(number, NAME, ...) IO_RING_##NAME = (number),
#include "wrappers/io/io_ring_operations.def"
#undef RING_OPERATION
};

enum {
    /* of a request */
    IO_RING_FILE_IS_INDEX = 1 << 0,  /* IOSQE_FIXED_FILE */
    IO_RING_CHOOSES_BUFFER = 1 << 5, /* IOSQE_BUFFER_SELECT */
    IO_RING_IS_SILENT = 1 << 6,      /* IOSQE_CQE_SKIP_SUCCESS */
    IO_RING_RECEIVES_AGAIN = 1 << 1, /* IORING_RECV_MULTISHOT, in ioprio */
    /* of a completion */
    IO_RING_COMES_MORE = 1 << 1, /* IORING_CQE_F_MORE */
    IO_RING_IS_NOTE = 1 << 3,    /* IORING_CQE_F_NOTIF */
    IO_RING_FILLS = 1 << 5,      /* IORING_CQE_F_SKIP: at the end of the ring, before a wide one */
    IO_RING_IS_WIDE = 1 << 15,   /* IORING_CQE_F_32 */
    /* of the setup */
    IO_RING_WIDE_REQUESTS = 1 << 10,     /* IORING_SETUP_SQE128 */
    IO_RING_WIDE_COMPLETIONS = 1 << 11,  /* IORING_SETUP_CQE32 */
    IO_RING_MIXED_COMPLETIONS = 1 << 18, /* IORING_SETUP_CQE_MIXED */
    IO_RING_MIXED_REQUESTS = 1 << 19,    /* IORING_SETUP_SQE_MIXED */
    IO_RING_KNOWN = (1 << 20) - 1,       /* what comes behind these may lay rings out otherwise */
    /* operations with wide requests in a mixed ring: IORING_OP_NOP128, IORING_OP_URING_CMD128 */
    IO_RING_FIRST_WIDE = 63,
    IO_RING_LAST_WIDE = 64,
};
#define IO_RING_SPLICES_INDEX (1u << 31) /* SPLICE_F_FD_IN_FIXED */

#endif
