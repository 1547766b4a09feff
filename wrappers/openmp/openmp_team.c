/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "wrappers/openmp/openmp_thread.h"

static struct openmp_team *make(OTF2_CommRef parent, uint32_t size, const char *path)
{
    struct openmp_team *team = spur_mem_new(sizeof *team);
    if (!team)
        return NULL;
    team->comm = spur_def_team(parent, &team->number);
    if (team->comm == OTF2_UNDEFINED_COMM) {
        spur_mem_free(team, sizeof *team);
        return NULL;
    }
    team->parent = parent;
    team->size = size;
    memcpy(team->path, path, strnlen(path, sizeof team->path - 1));
    return team;
}

struct openmp_team *openmp_team_find(const struct openmp_here *here, OTF2_CommRef parent,
                                     uint32_t size, const char *path)
{
    struct openmp_team **at = &here->thread->teams;
    while (*at && ((*at)->parent != parent || (*at)->size != size))
        at = &(*at)->next;
    struct openmp_team *team = *at;
    if (team)
        *at = team->next;
    else if (here->loc)
        team = make(parent, size, path);
    if (team) {
        team->next = here->thread->teams;
        here->thread->teams = team;
    }
    return team;
}

void openmp_teams_free(struct openmp_thread *thread)
{
    for (struct openmp_team *team = thread->teams, *next; team; team = next) {
        next = team->next;
        spur_mem_free(team->member, team->room * sizeof *team->member);
        spur_mem_free(team, sizeof *team);
    }
    thread->teams = NULL;
}

static bool has_room(struct openmp_team *team, uint32_t n)
{
    if (n <= team->room)
        return true;
    uint32_t room = team->room ? 2 * team->room : 8;
    while (room < n)
        room *= 2;
    uint32_t *member = spur_mem_new(room * sizeof *member);
    if (!member)
        return false;
    if (team->member) {
        memcpy(member, team->member, team->room * sizeof *member);
        spur_mem_free(team->member, team->room * sizeof *member);
    }
    team->member = member;
    team->room = room;
    return true;
}

/* With the lock: where it stands, or is to stand: at `index`, or behind all that were asked for. */
static uint32_t place_for(const struct openmp_team *team, uint32_t serial, uint32_t index)
{
    for (uint32_t i = 0; i < team->room; i++)
        if (team->member[i] == serial)
            return i;
    if (index >= team->room || !team->member[index])
        return index;
    index = team->size > index ? team->size : index;
    while (index < team->room && team->member[index])
        index++;
    return index;
}

uint32_t openmp_team_join(const struct openmp_here *here, struct openmp_team *team, uint32_t index)
{
    struct openmp_thread *thread = here->thread;
    uint32_t at = team->comm % OPENMP_KNOWN;
    if (__builtin_expect(thread->known[at].comm == team->comm && thread->known[at].position_plus_1,
                         1))
        return thread->known[at].position_plus_1 - 1;
    wrapper_lock_take(&team->lock);
    uint32_t position = place_for(team, thread->serial, index);
    bool is_new = false;
    if (has_room(team, position + 1)) {
        is_new = !team->member[position];
        team->member[position] = thread->serial;
    }
    wrapper_lock_give(&team->lock);
    if (is_new)
        spur_def_team_member(here->loc, team->number, position);
    thread->known[at].comm = team->comm;
    thread->known[at].position_plus_1 = position + 1;
    return position;
}
