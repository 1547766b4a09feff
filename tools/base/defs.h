/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global definitions of an archive, as far as a profile needs them. Definitions are kept by
 * index. A function finds the index of an OTF2 id; an id without a definition gets a nameless
 * entry. Texts are resolved when asked for, since they may stand after the definitions that use
 * them.
 */
#ifndef TOOLS_BASE_DEFS_H
#define TOOLS_BASE_DEFS_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GlobalDefReaderCallbacks.h>

#include "tools/base/list.h"
#include "tools/base/map.h"

/* What is found by its id. */
enum defs_kind {
    DEFS_TEXT,
    DEFS_NODE,
    DEFS_PROCESS,
    DEFS_LOCATION,
    DEFS_REGION,
    DEFS_GROUP,
    DEFS_LOCATIONS, /* a paradigm, to the group of the locations that its ranks are */
    DEFS_COMM,
    DEFS_MEMBER,
    DEFS_CLASS,
    DEFS_CONTEXT,
    DEFS_GENERATOR,
    DEFS_FILE,
    DEFS_HANDLE,
    DEFS_PLACE,
    DEFS_WINDOW,      /* to the id of its communicator */
    DEFS_IO_PARADIGM, /* to the id of its name */
    DEFS_IO_PARALLEL, /* paradigms of several processes together; to 1 */
    DEFS_IO_APPENDS,  /* handles that were open to append before recording began; to 1 */
};

/* Regions that no archive defines, behind which the others follow. */
enum { REGION_PROGRAM, REGION_IDLE, REGION_BLOCKED, REGION_OFF, REGION_SHORT, REGIONS_OWN };

/* Regions that the profile has to look at more closely. */
enum region_meaning {
    REGION_PLAIN,
    REGION_MPI_BEGIN,   /* MPI_Init and the like */
    REGION_MPI_END,     /* MPI_Finalize and the like */
    REGION_THREAD_WAIT, /* waits for other threads, or processes that it has made */
    REGION_OMP_BARRIER, /* threads of a team wait for each other */
    REGION_METADATA,    /* opens files or asks for them, and moves no data */
};

/* What is said by parameters of a location that stood in regions when it was seen last. */
enum stand {
    STAND_OPEN,
    STAND_WAITS,
    STAND_POSTED,
    STAND_SENDS,
    STAND_COMM,
    STAND_PEER,
    STAND_TAG,
    STANDS
};

struct region {
    uint64_t id;
    OTF2_StringRef name;
    OTF2_StringRef description;
    OTF2_StringRef file;
    uint32_t line;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
    bool is_defined;
    bool is_call; /* of a library: what runs inside of it is the library's, and none of the program
                   */
    bool is_recording; /* the agent at work, as samples find it */
    uint8_t meaning;   /* enum region_meaning */
    uint32_t twin;     /* the same function as it is entered and left; NIL: none */
};

/* Whether it is a call that opens, reads, writes or asks for files. */
static inline bool region_is_of_files(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_FILE_IO ||
           region->role == OTF2_REGION_ROLE_FILE_IO_METADATA;
}

/* Whether it is a call that waits until a descriptor is ready, or for the other end of a socket. */
static inline bool region_awaits_descriptor(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_THREAD_WAIT && region->paradigm == OTF2_PARADIGM_NONE;
}

struct location {
    uint64_t id;
    OTF2_StringRef name;
    OTF2_LocationType type;
    uint64_t n_events;
    uint32_t process;
    uint64_t n_dropped;     /* events that were not kept, as spur tells */
    uint64_t dropped_until; /* the first that was; 0: not said */
};

