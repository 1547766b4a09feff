/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation of a location's own ids to those of the whole trace, for the mapping tables of local
 * definitions (OTF2_DefWriter_WriteMappingTable). Names and signatures are those of OTF2 3.2.
 *
 * A map belongs to the program and may be changed by one thread at a time; while none changes it
 * any number may read it.
 */
#ifndef OTF2_IDMAP_H
#define OTF2_IDMAP_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_IdMap_struct OTF2_IdMap;

/* Is handed each pair of a map, see OTF2_IdMap_Traverse. It must not change the map. */
typedef void (*OTF2_IdMap_TraverseCallback)(uint64_t localId, uint64_t globalId, void *userData);

/*
 * An empty map, to be released by OTF2_IdMap_Free.
 *   mode      OTF2_ID_MAP_DENSE: local ids are 0, 1, 2, ... and added in this order;
 *             OTF2_ID_MAP_SPARSE: any local ids.
 *   capacity  pairs to make room for; the map grows when there are more.
 * NULL when capacity is 0 or too large, mode unknown, or there is no memory.
 */
OTF2_API OTF2_IdMap *OTF2_IdMap_Create(OTF2_IdMapMode mode, uint64_t capacity);

/*
 * A map from local id i to mappings[i], to be released by OTF2_IdMap_Free. The array is copied.
 *   length        of the array, in elements.
 *   optimizeSize  false: the map is dense. true: it is sparse and holds only the ids that change
 *                 when these are fewer than half of all, and is NULL when none changes.
 * NULL as well for a NULL or empty array and when there is no memory.
 */
OTF2_API OTF2_IdMap *OTF2_IdMap_CreateFromUint64Array(uint64_t length, const uint64_t *mappings,
                                                      bool optimizeSize);

/* The same from 32-bit ids; OTF2_UNDEFINED_UINT32 becomes OTF2_UNDEFINED_UINT64. */
OTF2_API OTF2_IdMap *OTF2_IdMap_CreateFromUint32Array(uint64_t length, const uint32_t *mappings,
                                                      bool optimizeSize);

/* Releases a map; NULL is allowed. */
OTF2_API void OTF2_IdMap_Free(OTF2_IdMap *instance);

/* Stores the number of pairs in *size. OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer. */
OTF2_API OTF2_ErrorCode OTF2_IdMap_GetSize(const OTF2_IdMap *instance, uint64_t *size);

/* Stores whether the map is dense or sparse. OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer. */
OTF2_API OTF2_ErrorCode OTF2_IdMap_GetMode(const OTF2_IdMap *instance, OTF2_IdMapMode *mode);

/* Removes all pairs. OTF2_ERROR_INVALID_ARGUMENT for NULL. */
OTF2_API OTF2_ErrorCode OTF2_IdMap_Clear(OTF2_IdMap *instance);

/*
 * Adds a pair. In a dense map localId must be the number of pairs so far; in a sparse one the pair
 * replaces one with the same localId. Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL map,
 * OTF2_ERROR_INVALID_DATA for any other id of a dense map, OTF2_ERROR_MEM_ALLOC_FAILED.
 */
OTF2_API OTF2_ErrorCode OTF2_IdMap_AddIdPair(OTF2_IdMap *instance, uint64_t localId,
                                             uint64_t globalId);

/*
 * Translates localId; an id that is not in the map stays as it is. OTF2_ERROR_INVALID_ARGUMENT for
 * a NULL pointer.
 */
OTF2_API OTF2_ErrorCode OTF2_IdMap_GetGlobalId(const OTF2_IdMap *instance, uint64_t localId,
                                               uint64_t *globalId);

/* The same, but OTF2_ERROR_INDEX_OUT_OF_BOUNDS for an id that is not in the map. */
OTF2_API OTF2_ErrorCode OTF2_IdMap_GetGlobalIdSave(const OTF2_IdMap *instance, uint64_t localId,
                                                   uint64_t *globalId);

/*
 * Calls `callback` for each pair, in ascending order of the local ids. OTF2_ERROR_INVALID_ARGUMENT
 * for a NULL map or callback; userData is handed through.
 */
OTF2_API OTF2_ErrorCode OTF2_IdMap_Traverse(const OTF2_IdMap *instance,
                                            OTF2_IdMap_TraverseCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif
