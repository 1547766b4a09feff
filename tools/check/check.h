/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive while it is judged. The files of this folder are a topic each; what one of them keeps
 * for itself hangs at a pointer here, and what it has to know of each location or process stands in
 * their structs.
 *
 * All events pass by once, in the order of time. So what is kept is what is open at that time:
 * regions, requests, messages on their way, operations that not all members have reached.
 *
 * They pass by on several workers (tools/engine), each of which has a struct check of its own. A
 * handler of an event runs on the worker of its location, and may look at the definitions and at
 * what it keeps of that location. What concerns more than that it tells by a note (check_tell.h):
 * what belongs to a process to the shared part of stage 1, all else to that of stage 2.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/anchor.h"
#include "format/names.h"
#include "format/record.h"
#include "tools/base/node_table.h"
#include "tools/check/chunks.h"
#include "tools/check/memory_last.h"
#include "tools/check/verdict.h"
#include "tools/engine/engine.h"

enum { REFS = OTF2_REF_Marker + 1, FILE_NAME_BYTES = 600 };
#define NO_RANK UINT64_MAX

/* ---- definitions ---- */

struct definition {
    const void *data; /* struct otf2_def_...; NULL: not defined */
    uint64_t offset;  /* of the record in its file */
    uint8_t record;   /* enum otf2_def_index */
};

/* The ids of one kind of definition. */
struct space {
    struct definition *dense; /* by id */
    size_t n_dense;
    struct table others; /* ids that are far from the rest */
    uint64_t next;       /* the id that should come next */
    uint64_t n;
};

struct arena {
    char *block;
    size_t used, room;
    void **blocks;
    size_t n_blocks, blocks_room;
};

/* An event's ids to global ones. */
struct id_map {
    uint64_t *to; /* by local id; an id that is not listed stays */
    uint64_t n;
    uint64_t *pairs; /* of a sparse table with large ids: from, to, ascending */
    uint64_t n_pairs;
    bool is_dense;
};

struct clock_point {
    uint64_t time;
    int64_t offset;
};

/* ---- who records ---- */

struct membership;
struct request;
struct operation;
struct blocking;

/* What parameters in front of a record say of it. */
enum mpi_mark {
#define MARK(NAME, ...) MPI_MARK_##NAME,
#include "wrappers/mpi/tables/mpi_marks.def"
#undef MARK
    MPI_MARKS
};

struct mark {
    uint64_t event, value; /* the number of the record, from 1; what is said */
};

/* In the order in which events pass by: where something is. */
struct moment {
    uint64_t time, event;
    uint32_t location;
};

static inline bool is_earlier(const struct moment *x, const struct moment *y)
{
    if (x->time != y->time)
        return x->time < y->time;
    return x->location != y->location ? x->location < y->location : x->event < y->event;
}

/* What different workers write lies so far apart that no processor waits for another's. */
enum { APART_BYTES = 64 };

/* Several workers have locations of the process: what belongs to it has owners by its keys. */
#define SPLIT UINT32_MAX

/* The locations that share memory. */
struct process {
    struct node node; /* a: location group */
    uint64_t rank;    /* in the world, or NO_RANK */
    uint64_t n_locations;
    uint32_t index;  /* among processes, by their groups */
    uint32_t worker; /* who has all of its locations, or SPLIT */
    /* ---- of stage 1 ---- */
    uint64_t closed_request, closed_at; /* the last one */
    uint64_t n_exchanged; /* sends that one location started and another one completed */
    bool hands_over;      /* a location has completed more sends than it had started */
    uint64_t program_begins, program_ends;
    struct request *first_collective, *last_collective; /* non-blocking ones, by their start */
    struct operation *held; /* done, but some of those before them are not */
};

struct frame {
    uint64_t ref;
    uint64_t event;
    bool is_context;
};

/* The last values of a metric class or instance on a location. */
struct metric_last {
    uint32_t metric;
    uint8_t n;
    OTF2_MetricValue value[UINT8_MAX];
};

struct location {
    _Alignas(APART_BYTES) uint64_t id;
    const struct otf2_def_Location *def;
    struct process *process;
    uint64_t rank;   /* in the world: its own or the process's */
    uint32_t index;  /* among locations */
    uint32_t worker; /* who reads it */

