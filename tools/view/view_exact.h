/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls, messages, collective operations and samples as they were: all of them, or those in the
 * windows of struct view. When they are too many to be shown, what was wanted least is given up.
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
    uint64_t calls; /* of the program that the record stands for */
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

/* A time in which the row is idle outside of its calls, and not in the program. */
struct view_idle {
    uint64_t begin;
    uint64_t end;
    uint32_t row;
};

/* What has to be equal of both ends of a message. */
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
    uint64_t sent; /* NO_TIME: not known, and then neither is the row */
    uint64_t received;
    uint64_t bytes;
    uint32_t from; /* rows */
    uint32_t to;
    uint32_t tag;
    uint32_t comm;
};

/* How many halves an envelope has had on one side. */
struct view_channel {
    struct view_envelope envelope;
    uint64_t n;
    uint64_t before; /* the window: see view_exact_begin */
    uint32_t row;    /* NIL: those of several, whose order is not known */
    bool is_receive;
    bool has_changed;
};

/* One end of a message. */
struct view_end {
    uint32_t channel;
    uint64_t number;
};

typedef LIST(struct view_end) view_ends;

struct view_exact {
    const struct view *view;
    bool is_over;     /* there were too many */
    size_t n_windows; /* those of the view that are left */
    LIST(struct view_call) calls;
    LIST(struct view_collective) collectives;
    LIST(struct view_sample) samples;
    LIST(struct view_idle) idle;
    LIST(struct view_half) halves;
    LIST(struct view_message) messages; /* by view_exact_match */
    struct map channel_of[2];
    LIST(struct view_channel) channels;
    LIST(uint32_t) changed;  /* channels, since view_exact_seen or view_exact_forget */
    uint64_t from;           /* of the window that is asked for; 0: of none */
    LIST(uint32_t) met;      /* channels, since it has begun */
    const view_ends *wanted; /* in their order: these halves alone are kept; NULL: see wants() */
};

void view_exact_init(struct view_exact *e, const struct view *v);

void view_exact_call(struct view_exact *e, const struct view_call *call);
void view_exact_collective(struct view_exact *e, const struct view_collective *collective);
void view_exact_sample(struct view_exact *e, const struct view_sample *sample);
void view_exact_idle(struct view_exact *e, const struct view_idle *idle);

/*
 * A half that has that number, or is the next but `missed` of its envelope and side (NO_NUMBER:
 * that is not known).
 */
void view_exact_half(struct view_exact *e, struct view_half *half, uint64_t missed);

/* A window begins there: what has been kept is forgotten; channels are not. */
void view_exact_begin(struct view_exact *e, uint64_t from);

/* Channels from elsewhere: one more; and how many it has had, unless it has changed. */
void view_exact_add_channel(struct view_exact *e, const struct view_channel *channel);
void view_exact_set(struct view_exact *e, uint32_t channel, uint64_t n);

void view_exact_seen(struct view_exact *e);   /* no channel has changed */
void view_exact_forget(struct view_exact *e); /* nor had one anything */

/* The channel of an envelope on one side. NIL: there is none, or its order is not known. */
uint32_t view_exact_channel(const struct view_exact *e, const struct view_envelope *envelope,
                            bool is_receive);

/* Ends of messages of which only the other end has been kept. */
void view_exact_loose(struct view_exact *e, view_ends *ends);

/* Whether an end has been kept; after view_exact_loose. */
bool view_exact_has(const struct view_exact *e, const struct view_end *end);

void view_ends_sort(view_ends *ends);

/* Adds what another one has; its paths are renumbered. */
void view_exact_join(struct view_exact *e, struct view_exact *other, const uint32_t *paths);

/* Brings both ends of messages together. */
void view_exact_match(struct view_exact *e);

/* Into the order in which it is shown. */
void view_exact_sort(struct view_exact *e);

#endif
