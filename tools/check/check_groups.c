/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about groups, communicators and topologies. */
#include <inttypes.h>
#include <string.h>

#include "tools/check/check.h"

enum { PARADIGMS = 256 };

/* The group of the ranks of each paradigm that stands before the current one. */
struct worlds {
    const struct otf2_def_Group *of[PARADIGMS];
};

static void check_twice(struct check *c, const struct definition *d)
{
    const struct otf2_def_Group *group = d->data;
    struct table seen = {.node_bytes = sizeof(struct node)};
    for (uint32_t i = 0; i < group->numberOfMembers; i++) {
        struct key key = {.a = group->members[i]};
        if (table_find(&seen, key)) {
            found(c->verdict, RULE_GROUP_MEMBER_TWICE, definition_place(c, d),
                  "member %" PRIu64 " stands in group %u twice", key.a, group->self);
            break;
        }
        (void)table_intern(&seen, key);
    }
    table_fini(&seen);
}

static void check_members(struct check *c, const struct definition *d, enum otf2_ref ref)
{
    const struct otf2_def_Group *group = d->data;
    for (uint32_t i = 0; i < group->numberOfMembers; i++)
        if (!is_defined(c, ref, group->members[i]))
            found(c->verdict, RULE_GROUP_MEMBER, definition_place(c, d),
                  "member %" PRIu64 " of group %u is not defined", group->members[i], group->self);
}

static void check_comm_group(struct check *c, const struct definition *d,
                             const struct otf2_def_Group *world)
{
    const struct otf2_def_Group *group = d->data;
    if (!world) {
        found(c->verdict, RULE_GROUP_LOCATIONS, definition_place(c, d),
              "no COMM_LOCATIONS or COMM_LOCATION_GROUPS of paradigm %u stands before group %u",
              group->paradigm, group->self);
        return;
    }
    if (group->groupType == OTF2_GROUP_TYPE_COMM_SELF) {
        if (group->numberOfMembers)
            found(c->verdict, RULE_GROUP_SELF, definition_place(c, d),
                  "COMM_SELF group %u has %u members", group->self, group->numberOfMembers);
        return;
    }
    uint64_t size = world->numberOfMembers;
    for (uint32_t i = 0; i < group->numberOfMembers; i++)
        if (group->members[i] >= size)
            found(c->verdict, RULE_GROUP_MEMBER, definition_place(c, d),
                  "group %u has member %" PRIu64 ", its paradigm has %" PRIu64 " ranks",
                  group->self, group->members[i], size);
}

static void check_group(struct check *c, const struct definition *d, struct worlds *worlds)
{
    const struct otf2_def_Group *group = d->data;
    const struct otf2_def_Group **world = &worlds->of[group->paradigm];
    check_twice(c, d);
    switch (group->groupType) {
    case OTF2_GROUP_TYPE_LOCATIONS:
        check_members(c, d, OTF2_REF_Location);
        break;
    case OTF2_GROUP_TYPE_REGIONS:
        check_members(c, d, OTF2_REF_Region);
        break;
    case OTF2_GROUP_TYPE_METRIC:
        check_members(c, d, OTF2_REF_Metric);
        break;
    case OTF2_GROUP_TYPE_COMM_LOCATIONS:
    case OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS:
        if (*world)
            found(c->verdict, RULE_GROUP_LOCATIONS, definition_place(c, d),
                  "group %u is a second COMM_LOCATIONS or COMM_LOCATION_GROUPS of paradigm %u",
                  group->self, group->paradigm);
        *world = group;
        check_members(c, d, is_of_processes(group) ? OTF2_REF_LocationGroup : OTF2_REF_Location);
        break;
    case OTF2_GROUP_TYPE_COMM_GROUP:
    case OTF2_GROUP_TYPE_COMM_SELF:
        check_comm_group(c, d, *world);
        break;
    default:
        break;
    }
}

/* ---- communicators ---- */

static const struct otf2_def_Group *comm_group(struct check *c, const struct definition *d,
                                               uint32_t comm, uint32_t number)
{
    const struct otf2_def_Group *group = defined_as(c, OTF2_REF_Group, number, OTF2_DEF_Group);
    if (group && group->groupType != OTF2_GROUP_TYPE_COMM_GROUP &&
        group->groupType != OTF2_GROUP_TYPE_COMM_SELF) {
        found(c->verdict, RULE_COMM_GROUP, definition_place(c, d),
              "communicator %u has group %u, which is not one of a communicator", comm, number);
        return NULL;
    }
    return group;
}

