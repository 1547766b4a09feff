/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of spur snapshots: the open calls, messages and operations of each location as events
 * go by, and writing the open records to snapshots.
 */
#ifndef SNAPSHOTS_SNAPSHOTS_H
#define SNAPSHOTS_SNAPSHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include <otf2/OTF2_SnapWriter.h>
#include <otf2/OTF2_Thumbnail.h>
#include <otf2/otf2_foreach.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/options.h"

#define PROGRAM "spur snapshots"

/* ---- events ---- */

enum event_type {
#define EVENT(Name, ...) EVENT_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
    EVENTS
};

/* The cells of an event, and the time of the event under the name used in snapshots. */
#include <otf2/otf2_tables_begin.h>
#define CELL(Row, kind, name) otf2_t_##kind name;
union cells {
    OTF2_TimeStamp origEventTime;
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    struct {                                                                                       \
        OTF2_TimeStamp origEventTime;                                                              \
        OTF2_SEQ(CELL, Name, __VA_ARGS__)                                                          \
    } Name;
#include <otf2/otf2_events.def>
#undef EVENT
};
#undef CELL
#include <otf2/otf2_tables_end.h>

/*
 * The subject of a record. The records of one kind on one location form a chain. To find the record
 * that an event ends, the chain is searched.
 */
enum chain {
    CHAIN_REGIONS, /* entered regions and the parameters within them */
    CHAIN_SENDS,
    CHAIN_RECEIVES,
    CHAIN_REQUESTS,    /* of receives */
    CHAIN_COMPLETIONS, /* of sends */
    CHAIN_BEGINS,      /* of collective operations */
    CHAIN_ENDS,
    CHAIN_FORKS,
    CHAIN_LOCKS,
    CHAIN_TASKS,
    CHAIN_SWITCHES,
    CHAIN_METRICS,
    CHAIN_MODE,
    CHAINS
};

struct link {
    struct record *previous;
    struct record *next;
};

/* An event that a snapshot would repeat. */
struct record {
    enum event_type type;
    enum chain chain;
    struct link in_all;
    struct link in_chain;
    /* A send and its completion, an end of a collective operation and its begin. */
    struct record *partner;
    union cells cells;
    OTF2_AttributeList *attributes; /* NULL: no attributes */
    void *arrays;                   /* the arrays to which cells point */
};

struct list {
    struct record *first;
    struct record *last;
};

struct region {
    OTF2_RegionRef self;
    uint64_t here; /* locations whose innermost region is this region */
};

struct location {
    OTF2_LocationRef self;
    struct list all; /* in the order of their events */
    uint64_t count;
    struct list chains[CHAINS];
    uint64_t events;         /* events that have gone by, */
    uint64_t events_defined; /* of this number in the definition */
    struct region *region;   /* whose `here` counts the location; NULL: no region */
};

/* ---- snapshots_trace.c: the trace's definitions ---- */

/* A communicator; see comm_member. */
struct comm {
    OTF2_CommRef self;
    OTF2_GroupRef group_ref;
    const struct group *group; /* NULL: not a group of processes */
    uint64_t *ended;      /* by rank: collective operations ended by the rank, but not yet by all */
    uint64_t ranks_ended; /* number of ranks whose `ended` is not 0 */
};

struct group {
    OTF2_GroupRef self;
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint64_t count;
    uint64_t *members;  /* locations, by rank */
    uint64_t *ranks;    /* ranks by their locations' ids */
    bool has_locations; /* members are resolved */
};

struct trace {
    LIST(struct location) locations; /* in the order of their definitions */
    struct location **by_self;
    LIST(struct region) regions; /* by their ids */
    LIST(struct group) groups;
    LIST(struct comm) comms; /* by their ids */
    uint64_t start;
    uint64_t length;
    uint64_t n_events; /* as the definitions of locations say */
};

/* Sets the callbacks for reading the global definitions, for a trace of zeroes. */
OTF2_GlobalDefReaderCallbacks *trace_callbacks(void);

/* Makes the trace ready for the functions below. */
void trace_complete(struct trace *trace);

/* NULL if not defined. */
struct location *trace_location(const struct trace *trace, OTF2_LocationRef self);
struct comm *trace_comm(const struct trace *trace, OTF2_CommRef self);
struct region *trace_region(const struct trace *trace, OTF2_RegionRef self);

/*
 * The location of a rank from the view of `of`, a member of the communicator; NULL: no such rank.
 */
struct location *comm_member(const struct trace *trace, const struct comm *comm, uint32_t rank,
                             struct location *of);

/* The rank of a location; false: the location is no member. */
bool comm_rank(const struct comm *comm, const struct location *location, uint64_t *rank);

/* ---- snapshots_state.c: what is open ---- */

struct record *record_add(struct location *location, enum chain chain, enum event_type type,
                          const union cells *cells, OTF2_AttributeList *attributes);
void record_remove(struct location *location, struct record *record);

/* Writes everything open on a location, as of before the events of this time. */
void location_write(const struct location *location, OTF2_SnapWriter *to, OTF2_TimeStamp time);

/* ---- snapshots_events.c: the meaning of events for the open records ---- */

/* Calls handle_event for each event. */
OTF2_GlobalEvtReaderCallbacks *event_callbacks(void);

/* Does the event open or close anything? */
bool event_has_meaning(enum event_type type);

/* Opens and closes records as the event says. */
void event_apply(struct trace *trace, struct location *location, enum event_type type,
                 const union cells *cells, OTF2_AttributeList *attributes);

/* ---- snapshots.c ---- */

/* Called with every event, and with the user data of the callbacks. EVENTS: an unknown event. */
void handle_event(void *data, OTF2_LocationRef self, enum event_type type, const union cells *cells,
                  OTF2_AttributeList *attributes);

#endif
