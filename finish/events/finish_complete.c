/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/wait.h>

#include <otf2x/otf2x.h>

#include "finish/events/finish_moving.h"
#include "finish/events/finish_open.h"
#include "finish/state/finish_trouble.h"
#include "format/wire.h"

/* ---- values without their owner ---- */

/* The last event of a chunk, if the event is a Metric. */
struct last_metric {
    uint64_t begin; /* end of the events before */
    uint64_t end;
    bool is_last;
    uint32_t metric;
};

static void see_metric(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    enum { SHORT_FRAME = 2, LONG_FRAME = 10 };
    struct last_metric *last = data;
    last->begin = last->end;
    last->end = chunk->used;
    last->is_last = chunk->event == OTF2_EVT_ID_Metric;
    if (last->is_last)
        last->metric = finish_chunk_c32(at + (at[1] == OTF2_WIRE_LONG ? LONG_FRAME : SHORT_FRAME));
}

/*
 * Drop values without an owner: the process died, or a jump left the record, between the values and
 * the owning event. The agent writes values and owner to the same chunk.
 */
static void drop_lone_values(struct finish_moving *m)
{
    struct last_metric last = {.end = OTF2_FRAME_HEADER_BYTES};
    struct finish_chunk chunk;
    if (!m->used || !m->p->head.paired_metric)
        return;
    (void)finish_chunk_walk(m->block, m->used, &chunk, &last, see_metric);
    if (!last.is_last || last.metric != m->p->head.paired_metric - 1)
        return;
    (void)finish_chunk_scan(m->block, last.begin, &m->chunk);
    m->used = m->chunk.used;
}

/* ---- open regions ---- */

/*
 * The process may have died between writing an Enter or Leave and noting the change, or between
 * noting the taking back of an event and doing so. Therefore the events in the open chunk decide.
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

/* The process died after the end of the thread was written and before the slot said so. */
static bool has_ended(const struct finish_moving *m)
{
    uint8_t last = m->used && m->chunk.events ? m->chunk.event : 0;
    return last == OTF2_EVT_ID_ProgramEnd || (last == OTF2_EVT_ID_ThreadEnd && !m->slot->is_main);
}

/* The thread was there until the process died, whatever the thread waited for. */
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

/*
 * The thread was creating a thread that had begun already; perhaps only the note about the record
 * is missing.
 */
static OTF2_ErrorCode put_created(const struct finish_moving *m, OTF2_EvtWriter *writer,
                                  OTF2_AttributeList *list)
{
    uint64_t creating = m->slot->creating;
    uint32_t contingent = spur_creating_contingent(creating);
    bool is_put = m->used && m->chunk.events && m->chunk.event == OTF2_EVT_ID_ThreadCreate;
    if (!(creating & SPUR_CREATING_BEGUN) || is_put ||
        contingent >= m->p->map.of[SPUR_SPACE_COMM].n)
        return OTF2_SUCCESS;
    return OTF2_EvtWriter_ThreadCreate(writer, mark(m, list), m->t->last, contingent,
                                       spur_creating_number(creating));
}

/*
 * Write the number of the calls that are only counted, up to the end of the thread's events. The
 * record may repeat the last record.
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

/*
 * A call entered while recording was paused counts from the time when recording was to go on: the
 * process was alive when the resumption was asked for.
 */
static OTF2_ErrorCode put_standing(struct finish_moving *m, OTF2_EvtWriter *writer,
                                   OTF2_AttributeList *list, uint32_t *region)
{
    const struct spur_segment *head = &m->p->head;
    const uint64_t on = head->on_at, off = head->off_at;
    *region = m->slot->waiting.paused - 1;
    if (*region >= m->p->map.of[SPUR_SPACE_REGION].n || on <= m->t->last) {
        *region = OTF2_UNDEFINED_REGION;
        return OTF2_SUCCESS;
    }
    m->t->last = off > on ? off : on;
    OTF2_ErrorCode error =
        OTF2_EvtWriter_MeasurementOnOff(writer, mark(m, list), on, OTF2_MEASUREMENT_ON);
    if (!error)
        error = OTF2_EvtWriter_Enter(writer, mark(m, list), on, *region);
    if (!error && off > on)
        error = OTF2_EvtWriter_MeasurementOnOff(writer, mark(m, list), off, OTF2_MEASUREMENT_OFF);
    return error;
}

static int64_t status_of(const struct finish_process *p)
{
    return p->end.is_seen && WIFEXITED(p->end.status) ? WEXITSTATUS(p->end.status)
                                                      : OTF2_UNDEFINED_INT64;
}

/* False: the thread died before its begin was written, and has no events at all. */
static bool has_begun(OTF2_EvtWriter *writer)
{
    uint64_t events = 0;
    return OTF2_EvtWriter_GetNumberOfEvents(writer, &events) == OTF2_SUCCESS && events > 0;
}

static OTF2_ErrorCode close_regions(struct finish_moving *m, OTF2_EvtWriter *writer,
                                    OTF2_AttributeList *list)
{
    const struct spur_slot *slot = m->slot;
    uint32_t standing = OTF2_UNDEFINED_REGION;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (has_ended(m))
        return OTF2_SUCCESS;
    error = put_short_calls(m, writer);
    if (!error)
        error = put_created(m, writer, list);
    if (!error)
        error = put_standing(m, writer, list, &standing);
    const uint64_t time = end_of(m);
    uint32_t depth = true_depth(m);
    if (!error && has_begun(writer))
        error = finish_stands(m, writer, depth + (standing != OTF2_UNDEFINED_REGION), time);
    if (!error && standing != OTF2_UNDEFINED_REGION)
        error = OTF2_EvtWriter_Leave(writer, mark(m, list), time, standing);
    while (depth-- > 0 && !error) {
        uint32_t word = depth < SPUR_SLOT_REGIONS ? slot->region[depth] : SPUR_OPEN_ID;
        error = close_one(m, writer, mark(m, list), word);
    }
    if (!error && slot->has_thread_begin && slot->contingent < m->p->map.of[SPUR_SPACE_COMM].n)
        error = OTF2_EvtWriter_ThreadEnd(writer, mark(m, list), time, slot->contingent,
                                         OTF2_UNDEFINED_UINT64);
    if (!error && slot->is_main && has_begun(writer))
        error = OTF2_EvtWriter_ProgramEnd(writer, mark(m, list), time, status_of(m->p));
    m->t->last = time;
    return error;
}

int finish_complete(struct finish_moving *m)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(m->f->archive, m->id);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_ErrorCode error = writer && list ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    drop_lone_values(m);
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
    return finish_check(m->f, error, finish_out_name(&m->out));
}
