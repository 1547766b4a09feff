/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/metrics/metrics.h"

#include <errno.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metric_run.h"
#include "agent/metrics/perf_opening.h"
#include "agent/record/location.h"
#include "agent/segment/buffer.h"
#include "agent/spur_attached.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "session/properties.h"
#include "writer/evt_inline.h"

/* Bit of an Enter's depth; deeper regions have no values unless all regions have values. */
enum { DEPTHS = 64 };

struct spur_metrics {
    const struct spur_thread_state *owner; /* only this thread can read the metrics */
    struct spur_metric_readers readers;
    bool has_readers;
    bool is_pending;   /* `value` was read and is to be written */
    uint32_t skipped;  /* Enters since the last Enter with values */
    uint64_t recorded; /* bits of the open regions with values at their Enter */
    OTF2_MetricValue value[SPUR_METRICS_MAX];
    OTF2_MetricValue sampled[SPUR_METRICS_MAX];
};

static struct {
    struct spur_metric_choice *choice; /* NULL: no metrics */
    struct spur_metric_when when;
    bool is_strict;
    char bad_word[SPUR_METRIC_NAME]; /* of SPUR_METRICS_AT */
    OTF2_MetricRef class;
    OTF2_Type type[SPUR_METRICS_MAX];
    struct spur_metric_readers main; /* of the main thread, opened at the start */
    bool has_main;
} metrics = {.class = OTF2_UNDEFINED_METRIC};

/* ---- readers ---- */

void spur_metric_close_readers(struct spur_metric_readers *readers, enum spur_metric_closer by)
{
    for (int i = 0; i < SPUR_METRIC_SOURCES; i++)
        if (readers->of[i])
            spur_metric_sources[i]->close(readers->of[i], by);
    *readers = (struct spur_metric_readers){.of = {NULL}};
}

bool spur_metric_open_readers(const struct spur_metric_choice *choice,
                              struct spur_metric_readers *readers, char why[SPUR_METRIC_TEXT])
{
    *readers = (struct spur_metric_readers){.of = {NULL}};
    for (int i = 0; i < SPUR_METRIC_SOURCES; i++) {
        if (!choice->group[i].n)
            continue;
        readers->of[i] = spur_metric_sources[i]->open(&choice->group[i], why);
        if (!readers->of[i]) {
            spur_metric_close_readers(readers, SPUR_METRIC_BY_OWNER);
            return false;
        }
    }
    return true;
}

bool spur_metric_read_all(const struct spur_metric_choice *choice,
                          struct spur_metric_readers *readers, OTF2_MetricValue *value)
{
    uint64_t *read = readers->value;
    int saved = errno;
    bool is_read = true;
    for (int i = 0; i < SPUR_METRIC_SOURCES && is_read; i++) {
        if (!readers->of[i])
            continue;
        is_read = spur_metric_sources[i]->read(readers->of[i], read);
        for (uint32_t n = 0; n < choice->group[i].n && is_read; n++)
            value[choice->at[i][n]].unsigned_int = read[n];
    }
    errno = saved;
    return is_read;
}

/* ---- definitions ---- */

OTF2_MetricRef spur_metric_define_class(const struct spur_metric_choice *choice,
                                        OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    uint64_t member[SPUR_METRICS_MAX];
    for (uint32_t i = 0; i < choice->n; i++)
        member[i] = spur_def_metric_member(&choice->metric[i]);
    return spur_def_metric_class(choice->n, member, occurrence, kind);
}

void spur_metric_types(const struct spur_metric_choice *choice, OTF2_Type *type)
{
    for (uint32_t i = 0; i < choice->n; i++)
        type[i] = choice->metric[i].value;
}

static bool is_chosen(void)
{
    return metrics.choice && metrics.choice->n > 0;
}

void spur_metric_start(void)
{
    const struct spur_config *config = &spur_settings;
    char why[SPUR_METRIC_TEXT];
    if (spur_state_now() != SPUR_ARMED)
        return;
    int saved = errno;
    spur_inside_begin();
    spur_metric_parse_when(config->metrics_at, &metrics.when, metrics.bad_word,
                           sizeof metrics.bad_word);
    metrics.is_strict = metrics.when.families == UINT64_MAX && metrics.when.every == 1;
    if (config->metrics)
        metrics.choice =
            spur_metric_choose("SPUR_METRICS", config->metrics, SPUR_METRICS_OF_THREAD);
    if (is_chosen())
        metrics.has_main = spur_metric_open_readers(metrics.choice, &metrics.main, why);
    spur_metric_async_start(config->metrics_async);
    spur_metric_host_start(config->metrics_async);
    spur_inside_end();
    errno = saved;
}

static void note_missing(const struct spur_metric_choice *choice)
{
    char names[2 * SPUR_METRIC_TEXT];
    if (choice && spur_metric_missing(choice, names, sizeof names))
        spur_def_property(SPUR_PROPERTY_METRICS_MISSING, names);
}

