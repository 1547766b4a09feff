/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of waits of a thread, as the thread's slot in session/segment.h tells. */
#ifndef SPUR_WAIT_KINDS_H
#define SPUR_WAIT_KINDS_H

#include <stdint.h>

enum spur_wait {
    SPUR_WAIT_NOTHING,
    SPUR_WAIT_SEND,       /* for a receiver: communicator, rank, tag */
    SPUR_WAIT_RECV,       /* for a sender; rank and tag may be negative numbers: any */
    SPUR_WAIT_REQUEST,    /* for one request: the handle */
    SPUR_WAIT_ALL,        /* for several, */
    SPUR_WAIT_ANY,        /* or for the first of several */
    SPUR_WAIT_COLLECTIVE, /* for all: communicator, root, operation */
    SPUR_WAIT_LOCK,       /* for the holder of a lock: the lock's number in place of a rank */
    SPUR_WAIT_THREAD,     /* for the end of a thread: the thread's number in place of a rank */
};

/* A message that was posted as a request. The id tells the place of the record. */
struct spur_posted {
    uint64_t id, handle;
    uint32_t comm, peer, tag, is_send;
};

#endif
