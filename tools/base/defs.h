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

/* Kinds of things that are found by their ids. */
enum defs_kind {
    DEFS_TEXT,
    DEFS_NODE,
    DEFS_PROCESS,
    DEFS_LOCATION,
    DEFS_REGION,
    DEFS_GROUP,
    DEFS_LOCATIONS, /* paradigm, to the group of its ranks */
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
    DEFS_IO_PARALLEL, /* paradigms that several processes use together; to 1 */
    DEFS_IO_APPENDS,  /* handles that were open for appending before recording began; to 1 */
};

/* Regions that no archive defines. All defined regions follow behind. */
enum { REGION_PROGRAM, REGION_IDLE, REGION_BLOCKED, REGION_OFF, REGION_SHORT, REGIONS_OWN };

/* Regions that need a closer look by the profile. */
enum region_meaning {
    REGION_PLAIN,
    REGION_MPI_BEGIN,   /* MPI_Init and the like */
    REGION_MPI_END,     /* MPI_Finalize and the like */
    REGION_THREAD_WAIT, /* waits for other threads, or for own child processes */
    REGION_OMP_BARRIER, /* threads of a team wait for each other */
    REGION_METADATA,    /* opens files or asks for their state, and moves no data */
};

/* Parameters about the last known state of a location: the location was seen inside of regions. */
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
    bool is_call; /* of a library: code inside the call belongs to the library, not the program */
    bool is_recording; /* the agent at work, as found by samples */
    uint8_t meaning;   /* enum region_meaning */
    uint32_t twin; /* the region of the same function, as entered and left; NIL: no other region */
};

/* Whether the region is a call that opens, reads or writes files, or asks for their state. */
static inline bool region_is_of_files(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_FILE_IO ||
           region->role == OTF2_REGION_ROLE_FILE_IO_METADATA;
}

/*
 * Whether the region is a call that waits until a descriptor is ready, or for the other end of a
 * socket.
 */
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
    uint64_t n_dropped;     /* events that were not kept, according to spur */
    uint64_t dropped_until; /* time of the first kept event; 0: not said */
};

/* A location group. */
struct process {
    uint64_t id;
    OTF2_StringRef name;
    uint32_t rank;      /* rank in the world, NIL: no rank */
    uint32_t main;      /* its location in the world, else its first location; NIL: no location */
    uint32_t n_threads; /* locations */
    uint64_t creator_id;
    uint32_t creator; /* the process that started this process, NIL: not said */
    bool is_device;   /* a device instead of a process: `creator` uses the device */
    OTF2_StringRef command;
    OTF2_StringRef node;
    uint32_t host; /* index in d->nodes: node that shares memory, else its node; NIL: not said */
    OTF2_StringRef stopped;    /* why recording stopped at `stopped_at`, according to spur */
    uint64_t stopped_at;       /* UINT64_MAX: recording went on to the end */
    OTF2_StringRef filtered;   /* names of filtered regions */
    OTF2_StringRef mpi_groups; /* the only groups of MPI calls that were recorded */
    OTF2_StringRef rings;      /* of io_uring, made by the process itself */
    uint64_t samples_lost;
    bool has_dropped;   /* records of the process were not kept */
    OTF2_StringRef end; /* how the process ended, in words, according to spur */
    OTF2_StringRef end_seen_by;
    OTF2_StringRef batch, job; /* the batch system that ran the process, and the job */
    bool died_first;           /* first of all processes that died */
    OTF2_StringRef crash_stack, crash_cause, crash_place; /* according to spur */
    bool is_of_waits;                                     /* of locks, only waits were recorded */
    OTF2_StringRef placement, usage;                      /* according to spur, see placement.h */
    OTF2_LocationRef crashed;                             /* the crashed location, if known */
};

/* Acquisitions of a lock, or of a thing used as a lock, that were counted and not recorded. */
struct counted_lock {
    uint32_t process;
    uint32_t id; /* COUNTED_REST: sum of all locks without numbers */
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
    uint32_t ranks; /* group: the ranks that its members count; set by defs_finish, NIL: none */
};

/* Whether the members of a group are the ranks of its paradigm: locations or location groups. */
static inline bool group_gives_ranks(OTF2_GroupType type)
{
    return type == OTF2_GROUP_TYPE_COMM_LOCATIONS || type == OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS;
}

struct comm {
    uint64_t id;
    OTF2_StringRef name;
    uint32_t group;   /* index; an id until defs_finish; NIL: not defined */
    uint32_t group_b; /* group of the other side, likewise */
    bool is_inter;
    bool is_defined;
};

/*
 * Memory of a process: held of the heap, and mapped past the heap; each with the peak up to then.
 */
enum memory_value { HELD, HELD_PEAK, MAPPED, MAPPED_PEAK, MEMORY_VALUES };