    struct chunks file;
    uint64_t n_events; /* when all are read */
    struct id_map *maps[OTF2_MAPPING_MAX];
    struct clock_point *points;
    size_t n_points, points_room, interval;
    uint64_t raw_time;
    uint64_t time;        /* corrected, of the current event */
    uint64_t order;       /* the latest of all times so far */
    uint32_t step;        /* findings and notes so far */
    uint32_t context;     /* the previous one; after a leave, the parent of what was left */
    uint32_t clock_error; /* ticks: the largest that a clock offset gives */
    uint64_t last_time;   /* of the one before */
    uint64_t next_time;   /* of the next event, where the file is read already */
    bool is_stamped;      /* a timestamp was read, and no record since */
    bool has_attributes;  /* the same for an attribute list */
    uint8_t first_record, last_record; /* enum otf2_evt_index */
    bool has_context;                  /* `context` says something */
    bool is_in_collective, is_in_rma_collective;
    bool is_broken; /* the rest cannot be read: its end says nothing */

    struct frame *frames;
    size_t depth, frames_room;
    struct blocking *blocking; /* operations under way that block */
    size_t n_blocking, blocking_room;
    uint64_t edge_time;   /* of the last Enter or Leave */
    uint64_t strict_time; /* of the last strict metric; has_strict: no edge yet */
    uint64_t strict_event;
    uint64_t n_bare, bare_event, bare_time; /* Enters and Leaves without any since; the first */
    struct metric_last *metrics;            /* the last values, by metric */
    size_t n_metrics, metrics_room;
    struct memory memory;
    uint64_t work; /* what the attributes of the event behind say, if has_work */
    bool is_stream, has_work;
    bool is_work;       /* what is open on the stream has that number, and is no waiting */
    uint64_t gives;     /* number of the open call, if gives_depth */
    size_t gives_depth; /* of it; 0: none */
    bool has_edge, has_strict;
    bool is_strict; /* an Enter or Leave had strict metrics */
    bool is_off;
    bool is_listing; /* an attribute list of the event behind the current one is read */

    struct mark marks[MPI_MARKS];     /* what is said of the event behind */
    struct membership *membership;    /* the last one that was looked up */
    uint64_t begin_time, begin_frame; /* of the collective operation */
    struct moment begin;
    size_t begin_depth;

    /* Of stage 1. */
    struct request *first_receive, *last_receive; /* posted and open, by their start */
    uint64_t last_posted;                         /* event of the last receive that was posted */
    int64_t n_open_sends;                         /* started less completed ones, here */

    uint32_t *teams; /* entered */
    size_t n_teams, teams_room;
    uint64_t known_team; /* one that it is a member of, + 1 */
    uint8_t *forks;      /* their paradigms */
    size_t n_forks, forks_room;
    uint64_t n_thread_ends;
};

struct merge;
struct comms;
struct messages;
struct threads;
struct locks;
struct windows;
struct handles;
struct devices;
struct lost;

/* What is judged when; the order of findings. */
enum phase {
    PHASE_OPEN, /* the locations one by one */
    PHASE_PASS, /* all events by time */
    PHASE_RELEASE,
    PHASE_MESSAGES,
    PHASE_REQUESTS,
    PHASE_EXCHANGES,
    PHASE_BEGUN,
    PHASE_COUNTS,
    PHASE_USE,
    PHASE_UNCREATED,
    PHASE_ALL_CREATE,
    PHASE_THREADS,
    PHASE_PLACES,
    PHASE_TASKS,
    PHASE_LOCKS,
    PHASE_RMA_OPEN,
    PHASE_RMA_INSIDE,
    PHASE_DEVICES,
    PHASE_IO_OPEN,
    PHASE_IO_AGREED,
    PHASE_SNAPSHOTS
};

struct check {
    struct verdict *verdict;
    const char *dir;
    const char *name;       /* of the archive, usually "traces" */
    char *definitions_name; /* of the file of global definitions */
    uint8_t *anchor_bytes;
    struct otf2_anchor anchor;
    bool allows_unfinished;
    struct otf2_containers *containers; /* NULL: each location has files of its own */
    OTF2_ErrorCode
        container_errors[3]; /* of events, definitions, snapshots; ENOENT: there are none */
    bool is_unreadable;      /* there is no anchor file, which was reported */
    bool is_cut;             /* something could not be read: what is missing says nothing */
    bool has_lost_parts;     /* the same for partners of what was found to be wrong */
    bool declares_pauses;
    bool has_gaps; /* the same for what was not recorded by intent: paused, or filtered */

    struct arena arena;
    struct space spaces[REFS];
    const struct otf2_def_ClockProperties *clock; /* NULL: none */
    uint64_t begin, end;
    uint64_t n_definitions; /* records, unknown ones too */
    struct definition *all; /* in the order of the file */
    size_t n_all, all_room;

