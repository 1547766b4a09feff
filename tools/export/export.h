/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur export: an archive for other people's tools. The archive is read once, in the order of time,
 * and never held: the memory follows the number of open calls and of messages under way.
 *
 *     export_workers     several workers that share the work
 *     export_pass        events to calls, by location
 *     export_messages    the two halves of messages
 *     export_options     the command line
 *     export_output      the output file, written whole or not at all
 *     export_text        names, fit for the output
 *     export_formats     the output formats: a row each, and a file of its own
 *     export_tables      rows of tables, for formats that consist of tables
 *
 * Everything passed to a format lies within the user's choice: locations, a window of time, a
 * shortest call.
 */
#ifndef TOOLS_EXPORT_EXPORT_H
#define TOOLS_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/archive.h"
#include "tools/base/match.h"
#include "tools/engine/engine.h"

struct format;

/* A call of a region, open or just over. */
struct call {
    uint64_t id;    /* from 1, in the order of their beginnings */
    uint64_t enter; /* ticks, within the window */
    uint64_t leave;
    uint64_t below;   /* ns in called regions */
    uint64_t off;     /* ns without recording, in the call and in called regions */
    uint64_t calls;   /* calls of the program that the record stands for */
    uint32_t region;  /* index */
    uint32_t context; /* index, if entered with a context; NIL */
    uint32_t site;    /* index: place of the call in the program; NIL: not known */
    bool is_cut;      /* without a leave: the caller was left, or the trace ended */
    bool is_beyond;   /* entered behind the window */
    bool is_nested;   /* a call of the same region is open around it */
};

/* A location while its events are read. */
struct lane {
    uint32_t location;
    uint32_t process;
    bool is_chosen;
    bool has_events;
    uint64_t now;     /* time of the last event */
    uint64_t last;    /* the same, within the window */
    uint64_t stop_at; /* the process recorded nothing new after this time */
    bool is_off;      /* recording is off */
    bool is_nobody;   /* no call from before remains: nothing is known since off_since */
    uint64_t off_since;
    LIST(struct call) stack;
    size_t n_begun; /* calls of the stack begun in the format, from the outermost */
    uint64_t collective_begin;
    struct shorts shorts;
};

/* One end of a message. */
struct half {
    const struct lane *lane; /* NULL: this end was not found */
    uint64_t call;           /* 0: no open call */
    uint64_t time;
    uint64_t posted; /* when the receive was asked for; of a send, its time */
};

struct message {
    uint64_t id;
    uint32_t comm; /* index */
    uint32_t tag;
    uint64_t bytes;
    uint32_t sender; /* processes */
    uint32_t receiver;
    struct half send;
    struct half receive;
};

struct collective {
    uint64_t begin;
    uint64_t end;
    uint64_t call;
    uint32_t op;
    uint32_t comm; /* index */
    uint32_t root; /* UINT32_MAX: no root */
    uint64_t sent;
    uint64_t received;
};

struct sample {
    uint64_t time;
    uint64_t call;
    uint32_t context; /* index, NIL */
    uint32_t generator;
};

struct metric {
    uint64_t time;
    uint64_t call;
    uint32_t member; /* index */
    OTF2_Type type;
    OTF2_MetricValue value;
};

struct messages {
    LIST(struct message) pool;
    struct match match;
    struct posts posts;
    uint64_t n;
};

/* The request of the user. */
struct wish {
    const char *path;
    const char *output; /* NULL: standard output */
    const char *table;  /* of csv, NULL: all */
    const struct format *format;
    const char *locations; /* NULL: all */
    const char *window;    /* as given by the user; NULL: all */
    double from;           /* seconds from the beginning */
    double to;
    double min_duration;
    double limit;     /* bytes; negative: the format's limit */
    unsigned threads; /* 0: as many as useful */
    bool by_samples;
    bool is_estimate;
};

/* The output of a worker for its share of the events, before the output is written. */
struct sink {
    FILE *file; /* NULL: bytes are added directly */
    struct engine_bytes bytes;
};

enum { STREAMS_MAX = 24 }; /* files of an output */

struct export
{
    struct wish wish;
    struct archive archive;
    struct defs defs;
    uint64_t from; /* ticks: the window, and the shortest call */
    uint64_t to;
    uint64_t min_duration;
    struct lane *lanes; /* by location */
    struct lane *last_lane;
    uint64_t last_id;
    uint64_t n_calls;
    struct messages messages;
    const struct format *told; /* receiver of events: the format, or its `elsewhere` */
    bool is_share;             /* of a worker among several: writes to sinks */
    unsigned n_helpers;        /* threads, beside the writing thread */
    FILE *out;                 /* the first of the streams */
    FILE *streams[STREAMS_MAX];
    struct sink sinks[STREAMS_MAX];
    LIST(uint32_t) chain; /* of a sample */
    void *state;          /* the format's */
};

/* Nanoseconds since the beginning of the trace. */
int64_t export_ns(const struct export *x, uint64_t ticks);

/*
 * The duration of a completed call, in ns: between the call's times as written, which are rounded,
 * less the time without recording.
 */
static inline uint64_t export_duration(const struct export *x, const struct call *call)
{
    return (uint64_t)(export_ns(x, call->leave) - export_ns(x, call->enter)) - call->off;
}

#endif
