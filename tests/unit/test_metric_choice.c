/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent-metrics finish format writer */
/* The settings of metrics, on sources that the test makes up. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "agent/metrics/metric_choice.h"
#include "settings/families.h"

/* What a name's first letter after the prefix says of it. */
static enum spur_metric_state state_of(char letter)
{
    return letter == 'n'   ? SPUR_METRIC_NOT_HERE
           : letter == 'r' ? SPUR_METRIC_NO_RIGHTS
           : letter == 'l' ? SPUR_METRIC_NO_SOURCE
                           : SPUR_METRIC_WORKS;
}

static void take_one(const char *prefix, const char *name, void *data, spur_metric_take *take)
{
    struct spur_metric metric = {.value = OTF2_TYPE_UINT64, .unit = "#"};
    snprintf(metric.name, sizeof metric.name, "%s%s", prefix, name);
    take(data, strlen(name), &metric, state_of(name[0]), "the reason");
}

static const char *const known[] = {"alpha",   "beta", "betas",  "gamma",
                                    "nowhere", "root", "library"};
enum { KNOWN = sizeof known / sizeof known[0] };

static bool find_in(const char *prefix, const char *name, void *data, spur_metric_take *take)
{
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i], name) == 0) {
            take_one(prefix, name, data, take);
            return true;
        }
    return false;
}

static bool find_first(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    (void)is_process;
    return find_in("rusage:", name, data, take);
}

static void list_first(bool is_judged, void *data, spur_metric_take *take)
{
    (void)is_judged;
    for (int i = 0; i < KNOWN; i++)
        take_one("rusage:", known[i], data, take);
}

/* Each name stands for 40 metrics. */
static bool find_many(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    char text[SPUR_METRIC_NAME];
    (void)is_process;
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "%s%d", name, i);
        take_one("plugin:", text, data, take);
    }
    return true;
}

static bool find_last(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    (void)is_process;
    return strcmp(name, "perf::alpha") == 0 ? (take_one("", name, data, take), true)
                                            : find_in("", name, data, take);
}

static void list_none(bool is_judged, void *data, spur_metric_take *take)
{
    (void)is_judged;
    (void)data;
    (void)take;
}

static const struct spur_metric_source first = {.prefix = "rusage:",
                                                .find = find_first,
                                                .list = list_first};
static const struct spur_metric_source second = {.prefix = "perf:",
                                                 .find = find_first,
                                                 .list = list_none};
static const struct spur_metric_source many = {.prefix = "plugin:",
                                               .find = find_many,
                                               .list = list_none};
static const struct spur_metric_source nameless = {.prefix = "",
                                                   .find = find_last,
                                                   .list = list_none};
/* "NAME" is of the parts "A" and "B". */
static bool find_parts(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    char text[SPUR_METRIC_NAME];
    (void)is_process;
    for (uint64_t part = 0; part < 2; part++) {
        struct spur_metric metric = {.value = OTF2_TYPE_UINT64, .unit = "#"};
        snprintf(text, sizeof text, "nvml:%s:%c", name, (int)('A' + part));
        memcpy(metric.name, text, sizeof text);
        take(data, strlen(name) << 8 | part, &metric, state_of(name[0]), "the reason");
    }
    return true;
}

static const char *part_of(uint64_t id)
{
    return id & 1 ? "B" : "A";
}

static const struct spur_metric_source of_host = {
    .prefix = "nvml:", .find = find_parts, .list = list_none, .part_of = part_of};
static const struct spur_metric_source other = {.prefix = "other:", .list = list_none};

/* In the place of the agent's. */
const struct spur_metric_source *const spur_metric_sources[SPUR_METRIC_SOURCES] = {
#define SOURCE(name) [SPUR_METRIC_SOURCE_##name] = &other,
#include "agent/metrics/metric_sources.def"
#undef SOURCE
    [SPUR_METRIC_SOURCE_rusage] = &first, [SPUR_METRIC_SOURCE_perf] = &second,
    [SPUR_METRIC_SOURCE_plugin] = &many,  [SPUR_METRIC_SOURCE_papi] = &nameless,
    [SPUR_METRIC_SOURCE_nvml] = &of_host,
};

static char said[8192];
static int lines;

