/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread can wait for: session/segment.h holds it. */
#ifndef SPUR_WAIT_KINDS_H
#define SPUR_WAIT_KINDS_H

#include <stdint.h>

enum spur_wait {
    SPUR_WAIT_NOTHING,
    SPUR_WAIT_SEND,       /* for a receiver: communicator, rank, tag */
    SPUR_WAIT_RECV,       /* for a sender; rank and tag may be negative numbers: any */
    SPUR_WAIT_REQUEST,    /* for one request: its handle */
    SPUR_WAIT_ALL,        /* for several, */
    SPUR_WAIT_ANY,        /* or one of them */
    SPUR_WAIT_COLLECTIVE, /* for all: communicator, root, operation */
    SPUR_WAIT_LOCK,       /* for who holds it: its number in place of a rank */
    SPUR_WAIT_THREAD,     /* for its end: its number in place of a rank */
};

/* A message that was posted as a request, at the place that its id tells. */
struct spur_posted {
    uint64_t id, handle;
    uint32_t comm, peer, tag, is_send;
};

#endif
