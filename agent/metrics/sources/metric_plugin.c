/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics "plugin:FILE" and "plugin:FILE#NAME": shared objects as include/spur/metric.h tells. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <spur/metric.h>

#include "agent/metrics/metric_source.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/system_words.h"

enum { PLUGINS = 16, PATH_BYTES = 4096, NUMBER_SHIFT = 32 };

static struct plugin {
    char path[PATH_BYTES];
    const struct spur_metric_functions *functions; /* NULL: it cannot be used */
    char why[SPUR_METRIC_TEXT];
} plugins[PLUGINS];

static uint32_t n_plugins;

/* ---- loading ---- */

static const struct spur_metric_functions *ask(void *object, struct plugin *plugin)
{
    const struct spur_metric_functions *(*entry)(void);
    void *address = dlsym(object, "spur_metric_plugin");
    if (!address) {
        snprintf(plugin->why, sizeof plugin->why, "it does not define spur_metric_plugin()");
        return NULL;
    }
    memcpy(&entry, &address, sizeof entry); /* ISO C knows no cast from data to function */
    const struct spur_metric_functions *functions = entry();
    bool is_whole = functions && functions->version == SPUR_METRIC_VERSION &&
                    functions->size >= sizeof *functions && functions->count && functions->info &&
                    functions->read;
    if (!is_whole) {
        snprintf(plugin->why, sizeof plugin->why,
                 "it was made for another version of spur/metric.h, this is %d",
                 SPUR_METRIC_VERSION);
        return NULL;
    }
    return functions;
}

static void start(struct plugin *plugin)
{
    int err = plugin->functions->init ? plugin->functions->init() : 0;
    if (err) {
        plugin->functions = NULL;
        snprintf(plugin->why, sizeof plugin->why, "its init() says: %s",
                 spur_error_text(err) ? spur_error_text(err) : "failed");
    }
}

static void load(struct plugin *plugin, const char *path, size_t length)
{
    snprintf(plugin->path, sizeof plugin->path, "%.*s", (int)length, path);
    void *object = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *why = dlerror(); /* NOLINT(concurrency-mt-unsafe): it is the thread's own */
        snprintf(plugin->why, sizeof plugin->why, "it cannot be opened: %s", why ? why : "");
        return;
    }
    plugin->functions = ask(object, plugin);
    if (plugin->functions)
        start(plugin);
}

/* NULL: there are too many. */
static struct plugin *plugin_of(const char *path, size_t length)
{
    for (uint32_t i = 0; i < n_plugins; i++)
        if (strlen(plugins[i].path) == length && memcmp(plugins[i].path, path, length) == 0)
            return &plugins[i];
    if (n_plugins == PLUGINS || length >= PATH_BYTES)
        return NULL;
    load(&plugins[n_plugins], path, length);
    return &plugins[n_plugins++];
}

/* ---- names ---- */

static uint32_t count_of(const struct plugin *plugin)
{
    uint32_t n = plugin->functions->count();
    return n < SPUR_METRICS_MAX ? n : SPUR_METRICS_MAX;
}

