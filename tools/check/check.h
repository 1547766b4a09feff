/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive under judgement. The files of this folder are a topic each. The private state of a
 * file hangs at a pointer here. A file's facts about each location or process are members of their
 * structs.
 *
 * All events pass by once, in the order of time. So the memory holds only the items open at the
 * present time: regions, requests, messages on their way, operations not yet reached by all
 * members.
 *
 * The events pass by on several workers (tools/engine), each with its own struct check. A handler
 * of an event runs on the worker of the event's location, and may look at the definitions and at
 * the state of the location. For everything else the handler sends a note (check_tell.h): matters
 * of a process go to the shared part of stage 1, all other matters to the shared part of stage 2.
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
    struct table others; /* ids far from the rest */
    uint64_t next;       /* the expected next id */
    uint64_t n;
};

struct arena {
    char *block;
    size_t used, room;
    void **blocks;
    size_t n_blocks, blocks_room;
};

/* From an event's ids to global ids. */
struct id_map {
    uint64_t *to; /* by local id; an unlisted id stays */
    uint64_t n;
    uint64_t *pairs; /* of a sparse table with large ids: from, to, ascending */
    uint64_t n_pairs;
    bool is_dense;
};

struct clock_point {
    uint64_t time;
    int64_t offset;
};

/* ---- recording processes and locations ---- */

struct membership;
struct request;
struct operation;
struct blocking;

/* The statements of parameters in front of a record about the record. */
enum mpi_mark {
#define MARK(NAME, ...) MPI_MARK_##NAME,
#include "wrappers/mpi/tables/mpi_marks.def"
#undef MARK
    MPI_MARKS
};

struct mark {
    uint64_t event, value; /* the number of the record, from 1; the statement */
};

/* The place of an event in the order in which events pass by. */
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

/*
 * Data of different workers lie this far apart, so that no processor waits for another processor's
 * cache line.
 */
enum { APART_BYTES = 64 };

/*
 * Several workers have locations of the process: notes about the process have owners by their keys.
 */
#define SPLIT UINT32_MAX

/* The locations that share memory: a process. */
struct process {
    struct node node; /* a: location group */
    uint64_t rank;    /* in the world, or NO_RANK */
    uint64_t n_locations;
    uint32_t index;  /* among processes, by their groups */
    uint32_t worker; /* the worker with all locations of the process, or SPLIT */
    /* ---- of stage 1 ---- */
    uint64_t closed_request, closed_at; /* the last closed request */
    uint64_t n_exchanged;               /* sends started by one location and completed by another */
    bool hands_over;                    /* a location has completed more sends than started */
    uint64_t program_begins, program_ends;
    struct request *first_collective, *last_collective; /* non-blocking, by start */
    struct operation *held; /* done, but not yet all operations before */
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
    uint64_t rank;   /* in the world: of the location or the process */
    uint32_t index;  /* among locations */
    uint32_t worker; /* the worker that reads the location */

    struct chunks file;
    uint64_t n_events; /* when all are read */
    struct id_map *maps[OTF2_MAPPING_MAX];
    struct clock_point *points;
    size_t n_points, points_room, interval;
    uint64_t raw_time;
    uint64_t time;        /* corrected, of the current event */
    uint64_t order;       /* the latest of all times so far */
    uint32_t step;        /* findings and notes so far */
    uint32_t context;     /* the previous context; after a leave, the parent of the left context */
    uint32_t clock_error; /* ticks: the largest error from a clock offset */
    uint64_t last_time;   /* of the previous event */
    uint64_t next_time;   /* of the next event, if already read from the file */
    bool is_stamped;      /* a timestamp was read, and no record since */
    bool has_attributes;  /* the same for an attribute list */
    uint8_t first_record, last_record; /* enum otf2_evt_index */
    bool has_context;                  /* `context` is valid */
    bool is_in_collective, is_in_rma_collective;
    bool is_broken; /* the rest cannot be read: the end proves nothing */

    struct frame *frames;
    size_t depth, frames_room;
    struct blocking *blocking; /* unfinished blocking operations */
    size_t n_blocking, blocking_room;
    uint64_t edge_time;   /* of the last Enter or Leave */
    uint64_t strict_time; /* of the last strict metric; has_strict: no edge yet */
    uint64_t strict_event;
    uint64_t n_bare, bare_event, bare_time; /* Enters and Leaves without such metrics; the first */
    struct metric_last *metrics;            /* the last values, by metric */
    size_t n_metrics, metrics_room;
    struct memory memory;
    uint64_t work; /* from the attributes of the next event, if has_work */
    bool is_stream, has_work;
    bool is_work;       /* the open region has this number, and is no waiting */
    uint64_t gives;     /* number of the open call, if gives_depth */
    size_t gives_depth; /* depth of the call; 0: no call */
    bool has_edge, has_strict;
    bool is_strict; /* an Enter or Leave had strict metrics */
    bool is_off;
    bool is_listing; /* an attribute list of the event behind the current one is read */

