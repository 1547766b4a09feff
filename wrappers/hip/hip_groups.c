/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls are recorded. */
#include "wrappers/hip/hip.h"
#include "wrappers/kit/wrapper_groups.h"

bool hip_group_is_off[HIP_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) !(is_default),
#include "wrappers/hip/hip_groups.def"
#undef GROUP
};

static const struct wrapper_group rows[HIP_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) {#name, is_default},
#include "wrappers/hip/hip_groups.def"
#undef GROUP
};

static const struct wrapper_groups groups = {
    .setting = "SPUR_HIP", .of = "HIP", .group = rows, .n = HIP_GROUPS, .is_off = hip_group_is_off};

bool hip_groups_select(const char *list)
{
    return wrapper_groups_select(&groups, list);
}

static const struct {
    const char *pattern;
    struct hip_name is;
} names[] = {
#define NAME(pattern, group) {pattern, {HIP_GROUP_##group, false}},
#define GIVES(pattern, group) {pattern, {HIP_GROUP_##group, true}},
#include "wrappers/hip/hip_names.def"
#undef NAME
#undef GIVES
};

/* The last row is for all. */
struct hip_name hip_name_of(const char *name)
{
    static const char prefix[] = "hip";
    size_t i = 0;
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    while (!wrapper_matches(names[i].pattern, name))
        i++;
    return names[i].is;
}