    struct location *locations; /* by id */
    size_t n_locations;
    struct table processes;
    struct process **by_index;
    uint32_t *reader_of_rank; /* by rank in the world: who has all locations of it, or SPLIT */
    uint64_t n_ranks;
    bool *is_unordered; /* regions of matched probes; up to n_regions */
    bool *is_shared;    /* regions in which readers may share a lock */
    size_t n_regions;
    uint64_t memory_attributes[MEMORY_SAID]; /* or NO_MEMORY_ATTRIBUTE */
    OTF2_MetricMemberRef memory_held[MEMORY_KINDS], memory_peak[MEMORY_KINDS];

    /* ---- from here on each worker has its own ---- */
    struct check *common; /* the command's, which its workers' are copies of */
    struct engine *engine;
    const struct location *now;     /* whose event passes by */
    const struct engine_note *note; /* that is taken out of a queue; NULL: an event is judged */
    enum phase phase;
    uint64_t phase_key[3];
    uint32_t step; /* findings and notes of the note; findings of the phase */
    struct merge *merge;
    struct membership **taken; /* by location: the last one of which a note told */
    bool *gaps;                /* processes that have some, by index; NULL: none */
    bool *gaps_here;           /* the same as events pass by, of processes that are here */
    uint64_t n_events;         /* so far */
    void *scratch;             /* for the arrays of an event */
    size_t scratch_bytes;

    uint32_t parameters[MPI_MARKS]; /* that say so; OTF2_UNDEFINED_PARAMETER: not defined */
    struct comms *comms;
    struct messages *messages;
    struct table requests; /* process, id */
    struct threads *threads;
    struct locks *locks;
    struct windows *windows;
    struct handles *handles;
    struct devices *devices;
    struct lost *lost;
};

/* ---- what the files offer each other ---- */

typedef const union otf2_any_record *event_data;

/* definitions.c */
void *arena_take(struct arena *arena, size_t bytes);
void definitions_read(struct check *c);
void definitions_free(struct check *c);

/* NULL data: not defined. */
struct definition space_find(const struct check *c, enum otf2_ref ref, uint64_t id);

static inline bool is_defined(const struct check *c, enum otf2_ref ref, uint64_t id)
{
    const struct space *space = &c->spaces[ref];
    if (id < space->n_dense)
        return space->dense[id].data;
    return space->others.n && space_find(c, ref, id).data;
}

/* The definition of that id and record; NULL if there is none or it is another record. */
const void *defined_as(const struct check *c, enum otf2_ref ref, uint64_t id,
                       enum otf2_def_index record);

/* The text of a string, or "". */
const char *text_of(const struct check *c, uint32_t string);
const char *region_text(const struct check *c, uint64_t region);

/* fields.c */
/* The kind of definition that a typed value refers to; false for other types. */
bool type_refers(OTF2_Type type, enum otf2_ref *ref, unsigned *bytes);
bool type_is_known(OTF2_Type type);
uint64_t typed_reference(OTF2_Type type, OTF2_AttributeValue value);
void enums_prepare(void); /* before the first question */
bool enum_is_known(enum otf2_enum which, uint64_t value);

/* The id space whose ids this record defines; false if none. */
bool record_defines(const struct otf2_record *record, enum otf2_ref *ref);

struct reference {
    const char *field;
    enum otf2_ref ref;
    uint64_t id;
    bool is_undefined;
    bool may_be_undefined;
};

/* Makes a call for all references of a record but its own id. */
void each_reference(const struct otf2_record *record, const void *data,
                    void (*call)(struct check *c, const struct reference *r, void *context),
                    struct check *c, void *context);

/* Reports unknown values of enumerations and types. */
void check_enums(struct check *c, const struct otf2_record *record, const void *data,
                 struct place where);

/* Where a definition stands. */
struct place definition_place(const struct check *c, const struct definition *d);

