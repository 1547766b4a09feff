/* SPDX-License-Identifier: BSD-3-Clause */
/* What markers of an archive may refer to, from its global definitions. */
#include <inttypes.h>
#include <stdlib.h>

#include <otf2/OTF2_GlobalDefReader.h>

#include "tools/marker/marker.h"

enum { SCOPES = OTF2_MARKER_SCOPE_COMM + 1 };

/* How a complaint calls what a scope refers to; GLOBAL refers to nothing. */
static const char *const scope_names[SCOPES] = {
    [OTF2_MARKER_SCOPE_LOCATION] = "location",
    [OTF2_MARKER_SCOPE_LOCATION_GROUP] = "location group",
    [OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE] = "system tree node",
    [OTF2_MARKER_SCOPE_GROUP] = "group",
    [OTF2_MARKER_SCOPE_COMM] = "communicator",
};

struct places {
    uint64_t start;
    uint64_t length;
    LIST(uint64_t) ids[SCOPES]; /* sorted when all are read */
};

static OTF2_CallbackCode add(void *data, OTF2_MarkerScope scope, uint64_t id)
{
    struct places *places = data;
    *LIST_ADD(&places->ids[scope]) = id;
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- callbacks ---- */

static OTF2_CallbackCode on_clock(void *data, uint64_t timerResolution, uint64_t globalOffset,
                                  uint64_t traceLength, uint64_t realtimeTimestamp)
{
    struct places *places = data;
    (void)timerResolution, (void)realtimeTimestamp;
    places->start = globalOffset;
    places->length = traceLength;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType locationType, uint64_t numberOfEvents,
                                     OTF2_LocationGroupRef locationGroup)
{
    (void)name, (void)locationType, (void)numberOfEvents, (void)locationGroup;
    return add(data, OTF2_MARKER_SCOPE_LOCATION, self);
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name,
                                           OTF2_LocationGroupType locationGroupType,
                                           OTF2_SystemTreeNodeRef systemTreeParent,
                                           OTF2_LocationGroupRef creatingLocationGroup)
{
    (void)name, (void)locationGroupType, (void)systemTreeParent, (void)creatingLocationGroup;
    return add(data, OTF2_MARKER_SCOPE_LOCATION_GROUP, self);
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef className, OTF2_SystemTreeNodeRef parent)
{
    (void)name, (void)className, (void)parent;
    return add(data, OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE, self);
}

/* The members of other groups are no locations. */
static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType groupType, OTF2_Paradigm paradigm,
                                  OTF2_GroupFlag groupFlags, uint32_t numberOfMembers,
                                  const uint64_t *members)
{
    (void)name, (void)paradigm, (void)groupFlags, (void)numberOfMembers, (void)members;
    if (groupType != OTF2_GROUP_TYPE_LOCATIONS && groupType != OTF2_GROUP_TYPE_COMM_LOCATIONS)
        return OTF2_CALLBACK_SUCCESS;
    return add(data, OTF2_MARKER_SCOPE_GROUP, self);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)name, (void)group, (void)parent, (void)flags;
    return add(data, OTF2_MARKER_SCOPE_COMM, self);
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = there(OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    return callbacks;
}

struct places *places_read(OTF2_Reader *reader)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    if (!definitions)
        return NULL;
    struct places *places = take_memory(sizeof *places);
    OTF2_GlobalDefReaderCallbacks *callbacks = make_callbacks();
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, places);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    uint64_t count;
    if (OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count) != OTF2_SUCCESS) {
        places_free(places);
        return NULL;
    }
    for (size_t i = 0; i < SCOPES; i++)
        LIST_SORT(&places->ids[i], list_by_number);
    return places;
}

void places_free(struct places *places)
{
    if (!places)
        return;
    for (size_t i = 0; i < SCOPES; i++)
        free(places->ids[i].at);
    free(places);
}

void places_check(const struct places *places, const struct marker *marker)
{
    const uint64_t *ids = places->ids[marker->scope].at;
    size_t n = places->ids[marker->scope].n;
    if (marker->scope != OTF2_MARKER_SCOPE_GLOBAL &&
        !(n && bsearch(&marker->place, ids, n, sizeof(uint64_t), list_by_number)))
        options_wrong("invalid %s reference: %" PRIu64, scope_names[marker->scope], marker->place);

    uint64_t offset = marker->timestamp - places->start;
    if (marker->timestamp < places->start || offset > places->length)
        options_wrong("timestamp is out of range [%" PRIu64 ", %" PRIu64 "]: %" PRIu64,
                      places->start, places->start + places->length, marker->timestamp);
    if (marker->duration > places->length - offset)
        options_wrong("duration is out of range [0, %" PRIu64 "]: %" PRIu64, places->length,
                      marker->duration);
}
