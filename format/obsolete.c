/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/obsolete.h"

enum {
    DYNAMIC = OTF2_REGION_FLAG_DYNAMIC,
    PHASE = OTF2_REGION_FLAG_PHASE,
    BOTH = DYNAMIC | PHASE,
    USER_FUNCTION_1_0 = 3, /* types of OTF2 1.0 that do not read back as they are written */
    PHASE_1_0 = 27
};

/* What a region was in OTF2 1.0, before roles, paradigms and flags: where (flags & mask) == flags.
 */
static const struct region_type {
    uint8_t type;
    uint8_t paradigm;
    uint8_t role;
    uint8_t mask;
    uint8_t flags;
} region_types[] = {
#define REGION(type, paradigm, role, mask, flags)                                                  \
    {                                                                                              \
        type, OTF2_PARADIGM_##paradigm, OTF2_REGION_ROLE_##role, mask, flags                       \
    }
    REGION(1, UNKNOWN, FUNCTION, 0, 0),
    REGION(1, COMPILER, FUNCTION, 0, 0),
    REGION(3, USER, FUNCTION, DYNAMIC, 0),
    REGION(31, USER, FUNCTION, DYNAMIC, DYNAMIC),
    REGION(4, USER, FILE_IO, 0, 0),
    REGION(2, USER, LOOP, BOTH, 0),
    REGION(30, USER, LOOP, BOTH, DYNAMIC),
    REGION(32, USER, LOOP, BOTH, BOTH),
    REGION(1, USER, CODE, BOTH, 0),
    REGION(27, USER, CODE, BOTH, PHASE),
    REGION(28, USER, CODE, BOTH, DYNAMIC),
    REGION(29, USER, CODE, BOTH, BOTH),
    REGION(5, OPENMP, PARALLEL, 0, 0),
    REGION(6, OPENMP, LOOP, 0, 0),
    REGION(7, OPENMP, SECTIONS, 0, 0),
    REGION(8, OPENMP, SECTION, 0, 0),
    REGION(9, OPENMP, WORKSHARE, 0, 0),
    REGION(10, OPENMP, SINGLE, 0, 0),
    REGION(11, OPENMP, MASTER, 0, 0),
    REGION(12, OPENMP, CRITICAL, 0, 0),
    REGION(13, OPENMP, ATOMIC, 0, 0),
    REGION(14, OPENMP, BARRIER, 0, 0),
    REGION(15, OPENMP, IMPLICIT_BARRIER, 0, 0),
    REGION(16, OPENMP, FLUSH, 0, 0),
    REGION(17, OPENMP, CRITICAL_SBLOCK, 0, 0),
    REGION(18, OPENMP, SINGLE_SBLOCK, 0, 0),
    REGION(19, OPENMP, WRAPPER, 0, 0),
    REGION(20, OPENMP, TASK, 0, 0),
    REGION(21, OPENMP, TASK_WAIT, 0, 0),
    REGION(22, MPI, BARRIER, 0, 0),
    REGION(23, MPI, COLL_ONE2ALL, 0, 0),
    REGION(24, MPI, COLL_ALL2ONE, 0, 0),
    REGION(25, MPI, COLL_ALL2ALL, 0, 0),
    REGION(26, MPI, COLL_OTHER, 0, 0),
    REGION(33, OPENMP, TASK_CREATE, 0, 0),
    REGION(34, OPENMP, ORDERED, 0, 0),
    REGION(35, OPENMP, ORDERED_SBLOCK, 0, 0),
#undef REGION
};

/* What a group was before version 1.2, which gave it a paradigm; its flags were none. */
static const struct group_type {
    uint8_t type;
    uint8_t paradigm;
    uint8_t group_type;
} group_types[] = {
    {1, OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_TYPE_LOCATIONS},
    {2, OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_TYPE_REGIONS},
    {3, OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_TYPE_METRIC},
    {4, OTF2_PARADIGM_MPI, OTF2_GROUP_TYPE_COMM_GROUP},
    {5, OTF2_PARADIGM_MPI, OTF2_GROUP_TYPE_COMM_SELF},
    {6, OTF2_PARADIGM_MPI, OTF2_GROUP_TYPE_COMM_LOCATIONS},
};

#define EACH(i, table) (size_t i = 0; i < sizeof(table) / sizeof(table)[0]; i++)

static uint64_t region_type(const struct otf2_def_Region *region)
{
    for
        EACH(i, region_types)
        {
            const struct region_type *row = &region_types[i];
            if (row->paradigm == region->paradigm && row->role == region->regionRole &&
                row->flags == (region->regionFlags & row->mask))
                return row->type;
        }
    return 0;
}

