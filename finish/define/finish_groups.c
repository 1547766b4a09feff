/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/define/finish_groups.h"

#include <string.h>

#include "base/mem.h"

struct finish_team_group {
    struct finish_team_group *next; /* of its bucket */
    uint32_t id;
    uint64_t n;
    uint64_t members[];
};

static size_t bytes_for(uint64_t n)
{
    return sizeof(struct finish_team_group) + n * sizeof(uint64_t);
}

static struct finish_team_group **bucket_of(struct finish_teams *teams, const uint64_t *members,
                                            uint64_t n)
{
    uint64_t hash = n;
    for (uint64_t i = 0; i < n; i++)
        hash = (hash ^ members[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return &teams->bucket[hash >> 58];
}

static bool add_id(struct finish_teams *teams, uint32_t id)
{
    uint64_t *at = spur_words_add(teams->id, 1);
    if (at)
        *at = id;
    return at;
}

bool finish_teams_add_other(struct finish_teams *teams)
{
    return add_id(teams, teams->n_groups++);
}

bool finish_teams_add(struct finish_teams *teams, const uint64_t *members, uint64_t n)
{
    struct finish_team_group **bucket = bucket_of(teams, members, n);
    for (const struct finish_team_group *group = *bucket; group; group = group->next)
        if (group->n == n && memcmp(group->members, members, n * sizeof *members) == 0)
            return add_id(teams, group->id);
    struct finish_team_group *group = spur_mem_new(bytes_for(n));
    if (!group)
        return false;
    group->id = teams->n_groups;
    group->n = n;
    memcpy(group->members, members, n * sizeof *members);
    group->next = *bucket;
    *bucket = group;
    return finish_teams_add_other(teams);
}

uint32_t finish_group_id(const struct spur_words *ids, uint64_t unified)
{
    return unified < ids->n ? (uint32_t)ids->at[unified] : (uint32_t)unified;
}

void finish_teams_free(struct finish_teams *teams)
{
    for (size_t i = 0; i < sizeof teams->bucket / sizeof teams->bucket[0]; i++)
        for (struct finish_team_group *group = teams->bucket[i], *next; group; group = next) {
            next = group->next;
            spur_mem_free(group, bytes_for(group->n));
        }
}
