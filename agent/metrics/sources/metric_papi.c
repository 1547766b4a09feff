/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's metrics: the list of metrics, and the test for working metrics. */
#include "agent/metrics/sources/metric_papi.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static struct {
    uint32_t n;
    int code[SPUR_METRICS_MAX];
    char name[SPUR_METRICS_MAX][SPUR_METRIC_NAME];
} asked;

int spur_papi_code(uint64_t id)
{
    return id < asked.n ? asked.code[id] : 0;
}

static uint64_t note(const char *name, int code)
{
    uint32_t id = 0;
    while (id < asked.n && strcmp(asked.name[id], name) != 0)
        id++;
    if (id < SPUR_METRICS_MAX) {
        asked.code[id] = code;
        snprintf(asked.name[id], sizeof asked.name[id], "%s", name);
        asked.n += id == asked.n;
    }
    return id;
}

void spur_papi_look_up_again(const struct spur_papi *papi)
{
    for (uint32_t id = 0; id < asked.n; id++)
        (void)papi->PAPI_event_name_to_code(asked.name[id], &asked.code[id]);
}

/* The beginning of PAPI's description of an event. The beginning has been the same since PAPI 5. */
struct event_info {
    unsigned code;
    char symbol[1024];
    char short_text[64];
    char text[1024];
    int component;
    char unit[64];
    int location;
    int data_type;
    int value_type;
    int timescope;
    char more[60000]; /* the rest differs between versions */
};

/* PAPI's data types in OTF2's terms, and the meaning of a value by type and scope of time. */
static uint8_t value_type(const struct event_info *info)
{
    static const uint8_t types[] = {OTF2_TYPE_INT64, OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE,
                                    OTF2_TYPE_UINT64};
    return info->data_type >= 0 && info->data_type < (int)sizeof types ? types[info->data_type]
                                                                       : OTF2_TYPE_INT64;
}

static uint8_t mode_of(const struct event_info *info)
{
    enum { RUNNING_SUM, ABSOLUTE };
    static const uint8_t modes[] = {OTF2_METRIC_ACCUMULATED_START, OTF2_METRIC_RELATIVE_LAST,
                                    OTF2_METRIC_RELATIVE_NEXT, OTF2_METRIC_ABSOLUTE_POINT};
    if (info->value_type == ABSOLUTE)
        return OTF2_METRIC_ABSOLUTE_POINT;
    return info->timescope >= 0 && info->timescope < (int)sizeof modes
               ? modes[info->timescope]
               : OTF2_METRIC_ACCUMULATED_START;
}

static void describe(const struct event_info *info, const char *name, struct spur_metric *metric)
{
    snprintf(metric->name, sizeof metric->name, "%s", name);
    snprintf(metric->description, sizeof metric->description, "%.*s", SPUR_METRIC_TEXT - 1,
             info->text[0] ? info->text : info->short_text);
    snprintf(metric->unit, sizeof metric->unit, "%.*s", SPUR_METRIC_UNIT - 1,
             info->unit[0] ? info->unit : "#");
    metric->type = OTF2_METRIC_TYPE_PAPI;
    metric->mode = mode_of(info);
    metric->value = value_type(info);
    metric->base = OTF2_BASE_DECIMAL;
}

/* ---- working metrics ---- */

/*
 * Is this a software event of the kernel alone? If a user may count in user mode only, PAPI shows
 * these events as 0, without a warning.
 */
