/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur report: the common state of its parts. An archive is read once, in the order of time. Each
 * part collects its data from the events, and afterwards fills the tables for the data.
 *
 * tools/report/topics, facts from the events:
 *     report_profile                      regions, call paths, and the nodes of all parts
 *     report_stacks, _shares              functions that are only seen on call stacks
 *     report_messages, _collectives, _rma, _teams, _locks, _metrics, _files    a topic each
 *     report_accesses                     patterns of access to files
 *     report_memory                       memory that processes hold of the heap
 *     report_sizes                        sizes of messages
 *     report_notes, _matching, _instances   facts that need several locations
 *     report_missing                      data left out by wish
 *     report_gaps                         numbers of messages, where records are missing
 *     report_stands, _deadlock            the last known state of locations
 *     report_sums                         sums by region, location and process
 *     report_sites                        the calls by their places in the program
 *     report_cost                         the cost of recording
 *     report_tracks                       the course of the run, for the replay
 *     report_read                         opens an archive and reads it through all parts
 * tools/report/devices, work of devices, and causes of idle devices:
 *     device_watch, _sums     a single location; all locations of a device
 * tools/report/files, files alone:
 *     storms    the rate at which files are opened and metadata is asked for
 * tools/report/causes, results of a replay of the run:
 *     causes          causes of waiting, and the critical path
 *     causes_opens    waits of locations for each other while files are opened
 * tools/report/iterations, repetition in the run:
 *     beats, iterations   loops, durations of their iterations, and the causes of slow iterations
 * tools/report/show, output:
 *     report_sections, _show_*            the tables that a user can ask for
 *     report_table, _units                rows to text, CSV or JSON
 * tools/report, text made from facts and tables:
 *     report_head, _digest, _picture      the text around the tables
 *     report_findings                     the most expensive things, a sentence each
 *     report_filter                       --suggest-filter
 * tools/report/compare, results from several archives:
 *     report_diff                         changes between two archives, or between their repeats
 *     compare, _figures, _stops, _show    efficiencies side by side
 *     compare_replay, _rank, _deps        the time on an ideal network
 *     compare_rows                        common parts of several runs, by name
 */
#ifndef TOOLS_REPORT_REPORT_H
#define TOOLS_REPORT_REPORT_H

#include "tools/base/defs.h"
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/devices/device_sums.h"
#include "tools/report/files/storms.h"
#include "tools/report/topics/report_collectives.h"
#include "tools/report/topics/report_cost.h"
#include "tools/report/topics/report_files.h"
#include "tools/report/topics/report_gaps.h"
#include "tools/report/topics/report_locks.h"
#include "tools/report/topics/report_memory.h"
#include "tools/report/topics/report_messages.h"
#include "tools/report/topics/report_metrics.h"
#include "tools/report/topics/report_missing.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_profile.h"
#include "tools/report/topics/report_sites.h"
#include "tools/report/topics/report_sizes.h"
#include "tools/report/topics/report_stands.h"
#include "tools/report/topics/report_sums.h"
#include "tools/report/topics/report_teams.h"
#include "tools/report/topics/report_tracks.h"

struct report;

/* A part of a call in which a location waited for a process. */
struct single_wait {
    uint64_t begin;
    uint64_t end;
    uint32_t location;
    uint32_t node;
    uint32_t other; /* process */
    enum wait why;
};

/* An access to a file, by any call: see report_files.h. */
struct single_access {
    uint64_t begin;
    uint64_t end;
    uint64_t call;   /* see struct frame; 0: outside of calls */
    uint64_t handle; /* number of the handle in the archive */
    uint64_t asked;  /* bytes; OTF2_UNDEFINED_UINT64: not known */
    uint64_t bytes;  /* bytes moved */
    uint64_t place;  /* place in the file; ACCESS_NOWHERE: not known */
    uint32_t location;
    const char *kind;
    bool is_below; /* inside a call of another interface */
};

/* A location waits for a lock, or in a barrier of its team of threads. */
struct single_thread_wait {
    uint64_t begin;
    uint64_t end;
    uint64_t ticks; /* of the wait, without tasks and pauses there */
    uint64_t call;  /* see struct frame; 0: the barrier is not recorded, see report_teams.h */
    uint32_t location;
    uint32_t comm;   /* communicator of the team; NIL: no team */
    uint32_t holder; /* location that held the lock last; NIL: not known */
    uint32_t lock;   /* index in locks; NIL: a barrier */
};

/* Memory held by a process, after a block was taken or given back, if a block is known. */
struct single_memory {
    uint64_t time;
    const uint64_t *values; /* by enum memory_value */
    uint64_t bytes;         /* of the block, or bytes that a sample stands for */
    uint32_t location;
    uint32_t site; /* call site that has taken the block; NIL: not known */
    bool is_taken;
    bool is_given;
};

/*
 * A listener is told each fact as soon as the fact is known, if a single worker reads all events.
 */
struct report_listener {
    void (*wait)(const struct report *r, const struct single_wait *w);
    void (*access)(const struct report *r, const struct single_access *a);
    void (*thread_wait)(const struct report *r, const struct single_thread_wait *w);
    void (*memory)(const struct report *r, const struct single_memory *m);
};

struct report {
    const char *path; /* path of the anchor file */
    OTF2_FileSubstrate substrate;
    char *machine;
    char *creator;
    const char *trouble; /* why reading ended early, NULL: all events were read */
    LIST(char *) remarks;
    uint64_t n_events;
    uint64_t first; /* ticks of the first and the last event */
    uint64_t last;
    bool has_samples;
    bool has_stacks;   /* of calls */
    bool *is_selected; /* by location: part of the tables; known before the first event */
    bool is_part;      /* some locations are not selected */
    bool is_wide;      /* names in sentences are whole */
    bool has_window;   /* only events from `from` to `to` count */
    uint64_t from;     /* ticks */
    uint64_t to;
    struct defs defs;
    struct notes notes;
    struct profile profile;
    struct messages messages;
    struct sizes sizes;
    struct collectives collectives;
    struct teams teams;
    struct locks locks;
    struct metrics metrics;
    struct devices devices;
    struct files files;
    struct accesses accesses;
    struct opens opens;
    struct storms storms;
    struct memory memory;
    struct memory_sites memory_sites;
    struct sums sums;
    struct sites sites;
    struct costs costs;
    struct missing missing;
    struct gaps gaps;
    struct stands stands;
    struct tracks tracks;
    struct causes *causes;                  /* tools/report/causes; NULL: not asked for yet */
    struct iterations *iterations;          /* tools/report/iterations; likewise */
    const struct report_listener *listener; /* NULL: nobody listens */
    void *listener_user;
};

/* Whether the location's last event is part of the tables. */
static inline bool report_has(const struct report *r, const struct stream *s)
{
    return r->is_selected[s->location] && !s->is_outside;
}

/* Converts a time in ticks. */
static inline double seconds_since_begin(const struct report *r, uint64_t time)
{
    uint64_t begin = r->has_window ? r->defs.clock.start : r->first;
    return defs_seconds(&r->defs, time > begin ? time - begin : 0);
}

#endif