/* A location group. */
struct process {
    uint64_t id;
    OTF2_StringRef name;
    uint32_t rank;      /* in the world, NIL: none */
    uint32_t main;      /* its first location, or the one that is in the world; NIL: none */
    uint32_t n_threads; /* locations */
    uint64_t creator_id;
    uint32_t creator; /* the process that started it, NIL: not said */
    bool is_device;   /* it is no process: `creator` uses it */
    OTF2_StringRef command;
    OTF2_StringRef node;
    uint32_t host; /* of d->nodes: where memory is shared, or else what it is in; NIL: not said */
    OTF2_StringRef stopped;  /* why nothing new was recorded from `stopped_at` on, as spur tells */
    uint64_t stopped_at;     /* UINT64_MAX: it was to the end */
    OTF2_StringRef filtered; /* names of regions that were left out */
    OTF2_StringRef mpi_groups; /* of calls, that alone were recorded */
    OTF2_StringRef rings;      /* of io_uring that the process has made itself */
    uint64_t samples_lost;
    bool has_dropped;   /* records of it were not kept */
    OTF2_StringRef end; /* how it ended, in words, as spur tells */
    OTF2_StringRef end_seen_by;
    OTF2_StringRef batch, job; /* the batch system that ran it, and its job */
    bool died_first;           /* of all that died */
    OTF2_StringRef crash_stack, crash_cause, crash_place; /* as spur tells */
    uint64_t contended_at; /* UINT64_MAX: all locks were recorded; else only those that waited */
    OTF2_StringRef placement, usage; /* the same, see placement.h */
    OTF2_LocationRef crashed;        /* the location, if it has one */
};

/* Acquisitions of a lock, and of what is used as one, that were counted and not recorded. */
struct counted_lock {
    uint32_t process;
    uint32_t id; /* COUNTED_REST: of all that have no numbers */
    uint32_t threads;
    uint64_t acquisitions, signals;
    const char *kind; /* "lock", ... */
};
#define COUNTED_REST (UINT32_MAX - 1)

struct group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint64_t *members;
    uint32_t n;
    uint32_t ranks; /* group: the locations that its members count; by defs_finish, NIL: none */
};

struct comm {
    uint64_t id;
    OTF2_StringRef name;
    uint32_t group;   /* index; an id until defs_finish; NIL: not defined */
    uint32_t group_b; /* of the other side, likewise */
    bool is_inter;
    bool is_defined;
};

/* What the process holds of the heap, and has mapped past it; each with the most up to then. */
enum memory_value { HELD, HELD_PEAK, MAPPED, MAPPED_PEAK, MEMORY_VALUES };

struct metric_member {
    OTF2_StringRef name;
    OTF2_MetricMode mode;
    OTF2_Base base;
    int64_t exponent;
    OTF2_StringRef unit;
    bool is_short_time;    /* ns in calls that were only counted */
    uint8_t memory;        /* 1 + enum memory_value; 0: another metric */
    uint8_t device_memory; /* 1 + enum device_memory_kind; 0: another metric */
};

/* A metric class, or an instance of one. */
struct metric_class {
    uint64_t instance_of; /* id of the class, or undefined */
    uint32_t *members;
    uint32_t n;
    bool is_of_shorts; /* calls that were only counted, see struct shorts; by defs_finish */
};

/* Calls that were only counted (SPUR_MIN_DURATION), between two records of a location. */
struct shorts {
    uint64_t calls;
    uint64_t begin; /* as if they followed each other up to the second record */
    uint64_t calls_so_far, ns_so_far;
};

struct context {
    uint64_t region_id;
    uint64_t parent_id;
    uint32_t region; /* indices, by defs_finish; NIL: no parent */
    uint32_t parent;
    uint32_t place;  /* id of a line of source code, or undefined */
    uint32_t site;   /* of a call that is made there; by defs_finish */
    uint32_t path;   /* how calls have come there, */
    uint32_t script; /* the innermost function of a script there or above; NIL: there is none */
    uint32_t maker; /* and the site of the script that such a call is made for, if any, or `site` */
};

/* A path of calls; different contexts may be one, by what headers of the system have inlined. */
struct call_path {
    uint32_t site;
    uint32_t caller; /* the path to the call before; NIL: there is none */
};

/* A line of source code. */
struct place_of_code {
    OTF2_StringRef file;
    uint32_t line;
};

/* Where the program makes calls. */
struct site {
    uint32_t region;     /* the function that it is in */
    OTF2_StringRef file; /* undefined, and line 0: not known */
    uint32_t line;
};

/* What interrupts threads to take samples. */
struct generator {
    OTF2_StringRef name;
    double period; /* seconds of CPU time; 0: it counts something else */
    uint64_t events;
};

struct io_handle {
    uint64_t id;
    OTF2_StringRef name;
    uint64_t file;
    uint32_t paradigm; /* OTF2_IoParadigmRef */
    OTF2_CommRef comm; /* undefined: of one process */
};

struct clock {
    uint64_t ticks_per_second;
    uint64_t start;
    uint64_t length;
    uint64_t realtime_ns;
};

