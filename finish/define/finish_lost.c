/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "finish/define/finish_define.h"
#include "session/properties.h"

enum { LOST_REGIONS = 1 << 10 }; /* that events of one process can name */

static uint32_t reason_of(const struct finish_process *p)
{
    return p->head.stopped < FINISH_STOPS ? p->head.stopped : SPUR_STOP_DISK;
}

/* Events go on after the definitions do: their regions are one, with a name that says so. */
static int stand_in(struct finish *f, struct finish_process *p)
{
    const uint32_t none = OTF2_UNDEFINED_STRING;
    uint32_t name = spur_unify_string(f->unify, "(definition lost)");
    struct spur_cell cells[SPUR_CELLS_MAX] = {{0}};
    cells[SPUR_AT_Region_name].number = cells[SPUR_AT_Region_canonicalName].number = name;
    cells[SPUR_AT_Region_description].number = cells[SPUR_AT_Region_sourceFile].number = none;
    cells[SPUR_AT_Region_paradigm].number = OTF2_PARADIGM_USER;
    uint32_t region = spur_unify_define(f->unify, SPUR_DEFINITION_Region, cells);
    uint64_t *at = spur_words_add(&p->map.of[SPUR_SPACE_REGION], LOST_REGIONS);
    if (region == OTF2_UNDEFINED_UINT32 || !at)
        return -ENOMEM;
    for (int i = 0; i < LOST_REGIONS; i++)
        at[i] = region;
    return 0;
}

int finish_lost_regions(struct finish *f)
{
    int err = 0;
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        struct finish_process *p = f->process[i];
        /* Zeros at the end of a journal do not show if the machine has stopped. */
        bool is_unsure = p->state == FINISH_DEAD && f->options.recover &&
                         strcmp(p->head.boot_id, f->boot_id) != 0;
        if (p->state == FINISH_MISSING || !(p->is_damaged || is_unsure))
            continue;
        err = stand_in(f, p);
        if ((p->is_damaged || p->journal_bytes == 0) && !p->head.stopped)
            p->head.stopped = FINISH_STOP_CUT;
    }
    return err;
}

void finish_lost_names(struct finish *f)
{
    struct finish_lost *lost = &f->lost;
    if (f->dropped) {
        lost->events = spur_unify_string(f->unify, SPUR_SAYS_DROPPED_EVENTS);
        lost->before = spur_unify_string(f->unify, SPUR_SAYS_DROPPED_BEFORE);
    }
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct finish_process *p = f->process[i];
        if (!finish_lost_why(p))
            continue;
        lost->stopped = spur_unify_string(f->unify, SPUR_SAYS_STOPPED);
        lost->stopped_at = spur_unify_string(f->unify, SPUR_SAYS_STOPPED_AT);
        lost->why[reason_of(p)] = spur_unify_string(f->unify, finish_lost_why(p));
    }
}

static OTF2_ErrorCode put_dropped(const struct finish *f, OTF2_GlobalDefWriter *writer,
                                  uint64_t location, const struct finish_thread *t)
{
    const OTF2_AttributeValue events = {.uint64 = t->dropped};
    const OTF2_AttributeValue before = {.uint64 = t->first};
    OTF2_ErrorCode error =
        OTF2_GlobalDefWriter_WriteLocationProperty(writer, location, f->lost.events,
                                                   OTF2_TYPE_UINT64, events);
    return error ? error
                 : OTF2_GlobalDefWriter_WriteLocationProperty(writer, location, f->lost.before,
                                                              OTF2_TYPE_UINT64, before);
}

static OTF2_ErrorCode put_stopped(const struct finish *f, OTF2_GlobalDefWriter *writer,
                                  const struct finish_process *p)
{
    const OTF2_AttributeValue why = {.stringRef = f->lost.why[reason_of(p)]};
    const OTF2_AttributeValue at = {.uint64 = p->head.stopped_at};
    OTF2_ErrorCode error =
        OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, p->location_group, f->lost.stopped,
                                                        OTF2_TYPE_STRING, why);
    if (error || !p->head.stopped_at)
        return error;
    return OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, p->location_group,
                                                           f->lost.stopped_at, OTF2_TYPE_UINT64,
                                                           at);
}

OTF2_ErrorCode finish_lost_properties(const struct finish *f, OTF2_GlobalDefWriter *writer)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint64_t i = 0; i < f->n_processes && !error; i++) {
        const struct finish_process *p = f->process[i];
        if (finish_lost_why(p))
            error = put_stopped(f, writer, p);
        for (uint64_t t = 0; t < p->n_threads && !error; t++)
            if (p->threads[t].dropped)
                error =
                    put_dropped(f, writer, finish_location_id(p, &p->threads[t]), &p->threads[t]);
    }
    return error;
}
