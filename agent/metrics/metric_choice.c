/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/metrics/metric_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "settings/families.h"

/* "perf::CYCLES" is a name of PAPI's. */
const struct spur_metric_source *spur_metric_source_of(const char *name, const char **rest,
                                                       uint32_t *number)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < SPUR_METRIC_SOURCES; i++) {
        const char *prefix = spur_metric_sources[i]->prefix;
        size_t length = strlen(prefix);
        bool is_own = length ? strncmp(name, prefix, length) == 0 && name[length] != ':' : !longest;
        if (!is_own)
            continue;
        *number = i;
        longest = length;
    }
    *rest = name + longest;
    return spur_metric_sources[*number];
}

/* ---- words of a list ---- */

/* The next word of a comma list into `word`; *list moves on. False at the end. */
static bool next_word(const char **list, char *word, size_t size)
{
    *list += strspn(*list, ", ");
    size_t length = strcspn(*list, ",");
    if (length == 0)
        return false;
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *list);
    *list += length;
    for (size_t end = strlen(word); end > 0 && word[end - 1] == ' '; end--)
        word[end - 1] = '\0';
    return true;
}

/* "key=12"; *number is 0 when what follows the key is no number, or a bad one. */
static bool is_number_word(const char *word, const char *key, uint32_t *number)
{
    size_t length = strlen(key);
    char *end;
    if (strncmp(word, key, length) != 0 || word[length] != '=')
        return false;
    unsigned long value = strtoul(word + length + 1, &end, 10);
    bool is_good =
        word[length + 1] >= '0' && word[length + 1] <= '9' && !*end && value <= UINT32_MAX;
    *number = is_good ? (uint32_t)value : 0;
    return true;
}

static void complain(struct spur_metric_choice *choice, const char *name,
                     enum spur_metric_complaint_kind kind, enum spur_metric_state state,
                     const char *why)
{
    if (choice->n_complaints == SPUR_METRIC_COMPLAINTS)
        return;
    struct spur_metric_complaint *complaint = &choice->complaint[choice->n_complaints++];
    complaint->kind = kind;
    complaint->state = state;
    snprintf(complaint->name, sizeof complaint->name, "%s", name);
    snprintf(complaint->why, sizeof complaint->why, "%s", why);
}

struct taking {
    struct spur_metric_choice *choice;
    uint32_t source;
};

static bool is_taken(const struct spur_metric_choice *choice, const char *name)
{
    for (uint32_t i = 0; i < choice->n; i++)
        if (strcmp(choice->metric[i].name, name) == 0)
            return true;
    return false;
}

static void take(void *data, uint64_t id, const struct spur_metric *metric,
                 enum spur_metric_state state, const char *why)
{
    const struct taking *taking = data;
    struct spur_metric_choice *choice = taking->choice;
    struct spur_metric_group *group = &choice->group[taking->source];
    if (state != SPUR_METRIC_WORKS) {
        complain(choice, metric->name, SPUR_METRIC_REFUSED, state, why);
    } else if (choice->n == SPUR_METRICS_MAX) {
        complain(choice, metric->name, SPUR_METRIC_TOO_MANY, state, "");
    } else if (!is_taken(choice, metric->name)) {
        choice->at[taking->source][group->n] = choice->n;
        group->id[group->n++] = id;
        choice->metric[choice->n++] = *metric;
    }
}

static void find(struct spur_metric_choice *choice, const char *name)
{
    const char *rest;
    struct taking taking = {.choice = choice};
    const struct spur_metric_source *source = spur_metric_source_of(name, &rest, &taking.source);
    bool is_of_host = choice->scope != SPUR_METRICS_OF_THREAD && source->part_of;
    if (is_of_host != (choice->scope == SPUR_METRICS_OF_HOST))
        return; /* another choice has it */
    if (!source->find(rest, choice->scope != SPUR_METRICS_OF_THREAD, &taking, take))
        complain(choice, name, SPUR_METRIC_UNKNOWN, SPUR_METRIC_WORKS, "");
}

static void take_word(struct spur_metric_choice *choice, const char *word)
{
    uint32_t number;
    if (strcmp(word, "multiplex") == 0)
        choice->is_multiplexed = true;
    else if (choice->scope == SPUR_METRICS_OF_THREAD || !is_number_word(word, "period", &number))
        find(choice, word);
    else if (number)
        choice->period_ms = number;
    else if (choice->scope == SPUR_METRICS_OF_PROCESS)
        complain(choice, word, SPUR_METRIC_BAD_WORD, SPUR_METRIC_WORKS,
                 "is not a number of milliseconds, as period=100 is");
}

struct spur_metric_choice *spur_metric_choose(const char *setting, const char *list,
                                              enum spur_metric_scope scope)
{
    enum { PERIOD_MS = 100 };
    char word[SPUR_METRIC_NAME];
    struct spur_metric_choice *choice = spur_mem_new(sizeof *choice);
    if (!choice)
        return NULL;
    choice->setting = setting;
    choice->scope = scope;
    choice->period_ms = PERIOD_MS;
    while (next_word(&list, word, sizeof word))
        take_word(choice, word);
    for (uint32_t i = 0; i < SPUR_METRIC_SOURCES; i++) {
        choice->group[i].is_process = scope != SPUR_METRICS_OF_THREAD;
        choice->group[i].is_multiplexed = choice->is_multiplexed;
    }
    return choice;
}

/* ---- parts of the host ---- */

static const char *part_of(const struct spur_metric_choice *choice, uint32_t source, uint32_t i)
{
    return spur_metric_sources[source]->part_of(choice->group[source].id[i]);
}

