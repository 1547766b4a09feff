/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about what the processes do together that have opened a handle together. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/io/check_io.h"

/* What the first process with a handle says, which the others have to agree with. */
struct agreement {
    struct node node; /* a: handle */
    uint64_t n_processes;
    uint64_t n_together, together;
    bool is_broken;
};

/* What the processes with a handle have in common: told in the end. */
struct together_note {
    uint64_t handle, n_together, together;
};

void io_together_begin(struct check *c)
{
    c->handles->agreements.node_bytes = sizeof(struct agreement);
}

const struct otf2_def_Group *io_openers(const struct check *c, uint32_t number)
{
    const struct otf2_def_IoHandle *def = io_handle_def(c, number);
    const struct otf2_def_Comm *comm =
        def ? defined_as(c, OTF2_REF_Comm, def->comm, OTF2_DEF_Comm) : NULL;
    const struct otf2_def_Group *group =
        comm ? defined_as(c, OTF2_REF_Group, comm->group, OTF2_DEF_Group) : NULL;
    return group && group->paradigm == OTF2_PARADIGM_MPI ? group : NULL;
}

/* What a process has begun together with others of the handle's communicator. */
static void tell_together(void *node, void *context)
{
    struct check *c = context;
    const struct handle *h = node;
    const struct otf2_def_Group *group = io_openers(c, (uint32_t)h->node.key.b);
    if (!group || group->groupType == OTF2_GROUP_TYPE_COMM_SELF || !h->n_together)
        return;
    struct together_note note = {h->node.key.b, h->n_together, h->together};
    if (is_alone(c))
        take_io_together(c, NULL, &note);
    else
        tell_at_end(c, 0, 0, NOTE_IO_TOGETHER, owner_of(c, (struct key){.a = note.handle}), &note,
                    sizeof note);
}

void io_tell_agreements(struct check *c)
{
    table_each(&c->handles->handles, tell_together, c);
}

/* One process after the other. */
void take_io_together(struct check *c, const struct engine_note *n, const void *data)
{
    const struct together_note *note = data;
    struct agreement *a = table_intern(&c->handles->agreements, (struct key){.a = note->handle});
    (void)n;
    if (a->n_processes++ == 0) {
        a->n_together = note->n_together;
        a->together = note->together;
    }
    a->is_broken |= a->n_together != note->n_together || a->together != note->together;
}

static void report_agreement(void *node, void *context)
{
    struct check *c = context;
    const struct agreement *a = node;
    const struct otf2_def_Group *group = io_openers(c, (uint32_t)a->node.key.a);
    if (a->is_broken)
        found(c->verdict, RULE_IO_COLLECTIVE, (struct place){0},
              "the processes with handle %" PRIu64 " begin different collective operations",
              a->node.key.a);
    else if (group->numberOfMembers && a->n_processes < group->numberOfMembers)
        found(c->verdict, RULE_IO_COLLECTIVE, (struct place){0},
              "%" PRIu64 " of the %" PRIu32 " members of its communicator open handle %" PRIu64,
              a->n_processes, group->numberOfMembers, a->node.key.a);
}

void io_together_finish(struct check *c, bool is_complete)
{
    if (is_complete)
        each_in_phase(c, PHASE_IO_AGREED, &c->handles->agreements, report_agreement);
    table_fini(&c->handles->agreements);
}
