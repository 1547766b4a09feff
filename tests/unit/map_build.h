/* SPDX-License-Identifier: BSD-3-Clause */
/* The map of a process as the file that it leaves if it does not settle. */
#ifndef TESTS_UNIT_MAP_BUILD_H
#define TESTS_UNIT_MAP_BUILD_H

#include <criterion/criterion.h>

#include "base/raw_file.h"
#include "finish/unify/unify_file.h"

static inline void save_map(const char *path, const struct spur_unified_map *about,
                            const struct spur_map *map)
{
    struct spur_words file = {0};
    cr_assert_eq(spur_unified_map_make(&file, about, map), 0);
    cr_assert_eq(spur_file_create(path, file.at, file.n * sizeof *file.at), 0);
    spur_words_free(&file);
}

#endif
