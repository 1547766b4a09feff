/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls, messages, collective operations and samples in full: of the whole archive, or of the
 * windows of struct view. If the page cannot show that many, the least wanted are given up.
 */
#ifndef TOOLS_VIEW_EXACT_H
#define TOOLS_VIEW_EXACT_H

#include "tools/view/view.h"

enum call_flags { CALL_CUT = 1, CALL_HAS_STACK = 2 };

struct view_call {
    uint64_t begin;
    uint64_t end;
    uint32_t row;
    uint32_t path;
    uint32_t depth;
    uint32_t flags;
    uint64_t calls; /* calls of the program that the record stands for */
};

struct view_collective {
    uint64_t begin;
    uint64_t end;
    uint64_t sent;
    uint64_t received;
    uint32_t row;
    uint32_t op;
    uint32_t comm;
    uint32_t root;
};

struct view_sample {
    uint64_t time;
    uint32_t row;
    uint32_t path;
};

/* A time in which the row is idle: outside of all calls, and not in the program. */
struct view_idle {
    uint64_t begin;
    uint64_t end;
    uint32_t row;
};

/* The values that both ends of a message must share. */
struct view_envelope {
    uint32_t comm;
    uint32_t tag;
    uint32_t sender; /* processes */
    uint32_t receiver;
};

#define NO_NUMBER UINT64_MAX

struct view_half {
    struct view_envelope envelope;
    uint64_t number; /* of its envelope and side; NO_NUMBER: not known */
    uint64_t time;
    uint64_t bytes;
    uint32_t row;
    bool is_receive;
};

struct view_message {
    uint64_t sent; /* NO_TIME: unknown, and so is the row */
    uint64_t received;
    uint64_t bytes;
    uint32_t from; /* rows */
    uint32_t to;
    uint32_t tag;
    uint32_t comm;
};

/* The number of halves of an envelope on one side so far. */
struct view_channel {
    struct view_envelope envelope;
    uint64_t n;
    uint64_t before; /* before the window: see view_exact_begin */
    uint32_t row;    /* NIL: several rows, whose order is not known */
    bool is_receive;
    bool has_changed;
};

/* An end of a message. */
struct view_end {
    uint32_t channel;
    uint64_t number;
};

typedef LIST(struct view_end) view_ends;

struct view_exact {
    const struct view *view;
    bool is_over;     /* there were too many */
    size_t n_windows; /* windows of the view still wanted */
    LIST(struct view_call) calls;
    LIST(struct view_collective) collectives;
    LIST(struct view_sample) samples;
    LIST(struct view_idle) idle;
    LIST(struct view_half) halves;
    LIST(struct view_message) messages; /* by view_exact_match */
    struct map channel_of[2];
    LIST(struct view_channel) channels;
    LIST(uint32_t) changed;  /* channels, since view_exact_seen or view_exact_forget */
    uint64_t from;           /* begin of the wanted window; 0: no window */
    LIST(uint32_t) met;      /* channels, since the window began */
    const view_ends *wanted; /* sorted: only these halves are kept; NULL: see wants() */
};

void view_exact_init(struct view_exact *e, const struct view *v);

void view_exact_call(struct view_exact *e, const struct view_call *call);
void view_exact_collective(struct view_exact *e, const struct view_collective *collective);
void view_exact_sample(struct view_exact *e, const struct view_sample *sample);
void view_exact_idle(struct view_exact *e, const struct view_idle *idle);

/*
 * A half with a known number; or the next half of its envelope and side after `missed` missing
 * halves (NO_NUMBER: the number of missing halves is not known).
 */
void view_exact_half(struct view_exact *e, struct view_half *half, uint64_t missed);

/* A window begins at `from`: all kept items are forgotten; channels stay. */
void view_exact_begin(struct view_exact *e, uint64_t from);

/*
 * Channels from elsewhere: add a channel; and set the count of a channel, unless the channel has
 * changed.
 */
void view_exact_add_channel(struct view_exact *e, const struct view_channel *channel);
void view_exact_set(struct view_exact *e, uint32_t channel, uint64_t n);

void view_exact_seen(struct view_exact *e);   /* mark all channels as unchanged */
void view_exact_forget(struct view_exact *e); /* mark all channels as unchanged and empty */

/* The channel of an envelope on one side. NIL: no such channel, or the order is not known. */
uint32_t view_exact_channel(const struct view_exact *e, const struct view_envelope *envelope,
                            bool is_receive);

/* Ends of messages whose opposite end alone was kept. */
void view_exact_loose(struct view_exact *e, view_ends *ends);

/* Whether an end was kept; after view_exact_loose. */
bool view_exact_has(const struct view_exact *e, const struct view_end *end);

void view_ends_sort(view_ends *ends);

/* Adds the items of another struct; the paths are renumbered. */
void view_exact_join(struct view_exact *e, struct view_exact *other, const uint32_t *paths);

/* Brings both ends of messages together. */
void view_exact_match(struct view_exact *e);

/* Into the order of the page. */
void view_exact_sort(struct view_exact *e);

#endif