struct system_node {
    OTF2_StringRef name;
    OTF2_SystemTreeNodeRef parent;
    bool is_host; /* memory is shared in it */
};

/* Indices by small ids, which most archives have; NIL: ask by_id. */
struct small_ids {
    uint32_t *at;
    size_t n;
    size_t room;
};

struct defs {
    struct map by_id; /* (enum of report_defs.c, id) to an index */
    struct clock clock;
    LIST(char *) texts;
    LIST(struct region) regions;
    LIST(struct location) locations;
    LIST(struct process) processes;
    LIST(struct group) groups;
    LIST(struct comm) comms;
    LIST(struct metric_member) members;
    LIST(struct metric_class) classes;
    LIST(struct context) contexts;
    LIST(struct place_of_code) places;
    LIST(struct site) sites;
    LIST(struct call_path) paths; /* callers first */
    OTF2_AttributeRef call_site;  /* of Enters, and of values of memory; or undefined */
    OTF2_AttributeRef calls;      /* of Enters: how many calls the region stands for */
    OTF2_AttributeRef taken;      /* of values of memory, as memory_marks.h says */
    OTF2_AttributeRef given;
    OTF2_AttributeRef stands_for;
    OTF2_AttributeRef offset;  /* of operations on files: where they begin */
    OTF2_AttributeRef mapped;  /* of handles that are made for mappings: how many bytes */
    OTF2_AttributeRef work_id; /* of what devices do, as device_marks.h says */
    OTF2_AttributeRef work_bytes;
    OTF2_AttributeRef work_items;
    uint32_t launch_id; /* parameter: the same number in the call that has given the work */
    uint32_t held_lock, held_since, held_by; /* parameters: of a lock that was counted */
    LIST(struct generator) generators;
    LIST(struct io_handle) handles;
    LIST(OTF2_StringRef) files;
    LIST(struct system_node) nodes;
    uint32_t n_nodes; /* shared memories: hosts */
    uint32_t ordinal; /* parameters that say which message is recorded next, see report_gaps.h */
    uint32_t missed;
    uint32_t stands[STANDS]; /* those of report_stands.h */
    uint32_t world;          /* group: the locations that have MPI ranks, NIL: not defined */
    struct small_ids region_ids;
    struct small_ids comm_ids;
    struct small_ids location_ids;
    struct map rank_in;    /* (group, process) to rank */
    LIST(bool) is_ranked;  /* by group: rank_in knows it */
    struct map lock_names; /* (process, lock) to a string */
    LIST(struct counted_lock) counted;
    bool is_shared;   /* defs_share */
    bool has_unknown; /* and was asked for what no definition has */
};

/* Callbacks that fill a struct defs, their user data; `defs_finish` when all are read. */
OTF2_GlobalDefReaderCallbacks *defs_callbacks(void);
void defs_init(struct defs *d);
void defs_finish(struct defs *d);
/* What is asked for at each event is found without a search; part of `defs_finish`. */
void defs_list_ids(struct defs *d);
/* What communicators and groups refer to, likewise. */
void defs_find_groups(struct defs *d);
/* Sets what a region is for; part of `defs_finish`. */
void defs_mean(const struct defs *d, struct region *region);
void defs_mean_metric(const struct defs *d, struct metric_member *m);
void defs_mean_class(const struct defs *d, struct metric_class *class);

/*
 * Several threads can use the same definitions: after defs_share each takes a copy by defs_borrow,
 * which may answer any question, but gives what no definition has one nameless entry, and says so
 * in has_unknown. defs_unshare ends that, when all copies are given back.
 */
void defs_share(struct defs *d);
struct defs defs_borrow(const struct defs *d);
void defs_give_back(struct defs *copy);
void defs_unshare(struct defs *d);

uint32_t defs_region(struct defs *d, uint64_t id); /* never NIL */
uint32_t defs_comm(struct defs *d, uint64_t id);   /* never NIL */
uint32_t defs_location(const struct defs *d, uint64_t id);
uint32_t defs_owner(const struct defs *d,
                    uint32_t location); /* process, also of a device's stream */
uint32_t defs_context(const struct defs *d, uint64_t id);
uint32_t defs_generator(const struct defs *d, uint64_t id);
uint32_t defs_class(const struct defs *d, uint64_t id); /* instances resolved */
uint32_t defs_member(const struct defs *d, uint64_t id);
/* What a record of such a class, at that time, adds to the ones before it. */
void defs_shorts(const struct defs *d, uint64_t time, const OTF2_MetricValue *values,
                 struct shorts *s);