static void say(const char *line)
{
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%s\n", line);
    lines++;
}

static struct spur_metric_choice *choose(const char *list, bool is_process)
{
    struct spur_metric_choice *choice =
        spur_metric_choose("SPUR_METRICS", list,
                           is_process ? SPUR_METRICS_OF_PROCESS : SPUR_METRICS_OF_THREAD);
    said[0] = '\0';
    lines = 0;
    spur_metric_each_complaint(choice, say);
    return choice;
}

Test(metric_choice, parts_of_the_host_have_choices_of_their_own)
{
    enum { ROOM = 4 };
    static const char list[] = "nvml:power,alpha,nvml:heat,period=x,nvml:nothing,nvml:power";
    struct spur_metric_choice *part[ROOM];
    const char *name;
    const struct spur_metric_choice *all =
        spur_metric_choose("SPUR_METRICS_ASYNC", list, SPUR_METRICS_OF_HOST);
    cr_assert(all->n == 4 && all->n_complaints == 2);
    part[0] = spur_metric_choose_part(all, part, 0, &name);
    cr_assert_str_eq(name, "A");
    part[1] = spur_metric_choose_part(all, part, 1, &name);
    cr_assert_str_eq(name, "B");
    cr_assert_null(spur_metric_choose_part(all, part, 2, &name));
    static const char *const want[] = {"nvml:power:A", "nvml:heat:A", "nvml:power:B",
                                       "nvml:heat:B"};
    for (int i = 0; i < ROOM; i++) {
        const struct spur_metric_choice *of = part[i / 2];
        const struct spur_metric_group *group = &of->group[SPUR_METRIC_SOURCE_nvml];
        cr_assert(of->n == 2 && group->n == 2 && group->is_process);
        cr_assert_str_eq(of->metric[i % 2].name, want[i]);
        cr_assert(group->id[i % 2] >> 8 == (i % 2 ? strlen("heat") : strlen("power")));
        cr_assert(of->at[SPUR_METRIC_SOURCE_nvml][i % 2] == (uint32_t)i % 2);
    }
    /* And the process has what is left, with what is wrong with the words. */
    const struct spur_metric_choice *rest = choose(list, true);
    cr_assert(rest->n == 1 && lines == 1 && strstr(said, "period=x"), "%s", said);
    cr_assert_str_eq(rest->metric[0].name, "alpha");
}

Test(metric_choice, names_are_taken_in_their_order)
{
    const struct spur_metric_choice *choice =
        choose(" gamma, rusage:alpha,beta,,rusage:alpha ,perf::alpha", false);
    static const char *const want[] = {"gamma", "rusage:alpha", "beta", "perf::alpha"};
    cr_assert(lines == 0, "%s", said);
    cr_assert(choice->n == 4);
    for (int i = 0; i < 4; i++)
        cr_assert(strcmp(choice->metric[i].name, want[i]) == 0, "%s", choice->metric[i].name);
    const struct spur_metric_group *last = &choice->group[SPUR_METRIC_SOURCE_papi];
    cr_assert(last->n == 3 && !last->is_process && !last->is_multiplexed);
    cr_assert(last->id[1] == strlen("beta"));
    const uint32_t *at = choice->at[SPUR_METRIC_SOURCE_papi];
    cr_assert(at[0] == 0 && at[1] == 2 && at[2] == 3);
    cr_assert(choice->group[SPUR_METRIC_SOURCE_rusage].n == 1);
}

Test(metric_choice, words_that_are_no_metrics)
{
    cr_assert(choose("multiplex,alpha", false)->group[SPUR_METRIC_SOURCE_papi].is_multiplexed);
    cr_assert(choose("alpha,period=7", true)->period_ms == 7 && lines == 0);
    cr_assert(choose("alpha", true)->period_ms == 100);
    cr_assert(choose("alpha,period=x", true)->period_ms == 100 && lines == 1);
    cr_assert(strstr(said, "period=x is not a number of milliseconds"));
    choose("alpha,period=7", false); /* a metric's name, then */
    cr_assert(strstr(said, "there is no metric period=7"));
}