struct metric_member {
    OTF2_StringRef name;
    OTF2_MetricMode mode;
    OTF2_Base base;
    int64_t exponent;
    OTF2_StringRef unit;
    uint8_t memory;        /* 1 + enum memory_value; 0: another metric */
    uint8_t device_memory; /* 1 + enum device_memory_kind; 0: another metric */
};

/* A metric class, or an instance of a class. */
struct metric_class {
    uint64_t instance_of; /* id of the class, or undefined */
    uint32_t *members;
    uint32_t n;
    bool is_of_shorts; /* calls that were only counted, see struct shorts; set by defs_finish */
};

/* Calls that were only counted (SPUR_MIN_DURATION), between two records of a location. */
struct shorts {
    uint64_t calls;
    uint64_t begin; /* begin, as if the calls followed each other up to the second record */
    uint64_t calls_so_far, ns_so_far;
};

struct context {
    uint64_t region_id;
    uint64_t parent_id;
    uint32_t region; /* indices, set by defs_finish; NIL: no parent */
    uint32_t parent;
    uint32_t place;  /* id of a line of source code, or undefined */
    uint32_t site;   /* of a call that is made there; set by defs_finish */
    uint32_t path;   /* how calls have come there */
    uint32_t script; /* the innermost function of a script there or above; NIL: no script */
    uint32_t maker;  /* site of the script on whose behalf the interpreter calls; else `site` */
};

/*
 * A path of calls. Contexts that differ only in functions inlined from headers of the system share
 * a path.
 */
struct call_path {
    uint32_t site;
    uint32_t caller; /* the path to the call before; NIL: no caller */
};

/* A line of source code. */
struct place_of_code {
    OTF2_StringRef file;
    uint32_t line;
};

/* A place where the program makes calls. */
struct site {
    uint32_t region;     /* the function around the call */
    OTF2_StringRef file; /* undefined, and line 0: not known */
    uint32_t line;
};

/* A generator of interruptions, at which threads take samples. */
struct generator {
    OTF2_StringRef name;
    double period; /* seconds of CPU time; 0: another quantity is counted */
    uint64_t events;
};

struct io_handle {
    uint64_t id;
    OTF2_StringRef name;
    uint64_t file;
    uint32_t paradigm; /* OTF2_IoParadigmRef */
    OTF2_CommRef comm; /* undefined: handle of a single process */
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
    bool is_host; /* memory is shared in the node */
};

/* Indices of small ids, for a quick answer: most archives have small ids. NIL: ask by_id. */
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
    OTF2_AttributeRef calls;      /* of Enters: number of calls that the region stands for */
    OTF2_AttributeRef taken;      /* of values of memory, as memory_marks.h says */
    OTF2_AttributeRef given;
    OTF2_AttributeRef stands_for;
    OTF2_AttributeRef offset;  /* of operations on files: place in the file */
    OTF2_AttributeRef mapped;  /* of handles made for mappings: number of bytes */
    OTF2_AttributeRef work_id; /* of the work of devices, as device_marks.h says */
    OTF2_AttributeRef work_bytes;
    OTF2_AttributeRef work_items;
    uint32_t launch_id; /* parameter: the same number in the call that gave the work */
    uint32_t held_lock, held_since, held_by; /* parameters of a counted lock */
    LIST(struct generator) generators;
    LIST(struct io_handle) handles;
    LIST(OTF2_StringRef) files;
    LIST(struct system_node) nodes;
    uint32_t n_nodes; /* shared memories: hosts */
    uint32_t ordinal; /* parameters: number of the next recorded message, see report_gaps.h */
    uint32_t missed;
    uint32_t stands[STANDS]; /* parameters of report_stands.h */
    uint32_t world;          /* group: the locations with MPI ranks, NIL: not defined */
    struct small_ids region_ids;
    struct small_ids comm_ids;
    struct small_ids location_ids;
    struct map rank_in;    /* (group, process) to rank */
    LIST(bool) is_ranked;  /* by group: whether rank_in has the group */
    struct map lock_names; /* (process, lock) to a string */
    LIST(struct counted_lock) counted;
    bool is_shared;   /* defs_share */
    bool has_unknown; /* and a copy was asked for an id without a definition */
};

/*
 * Callbacks that fill a struct defs, their user data. `defs_finish` follows when all definitions
 * are read.
 */
OTF2_GlobalDefReaderCallbacks *defs_callbacks(void);
void defs_init(struct defs *d);
void defs_finish(struct defs *d);
/* Makes the indices that each event needs available without a search; part of `defs_finish`. */
void defs_list_ids(struct defs *d);
/* Finds the groups of communicators and the locations of groups; part of `defs_finish`. */
void defs_find_groups(struct defs *d);
/* Sets the meaning of a region; part of `defs_finish`. */
void defs_mean(const struct defs *d, struct region *region);
void defs_mean_metric(const struct defs *d, struct metric_member *m);
void defs_mean_class(const struct defs *d, struct metric_class *class);