uint32_t defs_handle(const struct defs *d, uint64_t id);
uint32_t defs_window_comm(struct defs *d, uint64_t id); /* never NIL */

const char *defs_text(const struct defs *d, OTF2_StringRef id); /* "" when there is none */
const char *defs_region_name(const struct defs *d, uint32_t region);
static inline double defs_metric_value(OTF2_Type type, OTF2_MetricValue value)
{
    if (type == OTF2_TYPE_INT64)
        return (double)value.signed_int;
    return type == OTF2_TYPE_UINT64 ? (double)value.unsigned_int : value.floating_point;
}

const char *defs_process_name(const struct defs *d, uint32_t process);
const char *defs_lock_name(const struct defs *d, uint32_t process, uint32_t lock); /* likewise */
const char *defs_comm_name(const struct defs *d, uint32_t comm);
const char *defs_handle_file(const struct defs *d, uint64_t handle);
/* The interface that the handle is of: "POSIX I/O"; "": not defined. */
const char *defs_handle_layer(const struct defs *d, uint64_t handle);
/* Several processes use the handle together (MPI-IO). */
bool defs_handle_is_parallel(const struct defs *d, uint64_t handle);
/* It is opened by all members of a communicator, in one collective operation. */
bool defs_handle_is_collective(struct defs *d, uint64_t handle);
/* What is written goes behind the end. */
bool defs_handle_appends(const struct defs *d, uint64_t handle);
double defs_seconds(const struct defs *d, uint64_t ticks);
/* Ends the command if a window that begins so many seconds after the trace is behind its end. */
void defs_need_time(double from_s, double length_s);

/* Where a context, an index, is in its function. */
struct place_of_code defs_place(const struct defs *d, uint32_t context);

/* The site that a call site's context stands for; NIL: none. */
uint32_t defs_site(const struct defs *d, uint64_t context);
/* The same for the call site among the attributes of an event; NIL: there is none. */
uint32_t defs_site_in(const struct defs *d, const OTF2_AttributeList *attributes);
/* The site of a call that was entered by a context, an index: where its caller makes it. */
uint32_t defs_site_of_call(const struct defs *d, uint32_t context);
/* A context, an index, is of a function, and of no region that was entered. */
bool defs_is_code(const struct defs *d, uint32_t context);
/*
 * Who takes a block of memory, from the call site among the attributes: the innermost function of a
 * script on the stack, or if there is none, the call site; NIL: there is neither. *path: the path
 * of calls to the taker.
 */
uint32_t defs_taker_in(const struct defs *d, const OTF2_AttributeList *attributes, uint32_t *path);
bool defs_path_has_callers(const struct defs *d, uint32_t path);
/*
 * main (main.c:10) > solve (solver.c:118): the innermost `most` frames of a path, UINT_MAX: all. Of
 * a path to a script the frames of the interpreter are left out unless all are asked for.
 */
char *defs_path_name(const struct defs *d, uint32_t path, unsigned most);
/* How many calls an Enter with these attributes stands for, 1 or more. */
uint64_t defs_calls_in(const struct defs *d, const OTF2_AttributeList *attributes);
/* The number that an event has as an attribute; false: it has none. */
bool defs_number_in(const OTF2_AttributeList *attributes, OTF2_AttributeRef attribute,
                    uint64_t *number);
const char *defs_site_file(const struct defs *d, uint32_t site); /* without folders */
char *defs_site_name(const struct defs *d, uint32_t site);       /* solver.c:118, or the function */

/* Parts of defs_callbacks() and defs_finish(). */
void defs_set_property(struct defs *d, uint32_t process, const char *key, OTF2_Type type,
                       OTF2_AttributeValue value);
void defs_sites_register(OTF2_GlobalDefReaderCallbacks *c);
void defs_sites_finish(struct defs *d);

/*
 * Ranks of a communicator, seen from a process of it. Without groups, rank r is the r-th process.
 * NIL: no such rank.
 */
uint32_t defs_peer(struct defs *d, uint32_t comm, uint32_t process, uint32_t rank);
uint32_t defs_rank(struct defs *d, uint32_t comm, uint32_t process);
uint32_t defs_comm_size(struct defs *d, uint32_t comm);

#endif
