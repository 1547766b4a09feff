/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls are recorded. */
#include "wrappers/cuda/cuda.h"
#include "wrappers/kit/wrapper_groups.h"

bool cuda_group_is_off[CUDA_GROUPS + 1] = {
#define GROUP(name, is_default, ROLE, what) !(is_default),
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
    false};

static const struct wrapper_group rows[CUDA_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) {#name, is_default},
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
};

static const struct wrapper_groups groups = {.setting = "SPUR_CUDA",
                                             .of = "CUDA",
                                             .group = rows,
                                             .n = CUDA_GROUPS,
                                             .is_off = cuda_group_is_off};

bool cuda_groups_select(const char *list)
{
    return wrapper_groups_select(&groups, list);
}

static const struct {
    const char *pattern;
    struct cuda_name is;
} names[] = {
#define NAME(pattern, group) {pattern, {CUDA_GROUP_##group, false}},
#define GIVES(pattern, group) {pattern, {CUDA_GROUP_##group, true}},
#include "wrappers/cuda/cuda_names.def"
#undef NAME
#undef GIVES
};

static const char *without_prefix(const char *name)
{
    static const char *const prefixes[] = {"__cuda", "cuda", "cu"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

/* The last row is for all. */
struct cuda_name cuda_name_of(const char *name)
{
    size_t i = 0;
    name = without_prefix(name);
    while (!wrapper_matches(names[i].pattern, name))
        i++;
    return names[i].is;
}
