/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/idmap.h"

#include "format/error.h"
#include "format/memory.h"

static size_t entry_bytes(OTF2_IdMapMode mode)
{
    return mode == OTF2_ID_MAP_DENSE ? sizeof(uint64_t) : sizeof(struct otf2_id_pair);
}

static void *ids_of(const OTF2_IdMap *map)
{
    return map->mode == OTF2_ID_MAP_DENSE ? (void *)map->ids.dense : (void *)map->ids.sparse;
}

static bool set_capacity(OTF2_IdMap *map, uint64_t capacity)
{
    size_t entry = entry_bytes(map->mode);
    if (capacity > SIZE_MAX / entry)
        return false;
    void *ids = otf2_mem_new((size_t)capacity * entry);
    if (!ids)
        return false;
    if (map->n)
        memcpy(ids, ids_of(map), (size_t)map->n * entry);
    otf2_mem_free(ids_of(map));
    if (map->mode == OTF2_ID_MAP_DENSE)
        map->ids.dense = ids;
    else
        map->ids.sparse = ids;
    map->capacity = capacity;
    return true;
}

/* A map that changes has no direct ids; a dense one is direct itself. */
static void drop_direct(OTF2_IdMap *map)
{
    otf2_mem_free(map->direct);
    map->direct = NULL;
    map->n_direct = map->mode == OTF2_ID_MAP_DENSE ? map->n : 0;
}

/* A map without a word about failure, for both the API and the reader. */
static OTF2_IdMap *new_map(OTF2_IdMapMode mode, uint64_t capacity)
{
    OTF2_IdMap *map = otf2_mem_new(sizeof *map);
    if (!map)
        return NULL;
    map->mode = mode;
    if (set_capacity(map, capacity))
        return map;
    otf2_mem_free(map);
    return NULL;
}

OTF2_IdMap *OTF2_IdMap_Create(OTF2_IdMapMode mode, uint64_t capacity)
{
    if (mode != OTF2_ID_MAP_DENSE && mode != OTF2_ID_MAP_SPARSE) {
        OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "%u is no mode of an id map", mode);
        return NULL;
    }
    if (!capacity) {
        OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "an id map needs a capacity");
        return NULL;
    }
    OTF2_IdMap *map = new_map(mode, capacity);
    if (!map)
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for %llu ids",
                   (unsigned long long)capacity);
    return map;
}

/* The ids of either width of array. */
struct array {
    const uint64_t *wide;
    const uint32_t *narrow;
    uint64_t n;
};

static uint64_t array_at(const struct array *a, uint64_t i)
{
    if (a->wide)
        return a->wide[i];
    return a->narrow[i] == OTF2_UNDEFINED_UINT32 ? OTF2_UNDEFINED_UINT64 : a->narrow[i];
}

/* `function` is where an error is reported. */
static OTF2_IdMap *from_array(const char *function, const struct array *a, bool may_shrink)
{
    uint64_t changed = 0;
    bool is_array = a->wide || a->narrow;
    for (uint64_t i = 0; is_array && i < a->n; i++)
        changed += array_at(a, i) != i;
    if (is_array && may_shrink && !changed)
        return NULL;
    if (!is_array || !a->n) {
        otf2_error(OTF2_ERROR_INVALID_ARGUMENT, __FILE__, __LINE__, function, "no ids to map");
        return NULL;
    }
    bool is_sparse = may_shrink && changed < a->n - changed;
    OTF2_IdMap *map = OTF2_IdMap_Create(is_sparse ? OTF2_ID_MAP_SPARSE : OTF2_ID_MAP_DENSE,
                                        is_sparse ? changed : a->n);
    for (uint64_t i = 0; map && i < a->n; i++)
        if (!is_sparse)
            map->ids.dense[map->n++] = array_at(a, i);
        else if (array_at(a, i) != i)
            map->ids.sparse[map->n++] = (struct otf2_id_pair){i, array_at(a, i)};
    if (map)
        drop_direct(map);
    return map;
}

OTF2_IdMap *OTF2_IdMap_CreateFromUint64Array(uint64_t length, const uint64_t *mappings,
                                             bool optimizeSize)
{
    return from_array(__func__, &(struct array){.wide = mappings, .n = length}, optimizeSize);
}

OTF2_IdMap *OTF2_IdMap_CreateFromUint32Array(uint64_t length, const uint32_t *mappings,
                                             bool optimizeSize)
{
    return from_array(__func__, &(struct array){.narrow = mappings, .n = length}, optimizeSize);
}

void OTF2_IdMap_Free(OTF2_IdMap *instance)
{
    if (instance) {
        otf2_mem_free(instance->direct);
        otf2_mem_free(ids_of(instance));
    }
    otf2_mem_free(instance);
}

static const char no_map[] = "no id map or no place to store";

