/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of the trace that snapshots are made of. */
#include <stdlib.h>
#include <string.h>

#include <otf2/OTF2_GlobalDefReaderCallbacks.h>

#include "tools/snapshots/snapshots.h"

/* ---- callbacks ---- */

static OTF2_CallbackCode on_clock(void *data, uint64_t timerResolution, uint64_t globalOffset,
                                  uint64_t traceLength, uint64_t realtimeTimestamp)
{
    struct trace *trace = data;
    (void)timerResolution, (void)realtimeTimestamp;
    trace->start = globalOffset;
    trace->length = traceLength;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType locationType, uint64_t numberOfEvents,
                                     OTF2_LocationGroupRef locationGroup)
{
    struct trace *trace = data;
    (void)name, (void)locationType, (void)locationGroup;
    struct location *location = LIST_ADD(&trace->locations);
    location->self = self;
    location->events_defined = numberOfEvents;
    trace->n_events += numberOfEvents;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonicalName, OTF2_StringRef description,
                                   OTF2_RegionRole regionRole, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag regionFlags, OTF2_StringRef sourceFile,
                                   uint32_t beginLineNumber, uint32_t endLineNumber)
{
    struct trace *trace = data;
    (void)name, (void)canonicalName, (void)description, (void)regionRole, (void)paradigm;
    (void)regionFlags, (void)sourceFile, (void)beginLineNumber, (void)endLineNumber;
    struct region *region = LIST_ADD(&trace->regions);
    region->self = self;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType groupType, OTF2_Paradigm paradigm,
                                  OTF2_GroupFlag groupFlags, uint32_t numberOfMembers,
                                  const uint64_t *members)
{
    struct trace *trace = data;
    (void)name, (void)groupFlags;
    struct group *group = LIST_ADD(&trace->groups);
    group->self = self;
    group->type = groupType;
    group->paradigm = paradigm;
    group->count = numberOfMembers;
    group->members = take_memory(numberOfMembers * sizeof *members);
    if (numberOfMembers)
        memcpy(group->members, members, numberOfMembers * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct trace *trace = data;
    (void)name, (void)parent, (void)flags;
    struct comm *comm = LIST_ADD(&trace->comms);
    comm->self = self;
    comm->group_ref = group;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalDefReaderCallbacks *trace_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = there(OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    return callbacks;
}

/* ---- finding ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_locations(const void *left, const void *right)
{
    const struct location *a = *(struct location *const *)left;
    const struct location *b = *(struct location *const *)right;
    return COMPARE(a->self, b->self);
}

static int compare_regions(const void *left, const void *right)
{
    const struct region *a = left;
    const struct region *b = right;
    return COMPARE(a->self, b->self);
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left;
    const struct group *b = right;
    return COMPARE(a->self, b->self);
}

static int compare_comms(const void *left, const void *right)
{
    const struct comm *a = left;
    const struct comm *b = right;
    return COMPARE(a->self, b->self);
}

static int compare_ranks(const void *left, const void *right, void *members)
{
    const uint64_t *of = members;
    const uint64_t *a = left;
    const uint64_t *b = right;
    return COMPARE(of[*a], of[*b]);
}

static void *find(const void *key, void *table, uint64_t count, size_t size,
                  int (*compare)(const void *, const void *))
{
    return count ? bsearch(key, table, count, size, compare) : NULL;
}

struct location *trace_location(const struct trace *trace, OTF2_LocationRef self)
{
    const struct location key = {.self = self};
    const struct location *pointer = &key;
    struct location **found =
        find(&pointer, trace->by_self, trace->locations.n, sizeof(void *), compare_locations);
    return found ? *found : NULL;
}

struct comm *trace_comm(const struct trace *trace, OTF2_CommRef self)
{
    const struct comm key = {.self = self};
    return find(&key, trace->comms.at, trace->comms.n, sizeof key, compare_comms);
}

struct region *trace_region(const struct trace *trace, OTF2_RegionRef self)
{
    const struct region key = {.self = self};
    return find(&key, trace->regions.at, trace->regions.n, sizeof key, compare_regions);
}

/* ---- ranks ---- */

static bool is_of_locations(const struct group *group)
{
    return group->type == OTF2_GROUP_TYPE_LOCATIONS ||
           group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
}

/* The members of a communicator's group are indices into the locations of its paradigm. */
static bool resolve_members(const struct trace *trace, struct group *group)
{
    const struct group *locations = NULL;
    for (uint64_t i = 0; i < trace->groups.n && !locations; i++)
        if (trace->groups.at[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            trace->groups.at[i].paradigm == group->paradigm)
            locations = &trace->groups.at[i];
    for (uint64_t i = 0; i < group->count && locations; i++) {
        uint64_t index = group->members[i];
        group->members[i] =
            index < locations->count ? locations->members[index] : OTF2_UNDEFINED_LOCATION;
    }
    return locations;
}

static void complete_group(const struct trace *trace, struct group *group)
{
    group->has_locations = is_of_locations(group) || (group->type == OTF2_GROUP_TYPE_COMM_GROUP &&
                                                      resolve_members(trace, group));
    if (!group->has_locations)
        return;
    group->ranks = take_memory(group->count * sizeof *group->ranks);
    for (uint64_t i = 0; i < group->count; i++)
        group->ranks[i] = i;
    qsort_r(group->ranks, group->count, sizeof *group->ranks, compare_ranks, group->members);
}

static void complete_comm(struct trace *trace, struct comm *comm)
{
    const struct group key = {.self = comm->group_ref};
    const struct group *group =
        find(&key, trace->groups.at, trace->groups.n, sizeof key, compare_groups);
    if (!group || !(group->has_locations || group->type == OTF2_GROUP_TYPE_COMM_SELF))
        return;
    comm->group = group;
    if (group->has_locations)
        comm->ended = take_memory(group->count * sizeof *comm->ended);
}

void trace_complete(struct trace *trace)
{
    trace->by_self = take_memory(trace->locations.n * sizeof(void *));
    for (uint64_t i = 0; i < trace->locations.n; i++)
        trace->by_self[i] = &trace->locations.at[i];
    qsort(trace->by_self, trace->locations.n, sizeof(void *), compare_locations);
    LIST_SORT(&trace->regions, compare_regions);
    LIST_SORT(&trace->groups, compare_groups);
    LIST_SORT(&trace->comms, compare_comms);
    for (uint64_t i = 0; i < trace->groups.n; i++)
        complete_group(trace, &trace->groups.at[i]);
    for (uint64_t i = 0; i < trace->comms.n; i++)
        complete_comm(trace, &trace->comms.at[i]);
}

struct location *comm_member(const struct trace *trace, const struct comm *comm, uint32_t rank,
                             struct location *of)
{
    if (!comm->group)
        return NULL;
    if (comm->group->type == OTF2_GROUP_TYPE_COMM_SELF)
        return rank == 0 ? of : NULL;
    return rank < comm->group->count ? trace_location(trace, comm->group->members[rank]) : NULL;
}

bool comm_rank(const struct comm *comm, const struct location *location, uint64_t *rank)
{
    const struct group *group = comm->group;
    uint64_t low = 0;
    uint64_t high = group->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (group->members[group->ranks[middle]] < location->self)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == group->count || group->members[group->ranks[low]] != location->self)
        return false;
    *rank = group->ranks[low];
    return true;
}
