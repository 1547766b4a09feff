/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_special.h"

#include <stddef.h>
#include <time.h>

#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"
#include "tools/print/print_options.h"
#include "tools/print/print_ranks.h"
#include "tools/print/print_values.h"

/* "3 Members: " and so on. */
static void put_count(uint64_t n, const char *what, const char *one, const char *many)
{
    put_unsigned(n);
    put_char(' ');
    put_string(what);
    put_string(n == 1 ? one : many);
    if (n)
        put_string(": ");
}

static void put_comma(uint32_t index)
{
    if (index)
        put_string(", ");
}

/* "INVALID <7>", "TYPE MISMATCH <7>" */
static void put_doubt(const char *what, uint64_t value)
{
    put_string(what);
    put_string(" <");
    put_unsigned(value);
    put_char('>');
}

void put_quoted(const void *record)
{
    const struct otf2_def_String *def = record;
    put_string(def->string);
    put_char('"');
}

void put_canonical_name(const void *record)
{
    const struct otf2_def_Region *def = record;
    put_reference(OTF2_REF_String, def->canonicalName);
}

void put_description(const void *record)
{
    const struct otf2_def_Region *def = record;
    put_reference(OTF2_REF_String, def->description);
}

void put_paradigm_itself(const void *record)
{
    const struct otf2_def_Paradigm *def = record;
    put_enum(OTF2_ENUM_Paradigm, def->paradigm);
}

/* Local time with its distance from UTC, nanoseconds between. */
void put_date(const void *record)
{
    const struct otf2_def_ClockProperties *def = record;
    enum { NANOSECONDS = 1000000000 };
    char text[64];
    struct tm parts;
    time_t seconds = (time_t)(def->realtimeTimestamp / NANOSECONDS);
    if (def->realtimeTimestamp == OTF2_UNDEFINED_TIMESTAMP || !localtime_r(&seconds, &parts)) {
        put_string("UNDEFINED");
        return;
    }
    put_bytes(text, strftime(text, sizeof text, "%F %T.", &parts));
    put_format("%09u", (unsigned)(def->realtimeTimestamp % NANOSECONDS));
    put_bytes(text, strftime(text, sizeof text, " %z", &parts));
}

/* ---- properties ---- */

void put_property_type(const void *record)
{
    const struct otf2_def_ParadigmProperty *def = record;
    /* Truth values are stored as numbers. */
    if (def->property == OTF2_PARADIGM_PROPERTY_RMA_ONLY && def->type == OTF2_TYPE_UINT8)
        put_string("BOOLEAN");
    else
        put_enum(OTF2_ENUM_Type, def->type);
}

static void put_text_property(OTF2_Type type, OTF2_AttributeValue value)
{
    if (type == OTF2_TYPE_STRING)
        put_reference(OTF2_REF_String, value.stringRef);
    else
        put_doubt("TYPE MISMATCH", value.uint64);
}

void put_property_value(const void *record)
{
    const struct otf2_def_ParadigmProperty *def = record;
    switch (def->property) {
    case OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE:
    case OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE:
        put_text_property(def->type, def->value);
        break;
    case OTF2_PARADIGM_PROPERTY_RMA_ONLY:
        if (def->type == OTF2_TYPE_UINT8)
            put_enum(OTF2_ENUM_Boolean, def->value.uint8);
        else
            put_doubt("TYPE MISMATCH", def->value.uint64);
        break;
    default:
        put_doubt("UNKNOWN PROPERTY", def->value.uint64);
        break;
    }
}

void put_io_properties(const void *record)
{
    const struct otf2_def_IoParadigm *def = record;
    put_count(def->numberOfProperties, "Propert", "y", "ies");
    for (uint32_t i = 0; i < def->numberOfProperties; i++) {
        put_string(i ? ", (" : "(");
        put_enum(OTF2_ENUM_IoParadigmProperty, def->properties[i]);
        put_string("; ");
        put_enum(OTF2_ENUM_Type, def->types[i]);
        put_string("; ");
        if (def->properties[i] == OTF2_IO_PARADIGM_PROPERTY_VERSION)
            put_text_property(def->types[i], def->values[i]);
        else
            put_doubt("UNKNOWN I/O PROPERTY", def->values[i].uint64);
        put_char(')');
    }
}

/* ---- groups ---- */

/* A reference of 64 bits, whatever the kind's own width is. */
static void put_wide_reference(unsigned kind, uint64_t id)
{
    const struct definition *definition = definition_find(kind, id);
    if (id == OTF2_UNDEFINED_UINT64)
        put_string("UNDEFINED");
    else if (definition)
        put_text(definition->shown);
    else
        put_doubt("INVALID", id);
}

static void put_member_rank(OTF2_Paradigm paradigm, uint64_t rank)
{
    const struct group *all = ranks_of(paradigm);
    put_unsigned(rank);
    put_string(" (");
    if (all && rank < all->nmembers)
        put_reference(ranks_kind(all), all->members[rank]);
    else
        put_string("INVALID");
    put_char(')');
}

static void put_plain_member(uint64_t member)
{
    if (member != OTF2_UNDEFINED_UINT64)
        put_unsigned(member);
    else
        put_string("UNDEFINED");
}