    struct mark marks[MPI_MARKS];     /* about the next event */
    struct membership *membership;    /* the last membership looked up */
    uint64_t begin_time, begin_frame; /* of the collective operation */
    struct moment begin;
    size_t begin_depth;

    /* Of stage 1. */
    struct request *first_receive, *last_receive; /* posted and open, by start */
    uint64_t last_posted;                         /* event of the last posted receive */
    int64_t n_open_sends;                         /* started less completed sends, here */

    uint32_t *teams; /* entered */
    size_t n_teams, teams_room;
    uint64_t known_team; /* a team with this location as a member, + 1 */
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

/* The times of judgement; the order of findings. */
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
        container_errors[3]; /* of events, definitions, snapshots; ENOENT: not in the archive */
    bool is_unreadable;      /* no anchor file: reported already */
    bool is_cut;             /* a part could not be read: missing events prove nothing */
    bool has_lost_parts;     /* the same for the partners of faulty parts */
    bool declares_pauses;
    bool has_gaps; /* the same for events left out on purpose: paused, or filtered */

    struct arena arena;
    struct space spaces[REFS];
    const struct otf2_def_ClockProperties *clock; /* NULL: not defined */
    uint64_t begin, end;
    uint64_t n_definitions; /* records, unknown ones too */
    struct definition *all; /* in the order of the file */
    size_t n_all, all_room;

    struct location *locations; /* by id */
    size_t n_locations;
    struct table processes;
    struct process **by_index;
    uint32_t *reader_of_rank; /* by rank in the world: worker with all its locations, or SPLIT */
    uint64_t n_ranks;
    bool *is_unordered; /* regions of matched probes; up to n_regions */
    bool *is_shared;    /* regions with a lock that readers may share */
    size_t n_regions;
    uint64_t memory_attributes[MEMORY_SAID]; /* or NO_MEMORY_ATTRIBUTE */
    OTF2_MetricMemberRef memory_held[MEMORY_KINDS], memory_peak[MEMORY_KINDS];

    /* ---- from here on each worker has its own values ---- */
    struct check *common; /* of the command; the workers' structs are copies */
    struct engine *engine;
    const struct location *now;     /* location of the current event */
    const struct engine_note *note; /* the note taken out of a queue; NULL: an event is judged */
    enum phase phase;
    uint64_t phase_key[3];
    uint32_t step; /* findings and notes of the note; findings of the phase */
    struct merge *merge;
    struct membership **taken; /* by location: the membership of the last note */
    bool *gaps;                /* by index: has the process gaps; NULL: no process */
    bool *gaps_here;           /* the same at the present time, for processes of this worker */
    uint64_t n_events;         /* so far */
    void *scratch;             /* for the arrays of an event */
    size_t scratch_bytes;