OTF2_ErrorCode OTF2_IdMap_GetSize(const OTF2_IdMap *instance, uint64_t *size)
{
    if (!instance || !size)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_map);
    *size = instance->n;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_IdMap_GetMode(const OTF2_IdMap *instance, OTF2_IdMapMode *mode)
{
    if (!instance || !mode)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_map);
    *mode = instance->mode;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_IdMap_Clear(OTF2_IdMap *instance)
{
    if (!instance)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_map);
    instance->n = 0;
    drop_direct(instance);
    return OTF2_SUCCESS;
}

/* Where a local id is or would be in a sparse map. */
static uint64_t position(const OTF2_IdMap *map, uint64_t local)
{
    uint64_t low = 0;
    uint64_t high = map->n;
    /* Ids mostly come in their order. */
    if (high && map->ids.sparse[high - 1].local < local)
        return high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (map->ids.sparse[middle].local < local)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(OTF2_IdMap *map, uint64_t at, struct otf2_id_pair pair)
{
    struct otf2_id_pair *place = map->ids.sparse + at;
    memmove(place + 1, place, (size_t)(map->n - at) * sizeof *place);
    *place = pair;
    map->n++;
}

OTF2_ErrorCode OTF2_IdMap_AddIdPair(OTF2_IdMap *instance, uint64_t localId, uint64_t globalId)
{
    if (!instance)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_map);
    bool is_dense = instance->mode == OTF2_ID_MAP_DENSE;
    if (is_dense && localId != instance->n)
        return OTF2_ERROR(OTF2_ERROR_INVALID_DATA,
                          "the next id of this dense map is %llu, not %llu",
                          (unsigned long long)instance->n, (unsigned long long)localId);
    uint64_t at = is_dense ? instance->n : position(instance, localId);
    if (!is_dense && at < instance->n && instance->ids.sparse[at].local == localId) {
        instance->ids.sparse[at].global = globalId;
        drop_direct(instance);
        return OTF2_SUCCESS;
    }
    if (instance->n == instance->capacity && !set_capacity(instance, 2 * instance->capacity))
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for one more id");
    if (is_dense)
        instance->ids.dense[instance->n++] = globalId;
    else
        insert(instance, at, (struct otf2_id_pair){localId, globalId});
    drop_direct(instance);
    return OTF2_SUCCESS;
}

static bool find(const OTF2_IdMap *map, uint64_t local, uint64_t *global)
{
    if (map->mode == OTF2_ID_MAP_DENSE) {
        if (local >= map->n)
            return false;
        *global = map->ids.dense[local];
        return true;
    }
    uint64_t at = position(map, local);
    if (at == map->n || map->ids.sparse[at].local != local)
        return false;
    *global = map->ids.sparse[at].global;
    return true;
}

uint64_t otf2_idmap_search(const OTF2_IdMap *map, uint64_t local)
{
    uint64_t global = local;
    find(map, local, &global);
    return global;
}

OTF2_ErrorCode OTF2_IdMap_GetGlobalId(const OTF2_IdMap *instance, uint64_t localId,
                                      uint64_t *globalId)
{
    if (!instance || !globalId)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_map);
    if (!find(instance, localId, globalId))
        *globalId = localId;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_IdMap_GetGlobalIdSave(const OTF2_IdMap *instance, uint64_t localId,
                                          uint64_t *globalId)
{
    if (!instance || !globalId)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_map);
    /* No error to report: asking is how a program learns it. */
    return find(instance, localId, globalId) ? OTF2_SUCCESS : OTF2_ERROR_INDEX_OUT_OF_BOUNDS;
}

static struct otf2_id_pair entry_at(const OTF2_IdMap *map, uint64_t i)
{
    if (map->mode == OTF2_ID_MAP_DENSE)
        return (struct otf2_id_pair){i, map->ids.dense[i]};
    return map->ids.sparse[i];
}

OTF2_ErrorCode OTF2_IdMap_Traverse(const OTF2_IdMap *instance, OTF2_IdMap_TraverseCallback callback,
                                   void *userData)
{
    if (!instance || !callback)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no id map or no callback");
    for (uint64_t i = 0; i < instance->n; i++) {
        struct otf2_id_pair pair = entry_at(instance, i);
        callback(pair.local, pair.global, userData);
    }
    return OTF2_SUCCESS;
}

uint64_t otf2_idmap_bytes(const OTF2_IdMap *map)
{
    uint64_t n = map ? map->n : 0;
    uint64_t bytes = otf2_wire_size(OTF2_WIRE_VAR64, n) + 1;
    for (uint64_t i = 0; i < n; i++) {
        struct otf2_id_pair pair = entry_at(map, i);
        bytes += otf2_wire_size(OTF2_WIRE_VAR64, pair.global);
        if (map->mode == OTF2_ID_MAP_SPARSE)
            bytes += otf2_wire_size(OTF2_WIRE_VAR64, pair.local);
    }
    return bytes;
}