static bool is_of_kernel(const char *name)
{
    static const char *const parts[] = {"CONTEXT-SWITCHES", "CONTEXT_SWITCHES", "CPU-MIGRATIONS",
                                        "CPU_MIGRATIONS",   "CGROUP-SWITCHES",  "CGROUP_SWITCHES"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

/* Count the event for a moment: PAPI tells only then. */
static int try_event(const struct spur_papi *papi, int code)
{
    int set = SPUR_PAPI_NULL;
    long long value[1];
    int err = papi->PAPI_create_eventset(&set);
    if (err != SPUR_PAPI_OK)
        return err;
    err = papi->PAPI_add_event(set, code);
    if (err == SPUR_PAPI_OK)
        err = papi->PAPI_start(set);
    if (err == SPUR_PAPI_OK)
        err = papi->PAPI_stop(set, value);
    papi->PAPI_cleanup_eventset(set);
    papi->PAPI_destroy_eventset(&set);
    return err;
}

static const char switched_off[] = "PAPI has switched its counters off, as where its libpfm4 is "
                                   "older than the processor; perf:... needs no PAPI";

static enum spur_metric_state judge(const struct spur_papi *papi, int code, const char *name,
                                    char why[SPUR_METRIC_TEXT])
{
    int err = try_event(papi, code);
    why[0] = '\0';
    if (err == SPUR_PAPI_EPERM ||
        (err == SPUR_PAPI_OK && is_of_kernel(name) && !spur_metric_sees_kernel())) {
        spur_metric_say_rights(why);
        return SPUR_METRIC_NO_RIGHTS;
    }
    if (err == SPUR_PAPI_OK)
        return SPUR_METRIC_WORKS;
    bool is_absent = err == SPUR_PAPI_ENOEVNT || err == SPUR_PAPI_ENOCNTR;
    if (is_absent && !spur_metric_has_hardware())
        snprintf(why, SPUR_METRIC_TEXT, "%s", spur_metric_no_hardware);
    else if (is_absent)
        snprintf(why, SPUR_METRIC_TEXT, "this processor cannot count it");
    else if (err == SPUR_PAPI_ECMP_DISABLED)
        snprintf(why, SPUR_METRIC_TEXT, "%s", switched_off);
    else
        snprintf(why, SPUR_METRIC_TEXT, "PAPI: %s", papi->PAPI_strerror(err));
    return SPUR_METRIC_NOT_HERE;
}

/* ---- by name ---- */

static const char per_thread[] = "PAPI counts for each thread: name it in SPUR_METRICS";

static void take_missing(const char *name, void *data, spur_metric_take *take, const char *why)
{
    struct spur_metric metric = {.unit = "#"};
    snprintf(metric.name, sizeof metric.name, "%s", name);
    take(data, 0, &metric, SPUR_METRIC_NO_SOURCE, why);
}

/*
 * Is the name an event? PAPI accepts names of presets without an event behind the name, and other
 * names that are valid only in part.
 */
static bool is_event(const struct spur_papi *papi, const char *name, int *code,
                     struct event_info *info)
{
    if (papi->PAPI_event_name_to_code(name, code) != SPUR_PAPI_OK)
        return false;
    int err = papi->PAPI_get_event_info(*code, info);
    if (err != SPUR_PAPI_OK)
        return false;
    err = try_event(papi, *code);
    return err != SPUR_PAPI_ECMP && err != SPUR_PAPI_ENOSUPP && err != SPUR_PAPI_EINVAL;
}

/* Are perf events switched off? Then PAPI knows presets by name, and no events of the kernel. */
static bool is_switched_off(const struct spur_papi *papi, const char *name)
{
    int code = 0;
    return strncmp(name, "perf::", strlen("perf::")) == 0 &&
           papi->PAPI_event_name_to_code("PAPI_TOT_CYC", &code) == SPUR_PAPI_OK &&
           try_event(papi, code) == SPUR_PAPI_ECMP_DISABLED;
}

static bool find(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    char why[SPUR_METRIC_TEXT];
    int code = 0;
    const struct spur_papi *papi = spur_papi_get(why);
    if (!papi) {
        take_missing(name, data, take, why);
        return true;
    }
    struct event_info *info = spur_mem_new(sizeof *info);
    struct spur_metric metric = {.exponent = 0};
    spur_papi_begin();
    bool is_there = info && is_event(papi, name, &code, info);
    if (is_there) {
        describe(info, name, &metric);
        enum spur_metric_state state = judge(papi, code, name, why);
        if (state == SPUR_METRIC_WORKS && is_process)
            take(data, 0, &metric, SPUR_METRIC_NOT_HERE, per_thread);
        else
            take(data, state == SPUR_METRIC_WORKS ? note(name, code) : 0, &metric, state, why);
    } else if (is_switched_off(papi, name)) {
        take_missing(name, data, take, switched_off);
        is_there = true;
    }
    spur_papi_end();
    spur_mem_free(info, sizeof *info);
    return is_there;
}

/* ---- all ---- */

struct listing {
    const struct spur_papi *papi;
    struct event_info *info;
    bool is_judged;
    void *data;
    spur_metric_take *take;
};

static void take_code(const struct listing *l, int code)
{
    char why[SPUR_METRIC_TEXT] = "";
    struct spur_metric metric = {.exponent = 0};
    memset(l->info, 0, sizeof *l->info);
    if (l->papi->PAPI_get_event_info(code, l->info) != SPUR_PAPI_OK)
        return;
    l->info->symbol[sizeof l->info->symbol - 1] = '\0';
    describe(l->info, l->info->symbol, &metric);
    enum spur_metric_state state = SPUR_METRIC_WORKS;
    if (l->is_judged)
        state = judge(l->papi, code, metric.name, why);
    l->take(l->data, (uint64_t)(uint32_t)code, &metric, state, why);
}

static void list_presets(const struct listing *l)
{
    int code = (int)0x80000000;
    if (l->papi->PAPI_enum_event(&code, SPUR_PAPI_ENUM_FIRST) != SPUR_PAPI_OK)
        return;
    do {
        take_code(l, code);
    } while (l->papi->PAPI_enum_event(&code, SPUR_PAPI_ENUM_EVENTS) == SPUR_PAPI_OK);
}

static void list_natives(const struct listing *l)
{
    for (int component = 0; component < l->papi->PAPI_num_components(); component++) {
        int code = SPUR_PAPI_NATIVE_MASK;
        if (l->papi->PAPI_enum_cmp_event(&code, SPUR_PAPI_ENUM_FIRST, component) != SPUR_PAPI_OK)
            continue;
        do {
            take_code(l, code);
        } while (l->papi->PAPI_enum_cmp_event(&code, SPUR_PAPI_ENUM_EVENTS, component) ==
                 SPUR_PAPI_OK);
    }
}

static void list(bool is_judged, void *data, spur_metric_take *take)
{
    char why[SPUR_METRIC_TEXT];
    struct listing l = {.papi = spur_papi_get(why),
                        .is_judged = is_judged,
                        .data = data,
                        .take = take};
    if (!l.papi) {
        take_missing("PAPI_*", data, take, why);
        return;
    }
    l.info = spur_mem_new(sizeof *l.info);
    if (!l.info)
        return;
    spur_papi_begin();
    list_presets(&l);
    list_natives(&l);
    spur_papi_look_up_again(l.papi);
    spur_papi_end();
    spur_mem_free(l.info, sizeof *l.info);
}

METRIC_SOURCE(papi, .title = "PAPI", .prefix = "", .find = find, .list = list,
              .open = spur_papi_open, .read = spur_papi_read, .close = spur_papi_close,
              .after_fork = spur_papi_after_fork)
