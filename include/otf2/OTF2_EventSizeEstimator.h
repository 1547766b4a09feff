/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The number of bytes that events will take, for programs that plan their memory before recording.
 * Names and signatures are those of OTF2 3.2. An estimator belongs to the program and may be used
 * by one thread at a time.
 *
 * All sizes are in bytes and upper bounds for the events stored by an event writer of this library.
 * Functions that return a size return 0 for a NULL estimator.
 */
#ifndef OTF2_EVENT_SIZE_ESTIMATOR_H
#define OTF2_EVENT_SIZE_ESTIMATOR_H

#include <stdint.h>
#include <stdlib.h>

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_EventSizeEstimator OTF2_EventSizeEstimator;

/* An estimator, to be released by OTF2_EventSizeEstimator_Delete. NULL when there is no memory. */
OTF2_API OTF2_EventSizeEstimator *OTF2_EventSizeEstimator_New(void);

/* Releases an estimator; NULL is allowed. */
OTF2_API OTF2_ErrorCode OTF2_EventSizeEstimator_Delete(OTF2_EventSizeEstimator *estimator);

/*
 * For each row of otf2_mappings.def, e.g. OTF2_EventSizeEstimator_SetNumberOfRegionDefinitions: the
 * ids of the definitions are smaller than the given number, which makes references shorter. Without
 * a call the ids may be any. So may the ids of locations, until their number is set to 0: from then
 * on a location id counts as one byte. OTF2_ERROR_INVALID_ARGUMENT for a NULL estimator.
 */
#define MAPPING(NAME, Name)                                                                        \
    OTF2_API OTF2_ErrorCode OTF2_EventSizeEstimator_SetNumberOf##Name##Definitions(                \
        OTF2_EventSizeEstimator *estimator, OTF2_##Name##Ref numberOfDefinitions);
#include <otf2/otf2_mappings.def>
#undef MAPPING

/*
 * A chunk size for definitions. Every definition fits into such a chunk, even groups of all
 * locations, all regions or all metrics; 0 when the size exceeds OTF2_CHUNK_SIZE_MAX.
 */
OTF2_API size_t OTF2_EventSizeEstimator_GetDefChunkSize(OTF2_EventSizeEstimator *estimator);

/*
 * The size of a timestamp. An event needs a timestamp if its time differs from the time of the
 * previous event.
 */
OTF2_API size_t OTF2_EventSizeEstimator_GetSizeOfTimestamp(OTF2_EventSizeEstimator *estimator);

/* The size of an attribute list with an event; 0 for NULL and an empty list. */
OTF2_API size_t OTF2_EventSizeEstimator_GetSizeOfAttributeList(
    const OTF2_EventSizeEstimator *estimator, const OTF2_AttributeList *attributeList);

/* Only the cells that count arrays are parameters. */
#define OTF2_PROBE_COUNT8 ~, 1
#define OTF2_PROBE_COUNT32 ~, 1
#define OTF2_SECOND_(a, b, ...) b
#define OTF2_IS_COUNT_(...) OTF2_SECOND_(__VA_ARGS__, 0, ~)
#define OTF2_COUNT_PARAM_0(kind, name)
#define OTF2_COUNT_PARAM_1(kind, name) , otf2_t_##kind name
#define OTF2_COUNT_PARAM_(Row, kind, name)                                                         \
    OTF2_CAT_(OTF2_COUNT_PARAM_, OTF2_IS_COUNT_(OTF2_PROBE_##kind))(kind, name)

/*
 * For each row of otf2_events.def, e.g. OTF2_EventSizeEstimator_GetSizeOfEnterEvent(estimator) or
 * OTF2_EventSizeEstimator_GetSizeOfMetricEvent(estimator, numberOfMetrics): the size of the event
 * without timestamp and attribute list.
 */
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_API size_t OTF2_EventSizeEstimator_GetSizeOf##Name##Event(                                \
        OTF2_EventSizeEstimator *estimator OTF2_SEQ(OTF2_COUNT_PARAM_, OTF2_##Name, __VA_ARGS__))  \
        OTF2_IF_OLD_(OTF2_OLD_##Name, , );
#include <otf2/otf2_events.def>
#undef EVENT

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
