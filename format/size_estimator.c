/* SPDX-License-Identifier: BSD-3-Clause */
#include <otf2/OTF2_EventSizeEstimator.h>

#include "format/attributes.h"
#include "format/error.h"
#include "format/memory.h"
#include "format/record.h"

struct OTF2_EventSizeEstimator {
    uint64_t definitions[OTF2_REF_UNMAPPED]; /* set by the program, 0 until then */
    uint8_t ref_bytes[OTF2_REF_UNMAPPED];    /* of a reference to one of them */
};

enum {
    ID_BYTES = 1,
    TIME_BYTES = 9,
    REF_BYTES_MAX = 5,
    LOCATION_BYTES = 9, /* whatever their number: ids of locations need not be dense */
    /* A Group with all else that may stand in its chunk: two headers, and its other attributes. */
    GROUP_BYTES = 37
};

static OTF2_ErrorCode no_estimator(const char *function)
{
    return otf2_error(OTF2_ERROR_INVALID_ARGUMENT, __FILE__, __LINE__, function, "no estimator");
}

OTF2_EventSizeEstimator *OTF2_EventSizeEstimator_New(void)
{
    OTF2_EventSizeEstimator *estimator = otf2_mem_new(sizeof *estimator);
    if (!estimator) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for an estimator");
        return NULL;
    }
    memset(estimator->ref_bytes, REF_BYTES_MAX, sizeof estimator->ref_bytes);
    estimator->ref_bytes[OTF2_REF_Location] = LOCATION_BYTES;
    return estimator;
}

OTF2_ErrorCode OTF2_EventSizeEstimator_Delete(OTF2_EventSizeEstimator *estimator)
{
    otf2_mem_free(estimator);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode set_number(OTF2_EventSizeEstimator *estimator, enum otf2_ref ref, uint64_t n)
{
    uint64_t largest = n ? n - 1 : 0;
    estimator->definitions[ref] = n;
    /* Once there were no locations their references stay short, as the reference has it. */
    if (ref != OTF2_REF_Location || !n)
        estimator->ref_bytes[ref] = (uint8_t)(1 + otf2_wire_significant(largest));
    return OTF2_SUCCESS;
}

#define MAPPING(NAME, Name)                                                                        \
    OTF2_ErrorCode OTF2_EventSizeEstimator_SetNumberOf##Name##Definitions(                         \
        OTF2_EventSizeEstimator *estimator, OTF2_##Name##Ref numberOfDefinitions)                  \
    {                                                                                              \
        return estimator ? set_number(estimator, OTF2_REF_##Name, numberOfDefinitions)             \
                         : no_estimator(__func__);                                                 \
    }
#include <otf2/otf2_mappings.def>
#undef MAPPING

size_t OTF2_EventSizeEstimator_GetDefChunkSize(OTF2_EventSizeEstimator *estimator)
{
    static const enum otf2_ref members[] = {OTF2_REF_Location, OTF2_REF_Region, OTF2_REF_Metric};
    uint64_t chunk = OTF2_CHUNK_SIZE_MIN;
    if (!estimator) {
        no_estimator(__func__);
        return 0;
    }
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        uint64_t n = estimator->definitions[members[i]];
        if (n > OTF2_CHUNK_SIZE_MAX)
            return 0;
        uint64_t bytes = n * estimator->ref_bytes[members[i]] + GROUP_BYTES;
        uint64_t fits =
            (bytes + OTF2_CHUNK_SIZE_MIN - 1) / OTF2_CHUNK_SIZE_MIN * OTF2_CHUNK_SIZE_MIN;
        chunk = fits > chunk ? fits : chunk;
    }
    return chunk > OTF2_CHUNK_SIZE_MAX ? 0 : (size_t)chunk;
}

size_t OTF2_EventSizeEstimator_GetSizeOfTimestamp(OTF2_EventSizeEstimator *estimator)
{
    if (estimator)
        return TIME_BYTES;
    no_estimator(__func__);
    return 0;
}

static size_t value_bytes(const OTF2_EventSizeEstimator *estimator, OTF2_Type type)
{
    switch (type) {
#define MAPPING(NAME, Name)                                                                        \
    case OTF2_TYPE_##NAME:                                                                         \
        return estimator->ref_bytes[OTF2_REF_##Name];
#include <otf2/otf2_mappings.def>
#undef MAPPING
    default:
        return (size_t)OTF2_WIRE_MAX(otf2_value_wire(type));
    }
}

size_t OTF2_EventSizeEstimator_GetSizeOfAttributeList(const OTF2_EventSizeEstimator *estimator,
                                                      const OTF2_AttributeList *attributeList)
{
    if (!estimator) {
        no_estimator(__func__);
        return 0;
    }
    if (!attributeList || !attributeList->n)
        return 0;
    size_t bytes = ID_BYTES + otf2_wire_length_bytes(otf2_attributes_estimate(attributeList)) +
                   otf2_wire_size(OTF2_WIRE_VAR32, attributeList->n);
    for (uint32_t i = 0; i < attributeList->n; i++)
        bytes += estimator->ref_bytes[OTF2_REF_Attribute] + sizeof(OTF2_Type) +
                 value_bytes(estimator, otf2_attributes_at(attributeList, i).type);
    return bytes;
}

/* References in arrays count with the most they can take, as the reference has it. */
static size_t event_bytes(const OTF2_EventSizeEstimator *estimator, const char *function,
                          const struct otf2_record *rec, uint64_t count)
{
    uint64_t most = 0; /* decides the form of the length field, whatever the references take */
    uint64_t saved = 0;
    if (!estimator) {
        no_estimator(function);
        return 0;
    }
    for (unsigned i = 0; i < rec->nfields; i++) {
        const struct otf2_kind_info *kind = &otf2_kinds[rec->fields[i].kind];
        uint64_t bytes = (uint64_t)OTF2_WIRE_MAX((int)kind->wire);
        most += kind->shown >= OTF2_SHOWN_ARRAY_NUMBER ? bytes * count : bytes;
        if (kind->shown == OTF2_SHOWN_REF && kind->detail < OTF2_REF_UNMAPPED)
            saved += bytes - estimator->ref_bytes[kind->detail];
    }
    unsigned length = rec->is_singleton ? 0 : otf2_wire_length_bytes(most);
    return (size_t)(ID_BYTES + length + most - saved);
}

#define COUNT_ADD_0(name)
#define COUNT_ADD_1(name) +name
#define COUNT_ADD(Row, kind, name) OTF2_CAT_(COUNT_ADD_, OTF2_IS_COUNT_(OTF2_PROBE_##kind))(name)
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    size_t OTF2_EventSizeEstimator_GetSizeOf##Name##Event(                                         \
        OTF2_EventSizeEstimator *estimator OTF2_SEQ(OTF2_COUNT_PARAM_, Name, __VA_ARGS__))         \
    {                                                                                              \
        return event_bytes(estimator, __func__, &otf2_events[OTF2_EVT_##Name],                     \
                           0u OTF2_SEQ(COUNT_ADD, Name, __VA_ARGS__));                             \
    }
#include <otf2/otf2_events.def>
#undef EVENT