uint8_t *otf2_idmap_encode(uint8_t *p, const OTF2_IdMap *map)
{
    uint64_t n = map ? map->n : 0;
    p = otf2_wire_put_tight(p, OTF2_WIRE_VAR64, n);
    *p++ = map ? map->mode : OTF2_ID_MAP_DENSE;
    for (uint64_t i = 0; i < n; i++) {
        struct otf2_id_pair pair = entry_at(map, i);
        if (map->mode == OTF2_ID_MAP_SPARSE)
            p = otf2_wire_put_tight(p, OTF2_WIRE_VAR64, pair.local);
        p = otf2_wire_put_tight(p, OTF2_WIRE_VAR64, pair.global);
    }
    return p;
}

/* Merges the sorted runs [0, middle) and [middle, n); of equal ids the one of the second wins. */
static void merge(struct otf2_id_pair *to, const struct otf2_id_pair *from, uint64_t middle,
                  uint64_t n)
{
    uint64_t a = 0;
    uint64_t b = middle;
    for (uint64_t i = 0; i < n; i++) {
        bool takes_first = b == n || (a < middle && from[a].local <= from[b].local);
        to[i] = from[takes_first ? a++ : b++];
    }
}

/* Sorts without the recursion, the heap or the worst case of qsort(3). False: no memory. */
static bool sort(OTF2_IdMap *map)
{
    uint64_t n = map->n;
    struct otf2_id_pair *other = otf2_mem_new((size_t)n * sizeof *other);
    if (!other)
        return false;
    for (uint64_t run = 1; run < n; run *= 2) {
        for (uint64_t i = 0; i < n; i += 2 * run) {
            uint64_t bytes = n - i < 2 * run ? n - i : 2 * run;
            merge(other + i, map->ids.sparse + i, bytes < run ? bytes : run, bytes);
        }
        struct otf2_id_pair *sorted = other;
        other = map->ids.sparse;
        map->ids.sparse = sorted;
    }
    otf2_mem_free(other);
    map->capacity = n;
    return true;
}

/* Of several pairs for one id the last stays. */
static void drop_duplicates(OTF2_IdMap *map)
{
    struct otf2_id_pair *pairs = map->ids.sparse;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < map->n; i++) {
        if (i + 1 < map->n && pairs[i + 1].local == pairs[i].local)
            continue;
        pairs[kept++] = pairs[i];
    }
    map->n = kept;
}

/*
 * Readers ask for ids of events, so a search for each would be most of their time: where the ids
 * are not too far apart an array answers. It may fail to exist, without a word.
 */
static void make_direct(OTF2_IdMap *map)
{
    enum { SLACK = 1024, FACTOR = 8 };
    uint64_t n = map->ids.sparse[map->n - 1].local + 1;
    if (n == 0 || n > FACTOR * map->n + SLACK)
        return;
    map->direct = otf2_mem_new((size_t)n * sizeof *map->direct);
    if (!map->direct)
        return;
    for (uint64_t i = 0; i < n; i++)
        map->direct[i] = i;
    for (uint64_t i = 0; i < map->n; i++)
        map->direct[map->ids.sparse[i].local] = map->ids.sparse[i].global;
    map->n_direct = n;
}

static bool decode_sparse(struct otf2_wire_source *s, OTF2_IdMap *map, uint64_t n)
{
    bool is_sorted = true;
    for (uint64_t i = 0; i < n; i++) {
        struct otf2_id_pair *pair = &map->ids.sparse[i];
        if (!otf2_wire_get(s, OTF2_WIRE_VAR64, &pair->local) ||
            !otf2_wire_get(s, OTF2_WIRE_VAR64, &pair->global))
            return false;
        is_sorted = is_sorted && (!i || pair[-1].local < pair->local);
        map->n++;
    }
    if (!is_sorted) {
        if (!sort(map))
            return false;
        drop_duplicates(map);
    }
    make_direct(map);
    return true;
}

static bool decode_dense(struct otf2_wire_source *s, OTF2_IdMap *map, uint64_t n)
{
    while (map->n < n)
        if (!otf2_wire_get(s, OTF2_WIRE_VAR64, &map->ids.dense[map->n++]))
            return false;
    map->n_direct = map->n;
    return true;
}

OTF2_IdMap *otf2_idmap_decode(struct otf2_wire_source *s)
{
    uint64_t n;
    uint64_t mode;
    if (!otf2_wire_get(s, OTF2_WIRE_VAR64, &n) || !otf2_wire_get(s, OTF2_WIRE_U8, &mode) || !n ||
        mode > OTF2_ID_MAP_SPARSE || n > otf2_wire_left_over(s) / (mode + 1))
        return NULL;
    OTF2_IdMap *map = new_map((OTF2_IdMapMode)mode, n);
    if (!map)
        return NULL;
    if (mode == OTF2_ID_MAP_DENSE ? decode_dense(s, map, n) : decode_sparse(s, map, n))
        return map;
    OTF2_IdMap_Free(map);
    return NULL;
}