/* The part of the first metric that no choice has. */
static const char *next_part(const struct spur_metric_choice *choice,
                             struct spur_metric_choice *const *before, uint32_t n)
{
    for (uint32_t source = 0; source < SPUR_METRIC_SOURCES; source++)
        for (uint32_t i = 0; i < choice->group[source].n; i++) {
            const char *name = choice->metric[choice->at[source][i]].name;
            bool is_had = false;
            for (uint32_t k = 0; k < n; k++)
                is_had = is_had || is_taken(before[k], name);
            if (!is_had)
                return part_of(choice, source, i);
        }
    return NULL;
}

struct spur_metric_choice *spur_metric_choose_part(const struct spur_metric_choice *choice,
                                                   struct spur_metric_choice *const *before,
                                                   uint32_t n, const char **part)
{
    *part = next_part(choice, before, n);
    struct spur_metric_choice *chosen = *part ? spur_mem_new(sizeof *chosen) : NULL;
    if (!chosen)
        return NULL;
    chosen->setting = choice->setting;
    chosen->scope = choice->scope;
    chosen->period_ms = choice->period_ms;
    for (uint32_t source = 0; source < SPUR_METRIC_SOURCES; source++) {
        chosen->group[source].is_process = true;
        for (uint32_t i = 0; i < choice->group[source].n; i++) {
            struct taking taking = {.choice = chosen, .source = source};
            if (strcmp(part_of(choice, source, i), *part) == 0)
                take(&taking, choice->group[source].id[i], &choice->metric[choice->at[source][i]],
                     SPUR_METRIC_WORKS, "");
        }
    }
    return chosen;
}

/* ---- when ---- */

bool spur_metric_parse_when(const char *list, struct spur_metric_when *when, char *bad, size_t size)
{
    char word[SPUR_METRIC_NAME];
    bool is_good = true;
    *when = (struct spur_metric_when){.every = 1};
    while (list && next_word(&list, word, sizeof word)) {
        uint32_t number = 1;
        enum spur_family family = spur_family_find(word, strlen(word));
        uint64_t families = strcmp(word, "all") == 0  ? UINT64_MAX
                            : family != SPUR_FAMILIES ? (uint64_t)1 << family
                                                      : 0;
        bool is_every = is_number_word(word, "every", &number);
        if (is_every && number)
            when->every = number;
        when->families |= families;
        if ((is_every ? number != 0 : families != 0) || !is_good)
            continue;
        is_good = false;
        snprintf(bad, size, "%s", word);
    }
    if (!when->families)
        when->families = UINT64_MAX;
    return is_good;
}

/* ---- what is said ---- */

static const char *middle_of(enum spur_metric_state state)
{
    return state == SPUR_METRIC_NO_RIGHTS
               ? "is not recorded: this user may not read it, or would read 0"
           : state == SPUR_METRIC_NO_SOURCE ? "is not recorded"
                                            : "is not recorded: it exists, but not on this machine";
}

static void describe(const struct spur_metric_complaint *complaint, const char *setting, char *line,
                     size_t size)
{
    char near[4 * SPUR_METRIC_NAME];
    switch (complaint->kind) {
    case SPUR_METRIC_UNKNOWN:
        spur_metric_nearest(complaint->name, near, sizeof near);
        snprintf(line, size, "%s: there is no metric %s%s%s; 'spur metrics' lists all", setting,
                 complaint->name, near[0] ? "; similar: " : "", near);
        break;
    case SPUR_METRIC_REFUSED:
        snprintf(line, size, "%s: %s %s: %s", setting, complaint->name, middle_of(complaint->state),
                 complaint->why);
        break;
    case SPUR_METRIC_TOO_MANY:
        snprintf(line, size, "%s: %s is not recorded: %d metrics are the most", setting,
                 complaint->name, SPUR_METRICS_MAX);
        break;
    case SPUR_METRIC_BAD_WORD:
        snprintf(line, size, "%s: %s %s", setting, complaint->name, complaint->why);
        break;
    }
}

/* What is missing for several names is said once, with all of them. */
static bool is_of_library(const struct spur_metric_complaint *complaint)
{
    return complaint->kind == SPUR_METRIC_REFUSED && complaint->state == SPUR_METRIC_NO_SOURCE;
}

static void list_names(const struct spur_metric_choice *choice, const char *why, char *names,
                       size_t size)
{
    size_t used = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < choice->n_complaints && used < size; i++) {
        const struct spur_metric_complaint *complaint = &choice->complaint[i];
        if (complaint->kind != SPUR_METRIC_BAD_WORD &&
            (!why || (is_of_library(complaint) && strcmp(complaint->why, why) == 0)))
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "",
                                     complaint->name);
    }
}

bool spur_metric_missing(const struct spur_metric_choice *choice, char *names, size_t size)
{
    list_names(choice, NULL, names, size);
    return names[0] != '\0';
}

void spur_metric_each_complaint(const struct spur_metric_choice *choice,
                                void (*say)(const char *line))
{
    char line[3 * SPUR_METRIC_TEXT], names[SPUR_METRIC_TEXT];
    const char *said = NULL;
    for (uint32_t i = 0; i < choice->n_complaints; i++) {
        const struct spur_metric_complaint *complaint = &choice->complaint[i];
        if (is_of_library(complaint) && said && strcmp(said, complaint->why) == 0)
            continue;
        if (is_of_library(complaint)) {
            said = complaint->why;
            list_names(choice, said, names, sizeof names);
            snprintf(line, sizeof line, "%s: %s: not recorded: %s", choice->setting, names, said);
        } else {
            describe(complaint, choice->setting, line, sizeof line);
        }
        say(line);
    }
}
