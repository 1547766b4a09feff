/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large messages are: by communicator, by kind, and by powers of two. A message counts where it
 * is sent, an operation of all members on each of them. The time of a call is shared equally by
 * what it sends, receives or completes; so all rows together have the time of these calls once.
 */
#ifndef TOOLS_REPORT_SIZES_H
#define TOOLS_REPORT_SIZES_H

#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;
struct stream;

enum size_kind { SIZE_MESSAGE, SIZE_COLLECTIVE, SIZE_ONE_SIDED, SIZE_KINDS };
enum { SIZE_POWERS = 65 };

/* What has from 2^(power - 1) up to, and without, 2^power bytes; of power 0: none. */
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
    uint32_t near[SIZE_KINDS][SIZE_POWERS]; /* the row that was asked for last */
    struct map request_of; /* (process, request) of a message that is sent under it: its row */
};

/* Of so many bytes. */
static inline uint32_t sizes_power(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

/* The row, which may be new. */
uint32_t sizes_of(struct sizes *sizes, uint32_t comm, enum size_kind kind, uint32_t power);

/* Adds the rows of another worker. */
void sizes_join(struct sizes *sizes, const struct size *rows, size_t n);

/*
 * The stream's innermost call has sent that, or has received it, which does not count it again. The
 * first returns the row; NIL: the location is not selected.
 */
uint32_t sizes_add(struct report *r, struct stream *s, uint32_t comm, enum size_kind kind,
                   uint64_t bytes);
void sizes_received(struct report *r, struct stream *s, uint32_t comm, uint64_t bytes);

/* It was sent under a request, which the innermost call completes, or which is no more. */
void sizes_requested(struct report *r, const struct stream *s, uint64_t request, uint32_t row);
void sizes_completed(struct report *r, struct stream *s, uint64_t request);
void sizes_cancelled(struct report *r, const struct stream *s, uint64_t request);

/* The call has returned, and took so long. */
void sizes_returned(struct report *r, struct stream *s, uint64_t ticks);

#endif