Test(metric_choice, each_trouble_is_a_line)
{
    const struct spur_metric_choice *choice =
        choose("rusage:alpho,nowhere,root,library,rusage:library,alpha", false);
    char names[256];
    cr_assert(choice->n == 1 && choice->n_complaints == 5);
    cr_assert(lines == 4, "%s", said); /* what the same library lacks is one */
    cr_assert(strstr(said, "SPUR_METRICS: there is no metric rusage:alpho; similar: rusage:alpha;"),
              "%s", said);
    cr_assert(
        strstr(said, "nowhere is not recorded: it exists, but not on this machine: the reaso"));
    cr_assert(strstr(said, "root is not recorded: this user may not read it, or would read 0"));
    cr_assert(strstr(said, "SPUR_METRICS: library, rusage:library: not recorded: the reason"), "%s",
              said);
    cr_assert(spur_metric_missing(choice, names, sizeof names));
    cr_assert(strcmp(names, "rusage:alpho, nowhere, root, library, rusage:library") == 0, "%s",
              names);
    cr_assert(!spur_metric_missing(choose("alpha", false), names, sizeof names));
}

Test(metric_choice, a_class_has_an_end)
{
    const struct spur_metric_choice *choice = choose("plugin:a,plugin:b,alpha", false);
    cr_assert(choice->n == SPUR_METRICS_MAX);
    cr_assert(choice->n_complaints == 17 && lines == 17);
    cr_assert(strstr(said, "alpha is not recorded: 64 metrics are the most"), "%s", said);
}

static const struct {
    const char *list;
    uint64_t families;
    uint32_t every;
    const char *bad; /* NULL: none */
} whens[] = {
    {"all", UINT64_MAX, 1, NULL},
    {NULL, UINT64_MAX, 1, NULL},
    {"mpi", 1u << SPUR_FAMILY_MPI, 1, NULL},
    {"mpi,pthread,every=10", 1u << SPUR_FAMILY_MPI | 1u << SPUR_FAMILY_PTHREAD, 10, NULL},
    {"every=3", UINT64_MAX, 3, NULL},
    {"every=0", UINT64_MAX, 1, "every=0"},
    {"every=3x,openmp", 1u << SPUR_FAMILY_OPENMP, 1, "every=3x"},
    {"MPI,every=2", UINT64_MAX, 2, "MPI"},
};

Test(metric_choice, when)
{
    for (size_t i = 0; i < sizeof whens / sizeof whens[0]; i++) {
        struct spur_metric_when when;
        char bad[SPUR_METRIC_NAME] = "";
        bool is_good = spur_metric_parse_when(whens[i].list, &when, bad, sizeof bad);
        cr_assert(is_good == !whens[i].bad, "%s", whens[i].list);
        cr_assert(when.families == whens[i].families && when.every == whens[i].every, "%s",
                  whens[i].list);
        cr_assert(strcmp(bad, whens[i].bad ? whens[i].bad : "") == 0, "%s", bad);
    }
}

Test(metric_choice, distance)
{
    cr_assert(spur_metric_distance("same", "same") == 0);
    cr_assert(spur_metric_distance("same", "Same") == 1);
    cr_assert(spur_metric_distance("same", "sane") == 2);
    cr_assert(spur_metric_distance("same", "sme") == 2);
    cr_assert(spur_metric_distance("same", "") == 8);
    cr_assert(spur_metric_distance("", "ab") == 4);
    cr_assert(spur_metric_distance("kitten", "sitting") == 6);
}

Test(metric_choice, nearest_first)
{
    char names[256];
    spur_metric_nearest("rusage:betal", names, sizeof names);
    cr_assert(strcmp(names, "rusage:beta, rusage:betas") == 0, "%s", names);
    spur_metric_nearest("RUSAGE:GAMMA", names, sizeof names);
    cr_assert(names[0] == '\0', "%s", names);
    spur_metric_nearest("rusage:Gamma", names, sizeof names);
    cr_assert(strcmp(names, "rusage:gamma") == 0, "%s", names);
    spur_metric_nearest("nothing like it", names, sizeof names);
    cr_assert(names[0] == '\0', "%s", names);
    spur_metric_nearest("rusage:nowhere", names, sizeof names); /* what does not work is no help */
    cr_assert(!strstr(names, "nowhere"), "%s", names);
}