/* A loop over the global definitions of a kind. */
#define each_definition(c, d, Name)                                                                \
    for (const struct definition *d = (c)->all; d < (c)->all + (c)->n_all; d++)                    \
        if (d->record == OTF2_DEF_##Name)

/* check_definitions.c, check_groups.c, check_metrics.c: all of the global definitions together. */
void check_definitions(struct check *c);
void check_groups(struct check *c);
void check_topologies(struct check *c);
void check_metric_definitions(struct check *c);

/* pass.c: it does, from the current event on. */
void gaps_tell(struct check *c, struct location *at);

/* A process is known to record from now on what need not have a partner at the same place. */
static inline bool has_gaps(const bool *gaps, const struct location *at)
{
    return gaps && at && gaps[at->process->index];
}

/* Judges all nodes of a table by the order of their keys. */
void each_in_phase(struct check *c, enum phase phase, const struct table *table,
                   void (*visit)(void *node, void *context));
/* Each location of this worker in a phase. */
struct location *next_in_phase(struct check *c, enum phase phase, const struct location *before);

/* check_containers.c: their frame. False: nothing in them can be read. */
bool containers_judge(struct check *c);
void containers_check_stray(struct check *c);
/*
 * The bytes of a location's file, if the archive has containers. False: there are none,
 * *is_missing, or they cannot be read, which was reported.
 */
bool containers_find(const struct check *c, OTF2_FileType type, uint64_t location,
                     const struct otf2_pieces **pieces, bool *is_missing);

/* locations.c, local.c */
void locations_prepare(struct check *c);
void locations_free(struct check *c);
/*
 * Opens a file of a location; see chunks_open. `name` receives its name, and must live as long as
 * what is said of the file.
 */
bool location_open(const struct check *c, struct chunks *f, OTF2_FileType type, uint64_t location,
                   char name[FILE_NAME_BYTES], bool *is_missing);
void local_definitions_read(struct check *c, struct location *at);
struct location *location_find(const struct check *c, uint64_t id);
struct chunks_options chunks_how(const struct check *c, bool is_timed);

/* regions.c */
void regions_prepare(struct check *c);
void regions_free(struct check *c);

/* check_memory.c */
void memory_prepare(struct check *c);
void memory_attribute(const struct check *c, struct location *at, uint64_t attribute,
                      OTF2_AttributeValue value);
void memory_value(struct check *c, struct location *at, const struct otf2_evt_Metric *m,
                  const struct otf2_def_MetricClass *class);
void memory_end(struct check *c, const struct location *at);

/* pass.c: all that has to be said of events. */
void events_judge(struct check *c, unsigned threads, bool is_verbose);

/* events.c: once, and then a worker's locations. */
void events_prepare(void);
void events_open(struct check *c);
bool events_read(struct check *c, uint64_t most, uint64_t *n);
uint64_t events_reached(const struct check *c);
void events_close(struct check *c);

/* A time by the clock of the trace; times of a location come in the order of its file. */
uint64_t corrected(struct location *at, uint64_t time);

/* Where the current event of a location is. */
struct place event_place(const struct location *at);

/* marks.c: was that said of the current event of a location? */
void marks_begin(struct check *c);
void mark_set(struct check *c, struct location *at, uint32_t parameter, uint64_t value);
bool is_marked(const struct location *at, enum mpi_mark mark, uint64_t *value);

/* check_files.c, check_snapshots.c, check_markers.c */
bool check_anchor(struct check *c, const char *path);
void check_stray_files(struct check *c);
void check_snapshots(struct check *c);
void check_markers(struct check *c);
void check_thumbnails(struct check *c);

/* lost.c: what the archive says that it does not hold. */
void lost_begin(struct check *c);
bool lost_may_explain(enum rule rule);
void lost_finish(struct check *c);

/* Families of events: before the first event, at the end of a location, after the last event. */
void comms_begin(struct check *c);
void comms_finish(struct check *c);
void comms_tell_use(struct check *c);
void messages_begin(struct check *c);
void messages_finish(struct check *c);
void requests_begin(struct check *c);
void requests_finish(struct check *c);
void collectives_release_all(struct check *c);
void collectives_finish(struct check *c);
void threads_begin(struct check *c);
void threads_finish(struct check *c);
void locks_begin(struct check *c);
void locks_finish(struct check *c);
void rma_begin(struct check *c);
void rma_finish(struct check *c);
void io_begin(struct check *c);
void io_tell_agreements(struct check *c);
/* A location is about to leave a region, and has operations that block. */
void io_call_is_over(struct check *c, struct location *at);
void io_finish(struct check *c);
/* The innermost open region, by itself or in its calling context; or OTF2_UNDEFINED_REGION. */
uint64_t innermost_region(const struct check *c, const struct location *at);
void nesting_finish(struct check *c, struct location *at);
void metrics_edge(struct check *c, struct location *at);
/* A sample has come, which may have metrics. */
void metrics_sample(struct check *c, struct location *at);
void metrics_finish(struct check *c, struct location *at);

#define ON(Name, handler) void handler(struct check *c, struct location *at, event_data e);
#define FREE(Name)
#include "tools/check/handlers.def"
#undef ON
#undef FREE

#endif