static uint64_t group_type(const struct otf2_def_Group *group)
{
    for
        EACH(i, group_types)
        {
            const struct group_type *row = &group_types[i];
            if (row->paradigm == group->paradigm && row->group_type == group->groupType &&
                group->groupFlags == OTF2_GROUP_FLAG_NONE)
                return row->type;
        }
    return 0;
}

/* Before version 2.0 properties were strings. */
static uint64_t string_value(OTF2_Type type, OTF2_AttributeValue value)
{
    return type == OTF2_TYPE_STRING ? value.stringRef : OTF2_UNDEFINED_STRING;
}

uint64_t otf2_obsolete_value(enum otf2_obsolete which, const void *data)
{
    const struct otf2_def_SystemTreeNodeProperty *node = data;
    const struct otf2_def_LocationGroupProperty *group = data;
    const struct otf2_def_LocationProperty *location = data;
    switch (which) {
    case OTF2_OBSOLETE_Region_regionType:
        return region_type(data);
    case OTF2_OBSOLETE_Group_groupTypePre12:
        return group_type(data);
    case OTF2_OBSOLETE_SystemTreeNodeProperty_stringValue:
        return string_value(node->type, node->value);
    case OTF2_OBSOLETE_LocationGroupProperty_stringValue:
        return string_value(group->type, group->value);
    case OTF2_OBSOLETE_LocationProperty_stringValue:
        return string_value(location->type, location->value);
    }
    return 0;
}

static void complete_region(uint64_t old, struct otf2_def_Region *region)
{
    region->canonicalName = region->name;
    region->regionRole = OTF2_REGION_ROLE_UNKNOWN;
    region->paradigm = OTF2_PARADIGM_UNKNOWN;
    region->regionFlags = OTF2_REGION_FLAG_NONE;
    for
        EACH(i, region_types)
        {
            const struct region_type *row = &region_types[i];
            if (row->type != old)
                continue;
            region->regionRole = row->role;
            if (old != USER_FUNCTION_1_0)
                region->paradigm = row->paradigm;
            if (old != PHASE_1_0)
                region->regionFlags = row->flags;
            return;
        }
}

static void complete_group(uint64_t old, struct otf2_def_Group *group)
{
    group->groupType = OTF2_GROUP_TYPE_UNKNOWN;
    group->paradigm = OTF2_PARADIGM_UNKNOWN;
    group->groupFlags = OTF2_GROUP_FLAG_NONE;
    for
        EACH(i, group_types)
        {
            const struct group_type *row = &group_types[i];
            if (row->type != old)
                continue;
            group->groupType = row->group_type;
            group->paradigm = row->paradigm;
            /* The reference reads groups of metrics as groups of regions. */
            if (group->groupType == OTF2_GROUP_TYPE_METRIC)
                group->groupType = OTF2_GROUP_TYPE_REGIONS;
        }
}

#define COMPLETE_PROPERTY(Name)                                                                    \
    do {                                                                                           \
        struct otf2_def_##Name *property = data;                                                   \
        property->type = OTF2_TYPE_STRING;                                                         \
        property->value.uint64 = 0;                                                                \
        property->value.stringRef = (OTF2_StringRef)old;                                           \
    } while (0)

/* The cases are the rows of otf2_layouts.def whose defaults are not 0. */
void otf2_obsolete_complete(enum otf2_def_index def, uint64_t old, void *data)
{
    switch ((int)def) {
    case OTF2_DEF_Region:
        complete_region(old, data);
        break;
    case OTF2_DEF_Group:
        complete_group(old, data);
        break;
    case OTF2_DEF_SystemTreeNodeProperty:
        COMPLETE_PROPERTY(SystemTreeNodeProperty);
        break;
    case OTF2_DEF_LocationGroupProperty:
        COMPLETE_PROPERTY(LocationGroupProperty);
        break;
    case OTF2_DEF_LocationProperty:
        COMPLETE_PROPERTY(LocationProperty);
        break;
    case OTF2_DEF_ClockProperties:
        ((struct otf2_def_ClockProperties *)data)->realtimeTimestamp = OTF2_UNDEFINED_TIMESTAMP;
        break;
    case OTF2_DEF_Attribute:
        ((struct otf2_def_Attribute *)data)->description = OTF2_UNDEFINED_STRING;
        break;
    case OTF2_DEF_LocationGroup:
        ((struct otf2_def_LocationGroup *)data)->creatingLocationGroup =
            OTF2_UNDEFINED_LOCATION_GROUP;
        break;
    case OTF2_DEF_RmaWin:
        ((struct otf2_def_RmaWin *)data)->flags = OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS;
        break;
    default:
        break;
    }
}
