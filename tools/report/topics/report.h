/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur report: what its parts share. An archive is read once, in the order of time; each part keeps
 * what it needs of it (collects), and afterwards fills the tables that show it.
 *
 * tools/report/topics, what is found out:
 *     report_profile                      regions, call paths, and what other parts hang on them
 *     report_stacks, _shares              functions that are only seen on call stacks
 *     report_messages, _collectives, _rma, _teams, _locks, _metrics, _files    a topic each
 *     report_accesses                     how files are accessed
 *     report_memory                       what processes hold of the heap
 *     report_sizes                        how large messages are
 *     report_notes, _matching, _instances   what takes several locations to be known
 *     report_missing                      what was left out by wish
 *     report_gaps                         which message a record is, where some are missing
 *     report_stands, _deadlock            where locations stood when they were seen last
 *     report_sums                         all of it by region, location and process
 *     report_sites                        the calls by where the program makes them
 *     report_cost                         what recording it all has cost
 *     report_tracks                       the run itself, for what replays it
 *     report_read                         opens an archive and reads it through all parts
 * tools/report/devices, what devices do, and why they do nothing:
 *     device_watch, _sums     one location; all of a device
 * tools/report/files, files alone:
 *     storms    at which rate they are opened and asked for
 * tools/report/causes, what follows from replaying it:
 *     causes          why others had to wait, and the critical path
 *     causes_opens    who waits for whom while files are opened
 * tools/report/iterations, what repeats in it:
 *     beats, iterations   loops, how long their iterations take, and what gets slower
 * tools/report/show, how it is shown:
 *     report_sections, _show_*            the tables that can be asked for
 *     report_table, _units                rows to text, CSV or JSON
 * tools/report, what is made of both:
 *     report_head, _digest, _picture      what stands around the tables
 *     report_findings                     the most expensive things, a sentence each
 *     report_filter                       --suggest-filter
 * tools/report/compare, what is made of several archives:
 *     report_diff                         what changed between two, or their repeats
 *     compare, _figures, _stops, _show    efficiencies side by side
 *     compare_replay, _rank, _deps        the time on an ideal network
 *     compare_rows                        what several runs have in common, by name
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
    uint64_t call;   /* see struct frame; 0: in none */
    uint64_t handle; /* its number in the archive */
    uint64_t asked;  /* bytes; OTF2_UNDEFINED_UINT64: not known */
    uint64_t bytes;  /* that were moved */
    uint64_t place;  /* in the file; ACCESS_NOWHERE: not known */
    uint32_t location;
    const char *kind;
    bool is_below; /* in a call of another interface */
};

/* A location waits for a lock, or in a barrier of its team of threads. */
struct single_thread_wait {
    uint64_t begin;
    uint64_t end;
    uint64_t ticks; /* of it, but for tasks and pauses there */
    uint64_t call;  /* see struct frame; 0: the barrier is not recorded, see report_teams.h */
    uint32_t location;
    uint32_t comm;   /* of the team; NIL: of none */
    uint32_t holder; /* location that had the lock last; NIL: not known */
    uint32_t lock;   /* index in locks; NIL: it is a barrier */
};

/* What a process holds, after a block that was taken or given, if it is known that there was one.
 */
struct single_memory {
    uint64_t time;
    const uint64_t *values; /* by enum memory_value */
    uint64_t bytes;         /* of the block, or that a sample stands for */
    uint32_t location;
    uint32_t site; /* of what has taken it; NIL: not known */
    bool is_taken;
    bool is_given;
};

/* Is told each as soon as it is known, where one worker reads all. */
struct report_listener {
    void (*wait)(const struct report *r, const struct single_wait *w);
    void (*access)(const struct report *r, const struct single_access *a);
    void (*thread_wait)(const struct report *r, const struct single_thread_wait *w);
    void (*memory)(const struct report *r, const struct single_memory *m);
};

struct report {
    const char *path; /* of the anchor file */
    OTF2_FileSubstrate substrate;
    char *machine;
    char *creator;
    const char *trouble; /* why the events were not read to their end, NULL: they were */
    LIST(char *) remarks;
    uint64_t n_events;
    uint64_t first; /* ticks of the first and the last event */
    uint64_t last;
    bool has_samples;
    bool has_stacks;   /* of calls */
    bool *is_selected; /* by location: part of the tables; known before the first event */
    bool is_part;      /* not all are */
    bool is_wide;      /* names in sentences are whole */
    bool has_window;   /* only what happens from `from` to `to` counts */
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
    struct iterations *iterations;          /* tools/report/iterations; the same */
    const struct report_listener *listener; /* NULL: nobody asks */
    void *listener_user;
};

/* Whether what the location does at its last event is part of the tables. */
static inline bool report_has(const struct report *r, const struct stream *s)
{
    return r->is_selected[s->location] && !s->is_outside;
}

/* Of a time in ticks. */
static inline double seconds_since_begin(const struct report *r, uint64_t time)
{
    uint64_t begin = r->has_window ? r->defs.clock.start : r->first;
    return defs_seconds(&r->defs, time > begin ? time - begin : 0);
}

#endif