static void check_inter_comm(struct check *c, const struct definition *d)
{
    const struct otf2_def_InterComm *comm = d->data;
    const struct otf2_def_Group *groups[] = {comm_group(c, d, comm->self, comm->groupA),
                                             comm_group(c, d, comm->self, comm->groupB)};
    struct table seen = {.node_bytes = sizeof(struct node)};
    bool is_reported = false;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; groups[side] && i < groups[side]->numberOfMembers; i++) {
            struct key key = {.a = groups[side]->members[i]};
            if (side && !is_reported && table_find(&seen, key)) {
                is_reported = true;
                found(c->verdict, RULE_COMM_GROUPS_OVERLAP, definition_place(c, d),
                      "both groups of communicator %u have member %" PRIu64, comm->self, key.a);
            } else if (!side) {
                (void)table_intern(&seen, key);
            }
        }
    table_fini(&seen);
}

void check_groups(struct check *c)
{
    struct worlds worlds = {{NULL}};
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        if (d->record == OTF2_DEF_Group) {
            check_group(c, d, &worlds);
        } else if (d->record == OTF2_DEF_Comm) {
            const struct otf2_def_Comm *comm = d->data;
            (void)comm_group(c, d, comm->self, comm->group);
        } else if (d->record == OTF2_DEF_InterComm) {
            check_inter_comm(c, d);
        }
    }
}

/* ---- topologies ---- */

/* How many ranks a communicator has; 0 when that cannot be told. */
static uint64_t comm_size(const struct check *c, uint32_t number)
{
    const struct otf2_def_Comm *comm = defined_as(c, OTF2_REF_Comm, number, OTF2_DEF_Comm);
    const struct otf2_def_Group *group =
        comm ? defined_as(c, OTF2_REF_Group, comm->group, OTF2_DEF_Group) : NULL;
    if (!group)
        return 0;
    return group->groupType == OTF2_GROUP_TYPE_COMM_SELF ? 1 : group->numberOfMembers;
}

static void check_coordinate(struct check *c, const struct definition *d, struct table *seen)
{
    const struct otf2_def_CartCoordinate *at = d->data;
    const struct otf2_def_CartTopology *topology =
        defined_as(c, OTF2_REF_CartTopology, at->cartTopology, OTF2_DEF_CartTopology);
    struct key key = {at->cartTopology, at->rank, 0};
    if (!topology)
        return;
    if (table_find(seen, key))
        found(c->verdict, RULE_TOPOLOGY, definition_place(c, d),
              "the coordinates of rank %u in topology %u are given twice", at->rank,
              at->cartTopology);
    (void)table_intern(seen, key);
    uint64_t size = comm_size(c, topology->communicator);
    if (size && at->rank >= size)
        found(c->verdict, RULE_TOPOLOGY, definition_place(c, d),
              "topology %u has coordinates of rank %u, its communicator has %" PRIu64 " ranks",
              at->cartTopology, at->rank, size);
    if (at->numberOfDimensions != topology->numberOfDimensions) {
        found(c->verdict, RULE_TOPOLOGY, definition_place(c, d),
              "rank %u has %u coordinates in topology %u, which has %u dimensions", at->rank,
              at->numberOfDimensions, at->cartTopology, topology->numberOfDimensions);
        return;
    }
    for (unsigned i = 0; i < at->numberOfDimensions; i++) {
        const struct otf2_def_CartDimension *dimension =
            defined_as(c, OTF2_REF_CartDimension, topology->cartDimensions[i],
                       OTF2_DEF_CartDimension);
        if (dimension && dimension->size && at->coordinates[i] >= dimension->size)
            found(c->verdict, RULE_TOPOLOGY, definition_place(c, d),
                  "rank %u has coordinate %u in dimension %u of topology %u, whose size is %u",
                  at->rank, at->coordinates[i], i, at->cartTopology, dimension->size);
    }
}

void check_topologies(struct check *c)
{
    struct table seen = {.node_bytes = sizeof(struct node)};
    for (size_t i = 0; i < c->n_all; i++)
        if (c->all[i].record == OTF2_DEF_CartCoordinate)
            check_coordinate(c, &c->all[i], &seen);
    table_fini(&seen);
}
