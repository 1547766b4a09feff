/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/sampling/sample_write.h"

#include <linux/perf_event.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metrics.h"
#include "agent/stacks/context.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "base/mem.h"
#include "session/properties.h"
#include "session/segment.h"
#include "writer/evt_inline.h"

enum { SHIFT = 32 };

static enum spur_sample_kind kind_of_all;

void spur_sample_write_start(enum spur_sample_kind kind)
{
    kind_of_all = kind;
}

/* ---- definitions ---- */

const char *spur_sample_name(void)
{
    const struct spur_sample_setting *setting = &spur_settings.sample;
    return setting->event                    ? setting->event
           : kind_of_all == SPUR_SAMPLE_PERF ? "CPU time in user mode"
                                             : "CPU time";
}

/* Its period is ns. */
static bool is_time(const struct spur_sample_setting *setting)
{
    return setting->type == PERF_TYPE_SOFTWARE && (setting->config == PERF_COUNT_SW_TASK_CLOCK ||
                                                   setting->config == PERF_COUNT_SW_CPU_CLOCK);
}

static uint32_t define_generator(void)
{
    enum { NANO = -9, NS = 1000000000 };
    const struct spur_sample_setting *setting = &spur_settings.sample;
    const char *name = spur_sample_name();
    uint64_t ns = setting->hz ? NS / setting->hz : is_time(setting) ? setting->period : 0;
    return ns ? spur_def_interrupt_generator(name, OTF2_INTERRUPT_GENERATOR_MODE_TIME, NANO, ns)
              : spur_def_interrupt_generator(name, OTF2_INTERRUPT_GENERATOR_MODE_COUNT, 0,
                                             setting->period);
}

static uint32_t define_recording(void)
{
    static const struct spur_call call = {.name = SPUR_RECORDING,
                                          .group = "work of the agent itself",
                                          .role = OTF2_REGION_ROLE_ARTIFICIAL,
                                          .paradigm = OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                                          .family = SPUR_FAMILY_PROCESS};
    return spur_def_region(&call);
}

/* A definition of this process; *known is generation << SHIFT | definition + 1. */
static uint32_t defined(_Atomic uint64_t *known, uint32_t (*define)(void))
{
    uint64_t now = atomic_load_explicit(known, memory_order_relaxed);
    if (now && now >> SHIFT == spur_process.generation)
        return (uint32_t)now - 1;
    uint32_t id = define();
    if (id != OTF2_UNDEFINED_UINT32)
        atomic_store_explicit(known, (uint64_t)spur_process.generation << SHIFT | (id + 1),
                              memory_order_relaxed);
    return id;
}

static uint32_t generator(void)
{
    static _Atomic uint64_t known;
    return defined(&known, define_generator);
}

uint32_t spur_sample_recording(uint32_t context)
{
    static _Atomic uint64_t known;
    uint32_t region = defined(&known, define_recording);
    uint32_t below = spur_context_region(context, region, NULL);
    return below == OTF2_UNDEFINED_CALLING_CONTEXT ? context : below;
}

/* ---- records ---- */

/* Those that are given, or of this moment. */
static void write_values(struct spur_loc *loc, const OTF2_MetricValue *value)
{
    if (!value)
        value = spur_metric_sample_now(loc);
    if (value)
        spur_metric_sample_write(loc, value);
}

static uint32_t write_with(struct spur_loc *loc, const OTF2_MetricValue *value, uint32_t context,
                           uint32_t times)
{
    uint32_t source = generator();
    uint32_t written = 0;
    if (context == OTF2_UNDEFINED_CALLING_CONTEXT || source == OTF2_UNDEFINED_UINT32)
        return 0;
    for (; written < times; written++) {
        write_values(loc, value);
        OTF2_ErrorCode error =
            otf2_evt_put_CallingContextSample(&loc->slot->cursor, NULL, loc->now, context,
                                              SPUR_DISTANCE_LATER, source);
        if (error != OTF2_SUCCESS) {
            spur_loc_fail(loc, error);
            break;
        }
    }
    return written;
}

uint32_t spur_sample_write(struct spur_loc *loc, uint32_t context, uint32_t times)
{
    return write_with(loc, NULL, context, times);
}

/* ---- those that are held ---- */

/* Some seconds of a call at the usual rates, which is more than a call takes that writes late. */
enum { FIRST_HELD = 64, HELD_MAX = 1024 };

static bool has_room(struct spur_sample_hold *hold, uint32_t held, uint32_t values)
{
    uint32_t more = hold->room ? 2 * hold->room : FIRST_HELD;
    if (held == hold->room) {
        struct spur_sample_held *at =
            more > HELD_MAX ? NULL : spur_mem_resize(hold->at, held, &hold->room, more, sizeof *at);
        if (!at)
            return false;
        hold->at = at;
    }
    uint32_t wanted = (held + 1) * values;
    if (wanted > hold->value_room) {
        OTF2_MetricValue *value = spur_mem_resize(hold->value, held * values, &hold->value_room,
                                                  hold->room * values, sizeof *value);
        if (!value)
            return false;
        hold->value = value;
    }
    return true;
}

bool spur_sample_keep(struct spur_sample_hold *hold, struct spur_loc *loc,
                      const struct spur_sample_held *sample)
{
    uint32_t held = spur_self.held, values = spur_metric_sample_count(loc);
    if (!has_room(hold, held, values) ||
        (values && !spur_metric_sample_read(loc, hold->value + (size_t)held * values)))
        return false;
    hold->at[held] = *sample;
    spur_self.held = held + 1;
    return true;
}

uint32_t spur_sample_write_held(struct spur_sample_hold *hold, struct spur_loc *loc,
                                uint64_t latest, uint32_t *times)
{
    uint32_t n = spur_self.held, written = 0;
    uint32_t values = spur_metric_sample_count(loc);
    *times = 0;
    spur_self.held = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct spur_sample_held *sample = &hold->at[i];
        spur_loc_move(loc, sample->time < latest ? sample->time : latest);
        *times += sample->times;
        written += write_with(loc, values ? hold->value + (size_t)i * values : NULL,
                              sample->context, sample->times);
    }
    return written;
}

void spur_sample_hold_free(struct spur_sample_hold *hold)
{
    spur_mem_free(hold->at, hold->room * sizeof *hold->at);
    spur_mem_free(hold->value, hold->value_room * sizeof *hold->value);
    *hold = (struct spur_sample_hold){.at = NULL};
}
