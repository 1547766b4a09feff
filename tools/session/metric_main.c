/* SPDX-License-Identifier: BSD-3-Clause */
/* spur-metrics: which metrics there are, and which of them work for this user on this machine. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/metrics/metric_choice.h"
#include "tools/base/options.h"

enum { REASONS = 64 };

/* Why something does not work is said once, below the list. */
struct printing {
    const char *pattern; /* NULL: all */
    uint32_t n;          /* lines so far */
    uint32_t reasons;
    char reason[REASONS][SPUR_METRIC_TEXT + 16];
};

static const struct command_line command = {
    .name = "spur metrics",
    .form = "[PATTERN]",
    .about =
        "Lists the names for SPUR_METRICS and SPUR_METRICS_ASYNC, and whether each works for this\n"
        "user on this machine.",
    .more = "  PATTERN  part of a name, or a whole name with * and ?; case does not matter.\n"
            "           plugin:FILE lists the metrics of a plug-in",
    .most = 1,
    .needs = "'spur metrics' takes one pattern",
};

/* ---- patterns ---- */

static bool matches(const char *pattern, const char *name)
{
    char whole[SPUR_METRIC_NAME + 2];
    if (!pattern)
        return true;
    bool is_glob = strpbrk(pattern, "*?[") != NULL;
    snprintf(whole, sizeof whole, is_glob ? "%s" : "*%s*", pattern);
    return fnmatch(whole, name, FNM_CASEFOLD) == 0;
}

/* ---- lines ---- */

static uint32_t reason_number(struct printing *p, enum spur_metric_state state, const char *why)
{
    char text[sizeof p->reason[0]];
    snprintf(text, sizeof text, "%s%s", state == SPUR_METRIC_NO_RIGHTS ? "missing rights: " : "",
             why);
    for (uint32_t i = 0; i < p->reasons; i++)
        if (strcmp(p->reason[i], text) == 0)
            return i + 1;
    if (p->reasons < REASONS)
        memcpy(p->reason[p->reasons++], text, sizeof text);
    return p->reasons;
}

static void print_metric(void *data, uint64_t id, const struct spur_metric *metric,
                         enum spur_metric_state state, const char *why)
{
    struct printing *p = data;
    char works[16] = "yes";
    char unit[SPUR_METRIC_UNIT + 24];
    (void)id;
    if (!matches(p->pattern, metric->name))
        return;
    if (state != SPUR_METRIC_WORKS)
        snprintf(works, sizeof works, "no [%u]", reason_number(p, state, why));
    snprintf(unit, sizeof unit, "%s", metric->unit);
    if (metric->exponent)
        snprintf(unit, sizeof unit, "%d^%lld %s", metric->base == OTF2_BASE_BINARY ? 2 : 10,
                 (long long)metric->exponent, metric->unit);
    if (p->n++ == 0)
        printf("%-7s %-32s %-8s %s\n", "WORKS", "NAME", "UNIT", "DESCRIPTION");
    printf("%-7s %-32s %-8s %s\n", works, metric->name, unit, metric->description);
}

static void print_reasons(const struct printing *p)
{
    if (p->reasons)
        putchar('\n');
    for (uint32_t i = 0; i < p->reasons; i++)
        printf("[%u] %s\n", i + 1, p->reason[i]);
}

static int none(const char *pattern)
{
    char names[4 * SPUR_METRIC_NAME];
    spur_metric_nearest(pattern, names, sizeof names);
    fprintf(stderr, "spur: no metric matches %s%s%s\n", pattern, names[0] ? "; similar: " : "",
            names);
    return 1;
}

/* ---- for the launcher ---- */

/*
 * Names that no metric has. A plug-in is not asked: it may exist for the program only. A metric
 * that exists but does not work here is accepted: it may work where the ranks are.
 */
static int judge(const char *typed, const char *list)
{
    int unknown = 0;
    size_t n = 0;
    char *asked = calloc(1, strlen(list) + 2);
    for (const char *word = list; asked && *word; word += strcspn(word, ","), word += *word == ',')
        if (strncmp(word + strspn(word, " "), "plugin:", sizeof "plugin:" - 1) != 0) {
            size_t length = strcspn(word, ",");
            memcpy(asked + n, word, length);
            n += length;
            asked[n++] = ',';
        }
    const struct spur_metric_choice *choice =
        asked ? spur_metric_choose(typed, asked, SPUR_METRICS_OF_THREAD) : NULL;
    for (uint32_t i = 0; choice && i < choice->n_complaints && !unknown; i++) {
        char names[4 * SPUR_METRIC_NAME];
        const struct spur_metric_complaint *complaint = &choice->complaint[i];
        if (complaint->kind != SPUR_METRIC_UNKNOWN)
            continue;
        spur_metric_nearest(complaint->name, names, sizeof names);
        fprintf(stderr, "spur: %s names %s, which is no metric%s%s; 'spur metrics' lists all\n",
                typed, complaint->name, names[0] ? "; similar: " : "", names);
        unknown = 2;
    }
    free(asked);
    return unknown;
}

int main(int argc, char **argv)
{
    static struct printing printing;
    const char *rest;
    uint32_t number;
    if (argc == 4 && strcmp(argv[1], "--judge") == 0)
        return judge(argv[2], argv[3]);
    const char *pattern = options_read(&command, argv + 1)[0];
    const struct spur_metric_source *source =
        pattern ? spur_metric_source_of(pattern, &rest, &number) : NULL;
    if (source == &spur_metric_from_plugin) {
        if (!source->find(rest, false, &printing, print_metric))
            return none(pattern);
    } else {
        printing.pattern = pattern;
        for (uint32_t i = 0; i < SPUR_METRIC_SOURCES; i++)
            spur_metric_sources[i]->list(true, &printing, print_metric);
    }
    print_reasons(&printing);
    return printing.n ? 0 : none(pattern);
}
