/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/* Id maps: the API's answers (those of the reference) and the bytes. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "format/idmap.h"

static OTF2_ErrorCode quiet(void *user, const char *file, uint64_t line, const char *function,
                            OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)user;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)va;
    return code;
}

static void be_quiet(void)
{
    OTF2_Error_RegisterCallback(quiet, NULL);
}

TestSuite(format_idmap, .init = be_quiet);

static uint64_t size_of(const OTF2_IdMap *map)
{
    uint64_t size;
    cr_assert_eq(OTF2_IdMap_GetSize(map, &size), OTF2_SUCCESS);
    return size;
}

static OTF2_IdMapMode mode_of(const OTF2_IdMap *map)
{
    OTF2_IdMapMode mode;
    cr_assert_eq(OTF2_IdMap_GetMode(map, &mode), OTF2_SUCCESS);
    return mode;
}

Test(format_idmap, arguments_out_of_range)
{
    uint64_t n;
    OTF2_IdMapMode mode;
    const uint64_t ids[] = {0, 1, 2};
    const uint32_t narrow[] = {0, 1};
    OTF2_IdMap *dense = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 2);
    cr_assert_null(OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 0));
    cr_assert_null(OTF2_IdMap_Create(2, 4));
    cr_assert_null(OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, UINT64_MAX));
    cr_assert_null(OTF2_IdMap_CreateFromUint64Array(3, ids, true), "the identity needs no map");
    cr_assert_null(OTF2_IdMap_CreateFromUint64Array(0, ids, false));
    cr_assert_null(OTF2_IdMap_CreateFromUint64Array(3, NULL, false));
    cr_assert_null(OTF2_IdMap_CreateFromUint32Array(0, narrow, true));
    cr_assert_null(OTF2_IdMap_CreateFromUint32Array(3, NULL, true));
    cr_assert_eq(OTF2_IdMap_GetSize(NULL, &n), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_GetSize(dense, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_GetMode(NULL, &mode), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_GetMode(dense, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_AddIdPair(NULL, 0, 0), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_AddIdPair(dense, 1, 1), OTF2_ERROR_INVALID_DATA);
    cr_assert_eq(OTF2_IdMap_GetGlobalId(NULL, 0, &n), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_GetGlobalId(dense, 0, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_GetGlobalIdSave(NULL, 0, &n), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_GetGlobalIdSave(dense, 0, &n), OTF2_ERROR_INDEX_OUT_OF_BOUNDS);
    cr_assert_eq(OTF2_IdMap_Traverse(dense, NULL, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2_IdMap_Clear(NULL), OTF2_ERROR_INVALID_ARGUMENT);
    OTF2_IdMap_Free(dense);
    OTF2_IdMap_Free(NULL);
}

static void next(uint64_t local, uint64_t global, void *user)
{
    uint64_t *last = user;
    cr_assert_gt(local + 1, *last, "in ascending order");
    *last = local + 1;
    cr_assert_eq(global, local * 3);
}

Test(format_idmap, sparse_maps_take_ids_in_any_order)
{
    enum { N = 1000 };
    OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 1);
    uint64_t last = 0;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t local = i * 7919 % N * 2;
        cr_assert_eq(OTF2_IdMap_AddIdPair(map, local, 1), OTF2_SUCCESS);
        cr_assert_eq(OTF2_IdMap_AddIdPair(map, local, local * 3), OTF2_SUCCESS);
    }
    cr_assert_eq(size_of(map), N);
    cr_assert_eq(OTF2_IdMap_Traverse(map, next, &last), OTF2_SUCCESS);
    cr_assert_eq(last, 2 * (uint64_t)N - 1);
    for (uint64_t i = 0; i < 2 * (uint64_t)N; i++) {
        uint64_t global;
        cr_assert_eq(OTF2_IdMap_GetGlobalId(map, i, &global), OTF2_SUCCESS);
        cr_assert_eq(global, i % 2 ? i : i * 3);
        cr_assert_eq(OTF2_IdMap_GetGlobalIdSave(map, i, &global),
                     i % 2 ? OTF2_ERROR_INDEX_OUT_OF_BOUNDS : OTF2_SUCCESS);
    }
    OTF2_IdMap_Clear(map);
    cr_assert_eq(size_of(map), 0);
    OTF2_IdMap_Free(map);
}

Test(format_idmap, arrays_become_the_smaller_map)
{
    static const struct {
        uint64_t ids[6];
        uint64_t n;
        OTF2_IdMapMode mode;
        uint64_t size;
    } maps[] = {
        {{0, 1, 2, 3, 4, 9}, 6, OTF2_ID_MAP_SPARSE, 1},
        {{9, 8, 2, 3, 4, 5}, 6, OTF2_ID_MAP_SPARSE, 2},
        {{9, 8, 7, 3, 4, 5}, 6, OTF2_ID_MAP_DENSE, 6},
        {{1, 0}, 2, OTF2_ID_MAP_DENSE, 2},
    };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(maps[i].n, maps[i].ids, true);
        cr_assert_eq(mode_of(map), maps[i].mode, "map %zu", i);
        cr_assert_eq(size_of(map), maps[i].size, "map %zu", i);
        OTF2_IdMap_Free(map);
        map = OTF2_IdMap_CreateFromUint64Array(maps[i].n, maps[i].ids, false);
        cr_assert(mode_of(map) == OTF2_ID_MAP_DENSE && size_of(map) == maps[i].n);
        OTF2_IdMap_Free(map);
    }
    const uint32_t narrow[] = {0, UINT32_MAX, 2, 3};
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(4, narrow, true);
    uint64_t global;
    OTF2_IdMap_GetGlobalId(map, 1, &global);
    cr_assert_eq(global, OTF2_UNDEFINED_UINT64);
    OTF2_IdMap_Free(map);
}

static OTF2_IdMap *decode(const char *bytes, size_t n)
{
    /* A copy of that size, so that the sanitizer sees a read behind the end. */
    uint8_t *copy = malloc(n + !n);
    memcpy(copy, bytes, n);
    struct otf2_wire_source s = {copy, copy + n, false};
    OTF2_IdMap *map = otf2_idmap_decode(&s);
    cr_assert(!map || s.at == s.end);
    free(copy);
    return map;
}

