/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ids of groups in the archive. Groups are unified by what the processes say of them; of the teams
 * of OpenMP they say who they are, and their members are known at the end. Teams with equal members
 * have one group then.
 */
#ifndef SPUR_FINISH_GROUPS_H
#define SPUR_FINISH_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/journal.h"

struct finish_teams {
    struct finish_team_group *bucket[64];
    struct spur_words *id; /* in the archive, by unified id; the caller's */
    uint32_t n_groups;     /* in the archive */
};

/* The next unified group is one of a team with these members, or of another kind. False: no memory.
 */
bool finish_teams_add(struct finish_teams *teams, const uint64_t *members, uint64_t n);
bool finish_teams_add_other(struct finish_teams *teams);
/* By unified id, with the ids in the archive; what is not one stays what it is. */
uint32_t finish_group_id(const struct spur_words *ids, uint64_t unified);
void finish_teams_free(struct finish_teams *teams);

#endif