void spur_metric_define(void)
{
    note_missing(metrics.choice);
    note_missing(spur_metric_async_choice());
    note_missing(spur_metric_host_choice());
    if (is_chosen()) {
        metrics.class = spur_metric_define_class(metrics.choice,
                                                 metrics.is_strict ? OTF2_METRIC_SYNCHRONOUS_STRICT
                                                                   : OTF2_METRIC_SYNCHRONOUS,
                                                 OTF2_RECORDER_KIND_CPU);
        spur_metric_types(metrics.choice, metrics.type);
    }
    struct spur_segment *segment = spur_buffer_segment();
    if (segment && metrics.class != OTF2_UNDEFINED_METRIC)
        segment->paired_metric = metrics.class + 1;
    spur_metric_async_define();
    spur_metric_host_define();
}

static bool complains(const struct spur_metric_choice *choice)
{
    return choice && choice->n_complaints > 0;
}

bool spur_metric_has_complaints(void)
{
    return metrics.bad_word[0] || complains(metrics.choice) ||
           complains(spur_metric_async_choice()) || complains(spur_metric_host_choice());
}

static void say(const char *line)
{
    spur_log("%s", line);
}

void spur_metric_complain(void)
{
    if (metrics.bad_word[0])
        spur_log("SPUR_METRICS_AT=%s is neither all, nor a family of calls, nor every=NUMBER%s",
                 metrics.bad_word, spur_is_attached() ? "" : "; ignored");
    if (metrics.choice)
        spur_metric_each_complaint(metrics.choice, say);
    if (spur_metric_async_choice())
        spur_metric_each_complaint(spur_metric_async_choice(), say);
    if (spur_metric_host_choice())
        spur_metric_each_complaint(spur_metric_host_choice(), say);
}

/* ---- metrics of a thread ---- */

static bool open_own(struct spur_loc *loc, struct spur_metrics *m)
{
    char why[SPUR_METRIC_TEXT] = "";
    if (!is_chosen() || metrics.class == OTF2_UNDEFINED_METRIC)
        return false;
    if (loc->thread == 0 && metrics.has_main) {
        m->readers = metrics.main;
        metrics.has_main = false;
        return true;
    }
    bool is_open = spur_metric_open_readers(metrics.choice, &m->readers, why);
    if (!is_open)
        spur_say("a thread has no metrics: %s", why);
    return is_open;
}

void spur_metric_attach(struct spur_loc *loc)
{
    spur_gauge_open();
    if (!is_chosen() && !spur_metric_async_choice() && !spur_metric_host_choice())
        return;
    struct spur_metrics *m = spur_mem_new(sizeof *m);
    if (!m)
        return;
    m->owner = &spur_self;
    m->has_readers = open_own(loc, m);
    loc->metrics = m;
    atomic_fetch_or_explicit(&loc->gate, SPUR_GATE_METRICS, memory_order_relaxed);
    spur_metric_async_open();
    spur_metric_host_open();
}

static void detach(struct spur_loc *loc, enum spur_metric_closer by)
{
    struct spur_metrics *m = loc->metrics;
    if (!m)
        return;
    if (by != SPUR_METRIC_BY_CHILD && m->owner == &spur_self)
        by = SPUR_METRIC_BY_OWNER;
    loc->metrics = NULL;
    spur_metric_close_readers(&m->readers, by);
    spur_mem_free(m, sizeof *m);
}

void spur_metric_detach(struct spur_loc *loc)
{
    detach(loc, SPUR_METRIC_BY_OTHER);
}

/* The counters are gone: for example, the program has closed the descriptors. */
static void give_up_here(struct spur_metrics *m)
{
    m->has_readers = false;
    spur_say("metrics can no longer be read: the program closed their descriptors, or their source "
             "failed; everything else is recorded");
}
static void give_up(struct spur_metrics *m);
SPUR_DOOR_VOID(give_up, (struct spur_metrics *, m))

static bool read_own(struct spur_metrics *m)
{
    bool is_read = spur_metric_read_all(metrics.choice, &m->readers, m->value);
    if (!is_read)
        give_up(m);
    return is_read;
}

static bool is_wanted(struct spur_metrics *m, uint8_t family)
{
    if (!(metrics.when.families >> family & 1))
        return false;
    if (++m->skipped < metrics.when.every)
        return false;
    m->skipped = 0;
    return true;
}

void spur_metric_enter(struct spur_loc *loc, uint8_t family)
{
    struct spur_metrics *m = loc->metrics;
    if (!m)
        return;
    spur_metric_async_poll();
    spur_metric_host_poll();
    if (!m->has_readers || m->owner != &spur_self)
        return;
    uint32_t depth = loc->slot->depth;
    uint64_t bit = depth < DEPTHS ? (uint64_t)1 << depth : 0;
    m->recorded &= ~bit;
    if (!metrics.is_strict && (!bit || !is_wanted(m, family)))
        return;
    m->is_pending = read_own(m);
    m->recorded |= m->is_pending ? bit : 0;
}