Test(format_idmap, bytes)
{
    static const struct {
        const char *bytes;
        size_t n;
    } maps[] = {{"\1\2\0\1\5\xff", 6}, {"\1\2\1\0\1\7\1\x9\2\x2c\1", 11}};
    for (size_t i = 0; i < 2; i++) {
        uint8_t again[32];
        OTF2_IdMap *map = decode(maps[i].bytes, maps[i].n);
        cr_assert_not_null(map);
        cr_assert_eq(otf2_idmap_bytes(map), maps[i].n);
        cr_assert_eq((size_t)(otf2_idmap_encode(again, map) - again), maps[i].n);
        cr_assert_arr_eq(again, maps[i].bytes, maps[i].n);
        OTF2_IdMap_Free(map);
        for (size_t cut = 0; cut < maps[i].n; cut++)
            cr_assert_null(decode(maps[i].bytes, cut));
    }
    cr_assert_eq(otf2_idmap_bytes(NULL), 2);
    cr_assert_null(decode("\0\0", 2), "empty maps are an error");
    cr_assert_null(decode("\1\1\2\0\0", 5), "unknown mode");
    cr_assert_null(decode("\x8\xfe\xff\xff\xff\xff\xff\xff\x7f\1\0\0", 12), "more than there are");
}

/* Readers of the reference accept them; the last pair of an id wins. */
Test(format_idmap, unsorted_bytes)
{
    OTF2_IdMap *map = decode("\1\5\1\1\x9\1\1\1\3\1\2\1\x9\1\3\0\1\4\1\3\1\5", 22);
    const uint64_t expected[][2] = {{0, 4}, {3, 5}, {9, 3}};
    cr_assert_not_null(map);
    cr_assert_eq(size_of(map), 3);
    for (size_t i = 0; i < 3; i++) {
        uint64_t global;
        cr_assert_eq(OTF2_IdMap_GetGlobalIdSave(map, expected[i][0], &global), OTF2_SUCCESS);
        cr_assert_eq(global, expected[i][1]);
    }
    cr_assert_eq(OTF2_IdMap_AddIdPair(map, 4, 4), OTF2_SUCCESS);
    OTF2_IdMap_Free(map);
}