    uint32_t parameters[MPI_MARKS]; /* the parameters' ids; OTF2_UNDEFINED_PARAMETER: not defined */
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

/* ---- functions shared between the files ---- */

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

/* The definition of the given id and record; NULL: not defined, or another record. */
const void *defined_as(const struct check *c, enum otf2_ref ref, uint64_t id,
                       enum otf2_def_index record);

/* The text of a string, or "". */
const char *text_of(const struct check *c, uint32_t string);
const char *region_text(const struct check *c, uint64_t region);

/* fields.c */
/* The kind of definition to which a typed value refers; false for other types. */
bool type_refers(OTF2_Type type, enum otf2_ref *ref, unsigned *bytes);
bool type_is_known(OTF2_Type type);
uint64_t typed_reference(OTF2_Type type, OTF2_AttributeValue value);
void enums_prepare(void); /* before the first question */
bool enum_is_known(enum otf2_enum which, uint64_t value);

/* The id space of a defining record; false: the record defines no id. */
bool record_defines(const struct otf2_record *record, enum otf2_ref *ref);

struct reference {
    const char *field;
    enum otf2_ref ref;
    uint64_t id;
    bool is_undefined;
    bool may_be_undefined;
};

/* Calls `call` for all references of a record but the record's own id. */
void each_reference(const struct otf2_record *record, const void *data,
                    void (*call)(struct check *c, const struct reference *r, void *context),
                    struct check *c, void *context);

/* Reports unknown values of enumerations and types. */
void check_enums(struct check *c, const struct otf2_record *record, const void *data,
                 struct place where);

/* Whether the members of a group are the ranks of its paradigm, as location groups. */
static inline bool is_of_processes(const struct otf2_def_Group *group)
{
    return group->groupType == OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS;
}

/* The same, as locations or location groups. */
static inline bool gives_ranks(const struct otf2_def_Group *group)
{
    return group->groupType == OTF2_GROUP_TYPE_COMM_LOCATIONS || is_of_processes(group);
}

/* The place of a definition. */
struct place definition_place(const struct check *c, const struct definition *d);

/* A loop over the global definitions of a kind. */
#define each_definition(c, d, Name)                                                                \
    for (const struct definition *d = (c)->all; d < (c)->all + (c)->n_all; d++)                    \
        if (d->record == OTF2_DEF_##Name)

/*
 * check_definitions.c, check_groups.c, check_metrics.c: rules about all global definitions
 * together.
 */
void check_definitions(struct check *c);
void check_groups(struct check *c);
void check_topologies(struct check *c);
void check_metric_definitions(struct check *c);

/* pass.c: the process of the location has gaps, from the current event on. */
void gaps_tell(struct check *c, struct location *at);

/* Is the process known to have gaps: from now on its records need no partner at the same place? */
static inline bool has_gaps(const bool *gaps, const struct location *at)
{
    return gaps && at && gaps[at->process->index];
}

/* Judges all nodes of a table in the order of their keys. */
void each_in_phase(struct check *c, enum phase phase, const struct table *table,
                   void (*visit)(void *node, void *context));
/* Each location of this worker in a phase. */
struct location *next_in_phase(struct check *c, enum phase phase, const struct location *before);

/* check_containers.c: the frame of the containers. False: nothing in the containers can be read. */
bool containers_judge(struct check *c);
void containers_check_stray(struct check *c);
/*
 * The bytes of a location's file, if the archive has containers. False: no bytes (*is_missing), or
 * the bytes cannot be read, which was reported.
 */
bool containers_find(const struct check *c, OTF2_FileType type, uint64_t location,
                     const struct otf2_pieces **pieces, bool *is_missing);

/* locations.c, local.c */
void locations_prepare(struct check *c);
void locations_free(struct check *c);
/*
 * Opens a file of a location; see chunks_open. `name` receives the file's name, and must live as
 * long as the findings about the file.
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

/* pass.c: all findings about events. */
void events_judge(struct check *c, unsigned threads, bool is_verbose);

/* events.c: once for all, and then for the locations of a worker. */
void events_prepare(void);
void events_open(struct check *c);
bool events_read(struct check *c, uint64_t most, uint64_t *n);
uint64_t events_reached(const struct check *c);
void events_close(struct check *c);

/*
 * A time by the clock of the trace; times of a location come in the order of the location's file.
 */
uint64_t corrected(struct location *at, uint64_t time);

/* The place of a location's current event. */
struct place event_place(const struct location *at);

/* marks.c: the statements about a location's current event. */
void marks_begin(struct check *c);
void mark_set(struct check *c, struct location *at, uint32_t parameter, uint64_t value);
bool is_marked(const struct location *at, enum mpi_mark mark, uint64_t *value);

/* check_files.c, check_snapshots.c, check_markers.c */
bool check_anchor(struct check *c, const char *path);
void check_stray_files(struct check *c);
void check_snapshots(struct check *c);
void check_markers(struct check *c);
void check_thumbnails(struct check *c);

/* lost.c: the missing parts, as the archive itself lists them. */
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
/* A location is about to leave a region, and has unfinished blocking operations. */
void io_call_is_over(struct check *c, struct location *at);
void io_finish(struct check *c);
/*
 * The innermost open region, entered directly or through a calling context; or
 * OTF2_UNDEFINED_REGION.
 */
uint64_t innermost_region(const struct check *c, const struct location *at);
void nesting_finish(struct check *c, struct location *at);
void metrics_edge(struct check *c, struct location *at);
/* A sample has come, maybe with metrics. */
void metrics_sample(struct check *c, struct location *at);
void metrics_finish(struct check *c, struct location *at);

#define ON(Name, handler) void handler(struct check *c, struct location *at, event_data e);
#define FREE(Name)
#include "tools/check/handlers.def"
#undef ON
#undef FREE

#endif