/* A function apart: on the way to a new chunk, the values take no room of the caller's stack. */
static __attribute__((noinline, cold)) OTF2_ErrorCode go_on(struct spur_loc *loc, uint64_t room)
{
    struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    uint8_t *at;
    OTF2_ErrorCode error = otf2_evt_prepare(cursor, NULL, loc->now, room, &at);
    if (!error)
        otf2_evt_end(cursor, loc->now, 0, at);
    return error;
}

/*
 * Makes room in the chunk for values and for their owner. So if a chunk ends, or the process ends
 * on the way to another chunk, values and owner end together.
 */
static OTF2_ErrorCode make_room(struct spur_loc *loc)
{
    enum {
        ROOM_OF_LENGTH = 9,
        ROOM_OF_VALUE = 1 + 9,
        ROOM_OF_OWNER = OTF2_EVT_ROOM_CallingContextSample
    };
    _Static_assert((int)ROOM_OF_OWNER >= (int)OTF2_EVT_ROOM_CallingContextEnter &&
                       (int)ROOM_OF_OWNER >= (int)OTF2_EVT_ROOM_CallingContextLeave &&
                       (int)ROOM_OF_OWNER >= (int)OTF2_EVT_ROOM_Enter &&
                       (int)ROOM_OF_OWNER >= (int)OTF2_EVT_ROOM_Leave,
                   "what values may belong to");
    const struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    uint64_t room = OTF2_EVT_ROOM_Metric + ROOM_OF_LENGTH + ROOM_OF_OWNER +
                    (uint64_t)metrics.choice->n * ROOM_OF_VALUE;
    return room < (uint64_t)(cursor->end - cursor->pos) ? OTF2_SUCCESS : go_on(loc, room);
}

static void write_values(struct spur_loc *loc, const OTF2_MetricValue *value)
{
    OTF2_ErrorCode error = make_room(loc);
    if (!error)
        error = otf2_evt_put_Metric(&loc->slot->cursor, NULL, loc->now, metrics.class,
                                    (uint8_t)metrics.choice->n, metrics.type, value);
    if (error != OTF2_SUCCESS)
        spur_loc_fail(loc, error);
}

void spur_metric_put(struct spur_loc *loc)
{
    struct spur_metrics *m = loc->metrics;
    if (!m || !m->is_pending)
        return;
    m->is_pending = false;
    write_values(loc, m->value);
}

void spur_metric_leave(struct spur_loc *loc)
{
    struct spur_metrics *m = loc->metrics;
    if (!m)
        return;
    spur_metric_host_poll(); /* a wait is over: values of the time without any records */
    if (!m->has_readers || m->owner != &spur_self)
        return;
    uint32_t depth = loc->slot->depth;
    bool had = depth > 0 && depth <= DEPTHS && m->recorded >> (depth - 1) & 1;
    if ((metrics.is_strict || had) && read_own(m))
        write_values(loc, m->value);
}

uint32_t spur_metric_sample_count(const struct spur_loc *loc)
{
    const struct spur_metrics *m = loc->metrics;
    bool is_safe = m && m->has_readers && m->owner == &spur_self &&
                   !m->readers.of[SPUR_METRIC_SOURCE_papi] &&
                   !m->readers.of[SPUR_METRIC_SOURCE_plugin];
    return is_safe ? metrics.choice->n : 0;
}

bool spur_metric_sample_read(struct spur_loc *loc, OTF2_MetricValue *to)
{
    return spur_metric_read_all(metrics.choice, &loc->metrics->readers, to);
}

const OTF2_MetricValue *spur_metric_sample_now(struct spur_loc *loc)
{
    OTF2_MetricValue *to = spur_metric_sample_count(loc) ? loc->metrics->sampled : NULL;
    return to && spur_metric_sample_read(loc, to) ? to : NULL;
}

void spur_metric_sample_write(struct spur_loc *loc, const OTF2_MetricValue *value)
{
    write_values(loc, value);
}

bool spur_metric_is_due(const struct spur_loc *loc)
{
    return loc->metrics && loc->metrics->is_pending;
}

/* ---- the process ---- */

void spur_metric_end(void)
{
    spur_metric_async_end();
    spur_metric_host_end();
    spur_gauge_end();
}

void spur_metric_after_fork(struct spur_loc *locations)
{
    spur_lock_reset(&spur_perf_opening);
    for (struct spur_loc *loc = locations; loc; loc = loc->next)
        detach(loc, SPUR_METRIC_BY_CHILD);
    if (metrics.has_main)
        spur_metric_close_readers(&metrics.main, SPUR_METRIC_BY_CHILD);
    metrics.has_main = false;
    metrics.class = OTF2_UNDEFINED_METRIC;
    for (int i = 0; i < SPUR_METRIC_SOURCES; i++)
        if (metrics.choice && metrics.choice->group[i].n && spur_metric_sources[i]->after_fork)
            spur_metric_sources[i]->after_fork();
    spur_metric_async_after_fork();
    spur_metric_host_after_fork();
    spur_gauge_after_fork();
}
