/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes of messages: by communicator, by kind, and by powers of two. A message counts at the
 * sender, an operation of all members counts on each member. The time of a call is shared equally
 * by the messages that the call sends, receives or completes. So the sum of all rows has the time
 * of each call once.
 */
#ifndef TOOLS_REPORT_SIZES_H
#define TOOLS_REPORT_SIZES_H

#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;
struct stream;

enum size_kind { SIZE_MESSAGE, SIZE_COLLECTIVE, SIZE_ONE_SIDED, SIZE_KINDS };
enum { SIZE_POWERS = 65 };

/* Messages from 2^(power - 1) up to, and without, 2^power bytes; power 0: empty messages. */
struct size {
    uint32_t comm; /* index */
    enum size_kind kind;
    uint32_t power;
    uint64_t n;
    uint64_t bytes;
    uint64_t ticks;
};

struct sizes {
    LIST(struct size) all;
    struct map index_of;                    /* (communicator, kind and power) */
    uint32_t near[SIZE_KINDS][SIZE_POWERS]; /* the row that was used last */
    struct map request_of; /* (process, request) of a message sent under a request: its row */
};

/* The power of a number of bytes. */
static inline uint32_t sizes_power(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

/* The index of the row; a new row is added. */
uint32_t sizes_of(struct sizes *sizes, uint32_t comm, enum size_kind kind, uint32_t power);

/* Adds the rows of another worker. */
void sizes_join(struct sizes *sizes, const struct size *rows, size_t n);

/*
 * The stream's innermost call has sent a message of so many bytes, or has received a message: a
 * received message is not counted again. sizes_add() returns the row; NIL: the location is not
 * selected.
 */
uint32_t sizes_add(struct report *r, struct stream *s, uint32_t comm, enum size_kind kind,
                   uint64_t bytes);
void sizes_received(struct report *r, struct stream *s, uint32_t comm, uint64_t bytes);

/*
 * A message was sent under a request; the innermost call completes the request; the request is
 * cancelled.
 */
void sizes_requested(struct report *r, const struct stream *s, uint64_t request, uint32_t row);
void sizes_completed(struct report *r, struct stream *s, uint64_t request);
void sizes_cancelled(struct report *r, const struct stream *s, uint64_t request);

/* The call has returned after the given time. */
void sizes_returned(struct report *r, struct stream *s, uint64_t ticks);

#endif