void put_members(const void *record)
{
    const struct otf2_def_Group *def = record;
    put_count(def->numberOfMembers, "Member", "", "s");
    for (uint32_t i = 0; i < def->numberOfMembers; i++) {
        uint64_t member = def->members[i];
        put_comma(i);
        switch (def->groupType) {
        case OTF2_GROUP_TYPE_LOCATIONS:
        case OTF2_GROUP_TYPE_COMM_LOCATIONS:
            put_wide_reference(OTF2_REF_Location, member);
            break;
        case OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS:
            if (options.as_3_0)
                put_plain_member(member);
            else
                put_wide_reference(OTF2_REF_LocationGroup, member);
            break;
        case OTF2_GROUP_TYPE_REGIONS:
            put_wide_reference(OTF2_REF_Region, member);
            break;
        case OTF2_GROUP_TYPE_METRIC:
            put_wide_reference(OTF2_REF_MetricMember, member);
            break;
        case OTF2_GROUP_TYPE_COMM_GROUP:
            if (member != OTF2_UNDEFINED_UINT64)
                put_member_rank(def->paradigm, member);
            else
                put_string("UNDEFINED");
            break;
        default:
            put_plain_member(member);
            break;
        }
    }
}

/* ---- topologies ---- */

void put_dimensions(const void *record)
{
    const struct otf2_def_CartTopology *def = record;
    put_unsigned(def->numberOfDimensions);
    put_string(def->numberOfDimensions == 1 ? " Dimension: (" : " Dimensions: (");
    for (uint32_t i = 0; i < def->numberOfDimensions; i++) {
        put_comma(i);
        put_reference(OTF2_REF_CartDimension, def->cartDimensions[i]);
    }
    put_char(')');
}

void put_topology_rank(const void *record)
{
    const struct otf2_def_CartCoordinate *def = record;
    const struct definition *topology = definition_find(OTF2_REF_CartTopology, def->cartTopology);
    put_rank_in(OTF2_UNDEFINED_LOCATION, topology ? topology->used : NULL, def->rank);
}

void put_coordinates(const void *record)
{
    const struct otf2_def_CartCoordinate *def = record;
    put_string(def->numberOfDimensions == 1 ? "Coordinate: (" : "Coordinates: (");
    for (uint32_t i = 0; i < def->numberOfDimensions; i++) {
        put_comma(i);
        put_unsigned(def->coordinates[i]);
    }
    put_char(')');
}

/* ---- metrics ---- */

/* Only these three can be recorded. */
void put_metric_type(const void *record)
{
    const struct otf2_def_MetricMember *def = record;
    OTF2_Type type = def->valueType;
    if (type == OTF2_TYPE_INT64 || type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_DOUBLE)
        put_enum(OTF2_ENUM_Type, type);
    else
        put_doubt("INVALID", type);
}

void put_metric_members(const void *record)
{
    const struct otf2_def_MetricClass *def = record;
    put_count(def->numberOfMetrics, "Member", "", "s");
    for (uint32_t i = 0; i < def->numberOfMetrics; i++) {
        put_comma(i);
        put_reference(OTF2_REF_MetricMember, def->metricMembers[i]);
    }
}

void put_metric_scope(const void *record)
{
    const struct otf2_def_MetricInstance *def = record;
    switch (def->metricScope) {
    case OTF2_SCOPE_LOCATION:
        put_wide_reference(OTF2_REF_Location, def->scope);
        break;
    case OTF2_SCOPE_LOCATION_GROUP:
        put_wide_reference(OTF2_REF_LocationGroup, def->scope);
        break;
    case OTF2_SCOPE_SYSTEM_TREE_NODE:
        put_wide_reference(OTF2_REF_SystemTreeNode, def->scope);
        break;
    case OTF2_SCOPE_GROUP:
        put_wide_reference(OTF2_REF_Group, def->scope);
        break;
    default:
        if (def->scope == OTF2_UNDEFINED_UINT64)
            put_string("UNDEFINED");
        else
            put_unsigned(def->scope);
        break;
    }
}

/* print_columns.c hands over the part of a snapshot that is the same as in the event. */
_Static_assert(offsetof(struct otf2_snap_Metric, metricValues) -
                       offsetof(struct otf2_snap_Metric, metric) ==
                   offsetof(struct otf2_evt_Metric, metricValues),
               "the event's attributes follow the time");

void put_metric_values(const void *record)
{
    const struct otf2_evt_Metric *event = record;
    const struct definition *metric = definition_find(OTF2_REF_Metric, event->metric);
    put_count(event->numberOfMetrics, "Value", "", "s");
    for (uint32_t i = 0; i < event->numberOfMetrics; i++) {
        put_string(i ? ", (" : "(");
        if (metric && i < metric->metric.n)
            put_reference(OTF2_REF_MetricMember, metric->metric.members[i]);
        else
            put_string("INVALID");
        switch (event->typeIDs[i]) {
        case OTF2_TYPE_INT64:
            put_string("; INT64; ");
            put_signed(event->metricValues[i].signed_int);
            break;
        case OTF2_TYPE_UINT64:
            put_string("; UINT64; ");
            put_unsigned(event->metricValues[i].unsigned_int);
            break;
        case OTF2_TYPE_DOUBLE:
            put_string("; DOUBLE; ");
            put_real(event->metricValues[i].floating_point);
            break;
        default:
            put_string("; ");
            put_doubt("INVALID", event->typeIDs[i]);
            put_format("; %08llx", (unsigned long long)event->metricValues[i].unsigned_int);
            break;
        }
        put_char(')');
    }
}

void put_arguments(const void *record)
{
    const struct otf2_evt_ProgramBegin *event = record;
    put_count(event->numberOfArguments, "Argument", "", "s");
    for (uint32_t i = 0; i < event->numberOfArguments; i++) {
        put_comma(i);
        put_reference(OTF2_REF_String, event->programArguments[i]);
    }
}
