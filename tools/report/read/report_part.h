/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of a worker, when all events are read: numbers and lists of plain structures, which
 * can be sent as bytes. Nodes and rows are named by the worker's own numbers, all else by indices
 * of definitions. The items of a list are in the order in which they were seen first (struct
 * birth).
 */
#ifndef TOOLS_REPORT_PART_H
#define TOOLS_REPORT_PART_H

#include <stdbool.h>

#include "tools/engine/engine.h"
#include "tools/report/topics/report.h"

/* A location with events. */
struct part_life {
    uint32_t location;
    bool has_forked;
    bool has_worked; /* of a stream of a device */
    struct frame root;
    uint64_t first;
    uint64_t last;
    uint64_t off;
    uint64_t samples;
    uint64_t period;
    struct mpi_frame mpi;
    uint64_t in_teams;
};

/* Number of operations of a communicator that a process has reached. */
struct part_count {
    uint64_t order;
    uint64_t process;
    uint64_t n;
};

/*
 * The kept track of a location. If worker 0 can see the track in the memory of the worker that has
 * read the location, only the places of the track are sent.
 */
struct part_track {
    uint32_t location;
    uint32_t worker;   /* NIL: the track itself is sent */
    uint64_t calls_at; /* places, see tools/engine/common.h */
    uint64_t laps_at;
    struct track track;
};

/* Facts about a process that most processes do not have. */
struct part_flush {
    uint32_t process;
    uint32_t unused;
    uint64_t ticks;
};

struct part_crew {
    uint32_t process;
    uint32_t unused;
    struct crew crew;
};

struct part_standing {
    uint32_t location;
    uint32_t region;
    uint32_t site;
    uint32_t unused;
    uint64_t time;
    uint64_t since;
    enum stand_kind kind;
    bool needs_any;
    bool is_lower_bound;
    uint32_t n_awaited; /* of the lists below */
    uint32_t n_for_whom;
    uint64_t path; /* in the texts */
};

struct part_numbers {
    uint64_t n_events;
    bool is_odd; /* a single worker has to read the whole archive */
    bool has_samples;
    bool has_stacks; /* of calls */
    bool has_clocks;
    struct oddities odd;
    uint64_t n_sends, n_receives, nowhere, unknown, reversed, unreceived, unsent;
    uint64_t incomplete, unknown_parties;
    uint64_t track_bytes;
    bool is_over; /* tracks */
};

struct part {
    struct part_numbers numbers;
    LIST(struct part_life) lives;
    LIST(struct node) nodes;
    LIST(struct wait_sum) waits;
    LIST(struct wait_sum) away;
    LIST(struct part_flush) flushes;
    LIST(struct pair) pairs;
    LIST(struct size) sizes;
    LIST(struct collective) collectives;
    LIST(struct share) shares;
    LIST(struct part_count) counts; /* only if the counts may be needed */
    LIST(struct parallel) regions;
    LIST(struct part_crew) crews; /* of the worker's own processes */
    LIST(struct lock) locks;
    LIST(struct file) files;
    LIST(struct access) accesses;
    LIST(struct file_opening) opens;
    LIST(struct storm_window) storms;
    LIST(struct device) devices;
    LIST(struct work_sum) work;
    LIST(struct gauge) gauges;
    LIST(struct holding) holdings;
    LIST(struct memory_site) memory_sites;
    LIST(struct part_standing) standings;
    LIST(struct awaited) awaited;
    LIST(uint32_t) for_whom;
    LIST(char) texts;
    LIST(struct blame) blames;
    LIST(struct stint) stints;
    LIST(uint32_t) callers;
    LIST(struct part_track) tracks;
};

/* Moves the results out of a worker's report into the part. */
void part_take(struct part *part, struct report *r);

/*
 * The part as bytes. part_unpack() returns the number of bytes read. If workers share their memory,
 * the bytes have only the addresses of the part's lists: the lists leave the packed part.
 */
void part_pack(struct part *part, bool is_shared, struct engine_bytes *bytes);
size_t part_unpack(struct part *part, bool is_shared, const char *bytes);
/* On worker 0: maps the tracks that were not sent. The tracks must not be written. */
void part_see_tracks(struct part *part);
void part_free(struct part *part);

#endif