/*
 * Several threads can use the same definitions. After defs_share each thread takes a copy by
 * defs_borrow. The copy answers every question, but gives all ids without a definition the same
 * nameless entry, and notes the fact in has_unknown. defs_unshare ends the sharing, when all copies
 * are given back.
 */
void defs_share(struct defs *d);
struct defs defs_borrow(const struct defs *d);
void defs_give_back(struct defs *copy);
void defs_unshare(struct defs *d);

uint32_t defs_region(struct defs *d, uint64_t id); /* never NIL */
uint32_t defs_comm(struct defs *d, uint64_t id);   /* never NIL */
uint32_t defs_location(const struct defs *d, uint64_t id);
uint32_t defs_owner(const struct defs *d,
                    uint32_t location); /* process, also for a device's stream */
uint32_t defs_context(const struct defs *d, uint64_t id);
uint32_t defs_generator(const struct defs *d, uint64_t id);
uint32_t defs_class(const struct defs *d, uint64_t id); /* instances resolved */
uint32_t defs_member(const struct defs *d, uint64_t id);
/* Whether a record of n values of the class counts short calls. */
static inline bool defs_has_shorts(const struct defs *d, uint32_t class, uint8_t n)
{
    return class != NIL && d->classes.at[class].is_of_shorts && n == d->classes.at[class].n;
}
/* Calls that a record of a counting class, at the given time, adds to the records before. */
void defs_shorts(const struct defs *d, uint64_t time, const OTF2_MetricValue *values,
                 struct shorts *s);
uint32_t defs_handle(const struct defs *d, uint64_t id);
uint32_t defs_window_comm(struct defs *d, uint64_t id); /* never NIL */

const char *defs_text(const struct defs *d, OTF2_StringRef id); /* "": not defined */
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
/* The interface of the handle: "POSIX I/O"; "": not defined. */
const char *defs_handle_layer(const struct defs *d, uint64_t handle);
/* Whether several processes use the handle together (MPI-IO). */
bool defs_handle_is_parallel(const struct defs *d, uint64_t handle);
/* Whether all members of a communicator open the handle, in a single collective operation. */
bool defs_handle_is_collective(struct defs *d, uint64_t handle);
/* Whether writes go to the end of the file. */
bool defs_handle_appends(const struct defs *d, uint64_t handle);
double defs_seconds(const struct defs *d, uint64_t ticks);
/*
 * Ends the command if a window is empty: its begin, in seconds since the begin of the trace, lies
 * behind the trace's end.
 */
void defs_need_time(double from_s, double length_s);

/* The place of a context (an index) in its function. */
struct place_of_code defs_place(const struct defs *d, uint32_t context);

/* The site of the context of a call site; NIL: unknown. */
uint32_t defs_site(const struct defs *d, uint64_t context);
/* The same for the call site among the attributes of an event; NIL: no call site. */
uint32_t defs_site_in(const struct defs *d, const OTF2_AttributeList *attributes);
/*
 * The site of a call that was entered by a context (an index): the place of the call in its caller.
 */
uint32_t defs_site_of_call(const struct defs *d, uint32_t context);
/* Whether a context (an index) is a function on the stack, and no region that was entered. */
bool defs_is_code(const struct defs *d, uint32_t context);
/*
 * The taker of a block of memory, from the call site among the attributes: the innermost function
 * of a script on the stack; without scripts, the call site; NIL: neither is known. *path: the path
 * of calls to the taker.
 */
uint32_t defs_taker_in(const struct defs *d, const OTF2_AttributeList *attributes, uint32_t *path);
bool defs_path_has_callers(const struct defs *d, uint32_t path);
/*
 * main (main.c:10) > solve (solver.c:118): the innermost `most` frames of a path, UINT_MAX: all. In
 * a path to a script the frames of the interpreter are left out unless all frames are asked for.
 */
char *defs_path_name(const struct defs *d, uint32_t path, unsigned most);
/* Number of calls that an Enter with these attributes stands for, 1 or more. */
uint64_t defs_calls_in(const struct defs *d, const OTF2_AttributeList *attributes);
/* The number in an attribute of an event; false: the event does not have the attribute. */
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
 * Ranks of a communicator, seen from a process of the communicator. Without groups, rank r is the
 * r-th process. NIL: no process with the rank.
 */
uint32_t defs_peer(struct defs *d, uint32_t comm, uint32_t process, uint32_t rank);
uint32_t defs_rank(struct defs *d, uint32_t comm, uint32_t process);
/* The process of a member of a group that gives ranks; NIL: not defined. */
uint32_t defs_ranked(const struct defs *d, const struct group *ranks, uint64_t id);
uint32_t defs_comm_size(struct defs *d, uint32_t comm);

#endif
