/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_ranks.h"

#include "tools/print/print_enums.h"

enum { PARADIGMS = 256 };

static const struct group *current[PARADIGMS];

const struct group *ranks_of(OTF2_Paradigm paradigm)
{
    return current[paradigm];
}

void ranks_set(OTF2_Paradigm paradigm, const struct group *group)
{
    current[paradigm] = group;
}

unsigned ranks_kind(const struct group *ranks)
{
    return ranks->type == OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS ? OTF2_REF_LocationGroup
                                                               : OTF2_REF_Location;
}

/* The location, or location group, behind a rank of a group; false when there is none. */
static bool find_rank(const struct group *group, OTF2_LocationRef location, uint32_t rank,
                      uint64_t *found, unsigned *kind)
{
    const struct group *all = group->ranks;
    *kind = OTF2_REF_Location;
    if (group->type == OTF2_GROUP_TYPE_COMM_SELF) {
        *found = location;
        return rank == 0;
    }
    if (group->type != OTF2_GROUP_TYPE_COMM_GROUP || !all)
        return false;
    uint64_t index = rank;
    if (!(group->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS)) {
        if (rank >= group->nmembers)
            return false;
        index = group->members[rank];
    }
    if (index >= all->nmembers)
        return false;
    *found = all->members[index];
    *kind = ranks_kind(all);
    return true;
}

static bool has_member(const struct group *group, OTF2_LocationRef location)
{
    const struct definition *own = definition_find(OTF2_REF_Location, location);
    uint64_t member;
    unsigned kind;
    for (uint32_t rank = 0; rank < group->nmembers; rank++)
        if (find_rank(group, location, rank, &member, &kind) &&
            (kind == OTF2_REF_Location ? member == location : own && member == own->location.group))
            return true;
    return false;
}

/* Ranks of an inter-communicator are those of the other side. The last answer is kept: events of a
 * location tend to follow each other. */
static const struct group *other_side(const struct definition *comm, OTF2_LocationRef location)
{
    static _Thread_local const struct definition *last_comm;
    static _Thread_local OTF2_LocationRef last_location;
    static _Thread_local const struct definition *last;
    if (comm != last_comm || location != last_location) {
        const struct definition *a = comm->comm.group;
        last = a && has_member(&a->group, location) ? comm->comm.other : a;
        last_comm = comm;
        last_location = location;
    }
    return last ? &last->group : NULL;
}

void put_rank_in(OTF2_LocationRef location, const struct definition *comm, uint32_t rank)
{
    const struct group *group = NULL;
    uint64_t found;
    unsigned kind;
    if (rank == OTF2_UNDEFINED_UINT32) {
        put_string("UNDEFINED");
        return;
    }
    if (comm && comm->comm.other)
        group = other_side(comm, location);
    else if (comm && comm->comm.group)
        group = &comm->comm.group->group;
    put_unsigned(rank);
    put_string(" (");
    if (group && find_rank(group, location, rank, &found, &kind))
        put_reference(kind, found);
    else
        put_string("INVALID");
    put_char(')');
}

void put_rank(OTF2_LocationRef location, uint64_t base, uint32_t rank, bool is_of_window,
              bool is_root)
{
    const struct definition *comm;
    if (is_root && otf2_enum_name(OTF2_ENUM_CollectiveRoot, rank)) {
        put_enum(OTF2_ENUM_CollectiveRoot, rank);
        return;
    }
    if (is_of_window) {
        const struct definition *window = definition_find(OTF2_REF_RmaWin, base);
        comm = window ? window->used : NULL;
    } else {
        comm = definition_find(OTF2_REF_Comm, base);
    }
    put_rank_in(location, comm, rank);
}