static void take_metric(const struct plugin *plugin, uint32_t number, void *data,
                        spur_metric_take *take)
{
    static const uint8_t values[] = {OTF2_TYPE_INT64, OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
    static const uint8_t modes[] = {OTF2_METRIC_ACCUMULATED_START, OTF2_METRIC_ABSOLUTE_POINT,
                                    OTF2_METRIC_RELATIVE_LAST};
    const struct spur_metric_info *info = plugin->functions->info(number);
    if (!info || !info->name || info->value < 0 || info->value > SPUR_METRIC_DOUBLE ||
        info->kind < 0 || info->kind > SPUR_METRIC_INCREASE)
        return;
    struct spur_metric metric = {.type = OTF2_METRIC_TYPE_OTHER,
                                 .mode = modes[info->kind],
                                 .value = values[info->value],
                                 .base = OTF2_BASE_DECIMAL,
                                 .exponent = info->exponent};
    snprintf(metric.name, sizeof metric.name, "%s", info->name);
    snprintf(metric.description, sizeof metric.description, "%s",
             info->description ? info->description : "");
    snprintf(metric.unit, sizeof metric.unit, "%s", info->unit ? info->unit : "#");
    uint64_t id = (uint64_t)(plugin - plugins) << NUMBER_SHIFT | number;
    take(data, id, &metric, SPUR_METRIC_WORKS, "");
}

static bool find(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    const char *hash = strrchr(name, '#');
    size_t length = hash ? (size_t)(hash - name) : strlen(name);
    const struct plugin *plugin = plugin_of(name, length);
    (void)is_process;
    if (!plugin || !plugin->functions) {
        struct spur_metric metric = {.unit = "#"};
        snprintf(metric.name, sizeof metric.name, "plugin:%s", name);
        take(data, 0, &metric, SPUR_METRIC_NOT_HERE,
             plugin ? plugin->why : "there are too many plugins");
        return true;
    }
    bool is_found = false;
    for (uint32_t i = 0; i < count_of(plugin); i++) {
        const struct spur_metric_info *info = plugin->functions->info(i);
        if (hash && (!info || !info->name || strcmp(info->name, hash + 1) != 0))
            continue;
        take_metric(plugin, i, data, take);
        is_found = true;
    }
    return is_found;
}

static void list(bool is_judged, void *data, spur_metric_take *take)
{
    (void)is_judged;
    for (uint32_t i = 0; i < n_plugins; i++)
        for (uint32_t n = 0; plugins[i].functions && n < count_of(&plugins[i]); n++)
            take_metric(&plugins[i], n, data, take);
}

/* ---- readers ---- */

struct reader {
    struct {
        const struct spur_metric_functions *functions;
        void *opened;
        uint32_t n;
        uint32_t metric[SPUR_METRICS_MAX];
        uint32_t at[SPUR_METRICS_MAX];
    } of[PLUGINS];
};

static bool open_all(struct reader *reader, bool is_process, char why[SPUR_METRIC_TEXT])
{
    for (uint32_t i = 0; i < PLUGINS; i++) {
        const struct spur_metric_functions *functions = plugins[i].functions;
        if (!reader->of[i].n)
            continue;
        if (functions && functions->open)
            reader->of[i].opened = functions->open(is_process);
        if (!functions || (functions->open && !reader->of[i].opened)) {
            snprintf(why, SPUR_METRIC_TEXT, "%.*s could not be opened for this thread",
                     SPUR_METRIC_TEXT / 2, plugins[i].path);
            return false;
        }
        reader->of[i].functions = functions;
    }
    return true;
}

static void close_reader(void *data, enum spur_metric_closer by)
{
    struct reader *reader = data;
    for (uint32_t i = 0; i < PLUGINS && by == SPUR_METRIC_BY_OWNER; i++)
        if (reader->of[i].functions && reader->of[i].functions->close)
            reader->of[i].functions->close(reader->of[i].opened);
    spur_mem_free(reader, sizeof *reader);
}

static void *open_reader(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT])
{
    struct reader *reader = spur_mem_new(sizeof *reader);
    if (!reader) {
        snprintf(why, SPUR_METRIC_TEXT, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t plugin = (uint32_t)(group->id[i] >> NUMBER_SHIFT);
        uint32_t n = reader->of[plugin].n++;
        reader->of[plugin].metric[n] = (uint32_t)group->id[i];
        reader->of[plugin].at[n] = i;
    }
    if (!open_all(reader, group->is_process, why)) {
        close_reader(reader, SPUR_METRIC_BY_OWNER);
        return NULL;
    }
    return reader;
}

static bool read_values_here(void *data, uint64_t *values)
{
    const struct reader *reader = data;
    union spur_metric_bits bits[SPUR_METRICS_MAX];
    int cancel;
    bool is_read = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    for (uint32_t i = 0; i < PLUGINS && is_read; i++) {
        uint32_t n = reader->of[i].n;
        if (n)
            is_read = reader->of[i].functions->read(reader->of[i].opened, n, reader->of[i].metric,
                                                    bits) == 0;
        for (uint32_t k = 0; k < n && is_read; k++)
            values[reader->of[i].at[k]] = bits[k].uint64;
    }
    pthread_setcancelstate(cancel, NULL);
    return is_read;
}
static bool read_values(void *data, uint64_t *values);
/* NOLINTNEXTLINE(readability-non-const-parameter): as the contract is */
SPUR_DOOR(bool, read_values, (void *, data), (uint64_t *, values))

static void after_fork(void)
{
    for (uint32_t i = 0; i < n_plugins; i++)
        if (plugins[i].functions)
            start(&plugins[i]);
}

METRIC_SOURCE(plugin, .title = "plugins", .prefix = "plugin:", .find = find, .list = list,
              .open = open_reader, .read = read_values, .close = close_reader,
              .after_fork = after_fork)
