/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/wait.h>

#include <otf2x/otf2x.h>

#include "agent/finish_moving.h"
#include "agent/finish_open.h"

enum { THREAD_CREATE = 62, THREAD_END = 65, PROGRAM_END = 84 };

/*
 * The process may have died between writing what opens or closes something and noting it, or
 * between noting that it takes something back and doing so: what the open chunk says counts.
 */
static uint32_t true_depth(struct finish_moving *m)
{
    struct finish_open open = {m->slot->region, m->is_begun ? m->begun_depth : m->slot->depth};
    finish_open_follow(&open, m->block, m->is_begun ? m->used : 0);
    return open.depth;
}

static OTF2_AttributeList *mark(const struct finish_moving *m, OTF2_AttributeList *list)
{
    uint32_t local = (uint32_t)m->p->map.of[SPUR_SPACE_ATTRIBUTE].n - 1;
    OTF2_AttributeList_AddUint8(list, local, 1);
    m->f->repaired++;
    return list;
}

/* The process died after it had ended this thread and before it said so. */
static bool has_ended(const struct finish_moving *m)
{
    uint8_t last = m->used && m->chunk.events ? m->chunk.event : 0;
    return last == PROGRAM_END || (last == THREAD_END && !m->slot->is_main);
}

/* The thread was there until its process died, whatever it waited for. */
static uint64_t end_of(const struct finish_moving *m)
{
    return m->p->end.ticks > m->t->last ? m->p->end.ticks : m->t->last;
}

static OTF2_ErrorCode close_one(const struct finish_moving *m, OTF2_EvtWriter *writer,
                                OTF2_AttributeList *list, uint32_t word)
{
    uint32_t id = word & SPUR_OPEN_ID;
    uint64_t time = end_of(m);
    switch (word & ~(uint32_t)SPUR_OPEN_ID) {
    case SPUR_OPEN_TEAM:
        return id < m->p->map.of[SPUR_SPACE_COMM].n
                   ? OTF2_EvtWriter_ThreadTeamEnd(writer, list, time, id)
                   : OTF2_SUCCESS;
    case SPUR_OPEN_FORK:
        return OTF2_EvtWriter_ThreadJoin(writer, list, time, (OTF2_Paradigm)id);
    case SPUR_OPEN_CONTEXT:
        return id < m->p->map.of[SPUR_SPACE_CALLING_CONTEXT].n
                   ? OTF2_EvtWriter_CallingContextLeave(writer, list, time, id)
                   : OTF2_SUCCESS;
    default:
        if (word >= m->p->map.of[SPUR_SPACE_REGION].n)
            word = OTF2_UNDEFINED_REGION;
        return OTF2_EvtWriter_Leave(writer, list, time, word);
    }
}

/* It was creating a thread that had begun already; the record may just not be taken note of. */
static OTF2_ErrorCode put_created(const struct finish_moving *m, OTF2_EvtWriter *writer,
                                  OTF2_AttributeList *list)
{
    uint64_t creating = m->slot->creating;
    uint32_t contingent = spur_creating_contingent(creating);
    bool is_put = m->used && m->chunk.events && m->chunk.event == THREAD_CREATE;
    if (!(creating & SPUR_CREATING_BEGUN) || is_put ||
        contingent >= m->p->map.of[SPUR_SPACE_COMM].n)
        return OTF2_SUCCESS;
    return OTF2_EvtWriter_ThreadCreate(writer, mark(m, list), m->t->last, contingent,
                                       spur_creating_number(creating));
}

/*
 * The calls that are only counted, up to the end of its events. The record may say again what the
 * last one said.
 */
static OTF2_ErrorCode put_short_calls(struct finish_moving *m, OTF2_EvtWriter *writer)
{
    static const OTF2_Type type[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    const struct spur_slot *slot = m->slot;
    const OTF2_MetricValue value[] = {{.unsigned_int = slot->short_calls},
                                      {.unsigned_int = slot->short_ns}};
    uint32_t class = m->p->head.short_metric - 1;
    if (class >= m->p->map.of[SPUR_SPACE_METRIC].n)
        return OTF2_SUCCESS;
    m->f->short_calls += slot->short_calls;
    if (slot->short_calls == slot->short_told)
        return OTF2_SUCCESS;
    return OTF2_EvtWriter_Metric(writer, NULL, m->t->last, class, 2, type, value);
}

static int64_t status_of(const struct finish_process *p)
{
    return p->end.is_seen && WIFEXITED(p->end.status) ? WEXITSTATUS(p->end.status)
                                                      : OTF2_UNDEFINED_INT64;
}

static OTF2_ErrorCode close_regions(struct finish_moving *m, OTF2_EvtWriter *writer,
                                    OTF2_AttributeList *list)
{
    const struct spur_slot *slot = m->slot;
    uint64_t time = end_of(m);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (has_ended(m))
        return OTF2_SUCCESS;
    error = put_short_calls(m, writer);
    if (!error)
        error = put_created(m, writer, list);
    for (uint32_t depth = true_depth(m); depth-- > 0 && !error;) {
        uint32_t word = depth < SPUR_SLOT_REGIONS ? slot->region[depth] : SPUR_OPEN_ID;
        error = close_one(m, writer, mark(m, list), word);
    }
    if (!error && slot->has_thread_begin && slot->contingent < m->p->map.of[SPUR_SPACE_COMM].n)
        error = OTF2_EvtWriter_ThreadEnd(writer, mark(m, list), time, slot->contingent,
                                         OTF2_UNDEFINED_UINT64);
    if (!error && slot->is_main)
        error = OTF2_EvtWriter_ProgramEnd(writer, mark(m, list), time, status_of(m->p));
    m->t->last = time;
    return error;
}

int finish_complete(struct finish_moving *m)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(m->f->archive, m->id);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_ErrorCode error = writer && list ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    if (!error && (m->used || m->t->has_file || m->t->is_live)) {
        error = OTF2X_EvtWriter_Adopt(writer, m->used ? m->block : NULL, m->used);
        if (error == OTF2_ERROR_INTEGRITY_FAULT && m->used)
            error = OTF2X_EvtWriter_Adopt(writer, NULL, 0);
    }
    if (!error && m->t->is_live)
        error = close_regions(m, writer, list);
    if (!error)
        error = OTF2_EvtWriter_GetNumberOfEvents(writer, &m->t->events);
    if (writer) {
        OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(m->f->archive, writer);
        error = error ? error : closed;
    }
    if (list)
        OTF2_AttributeList_Delete(list);
    return finish_check(m->f, error, m->path);
}
