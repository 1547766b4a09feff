/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metrics of SPUR_METRICS, SPUR_METRICS_AT and SPUR_METRICS_ASYNC that the sources have, and
 * the messages about the rest. Agent memory that is never freed. Not thread-safe.
 */
#ifndef SPUR_METRIC_CHOICE_H
#define SPUR_METRIC_CHOICE_H

#include "agent/metrics/metric_source.h"

enum spur_metric_complaint_kind {
    SPUR_METRIC_UNKNOWN,  /* no metric has the name */
    SPUR_METRIC_REFUSED,  /* `state` and `why` say more */
    SPUR_METRIC_TOO_MANY, /* a class has no more members */
    SPUR_METRIC_BAD_WORD, /* the word is not a metric: `why` names the expected words */
};

/* A requested metric without records. */
struct spur_metric_complaint {
    char name[SPUR_METRIC_NAME];
    enum spur_metric_complaint_kind kind;
    enum spur_metric_state state;
    char why[SPUR_METRIC_TEXT];
};

enum { SPUR_METRIC_COMPLAINTS = 32 };

enum spur_metric_scope {
    SPUR_METRICS_OF_THREAD,
    SPUR_METRICS_OF_PROCESS,
    SPUR_METRICS_OF_HOST, /* of the list for the process, the metrics of parts of the host */
};

struct spur_metric_choice {
    const char *setting; /* the variable of the choice; borrowed */
    enum spur_metric_scope scope;
    bool is_multiplexed;
    uint32_t period_ms; /* of the metrics for the process */
    uint32_t n;         /* metrics, in the order in which they were named */
    struct spur_metric metric[SPUR_METRICS_MAX];
    struct spur_metric_group group[SPUR_METRIC_SOURCES];
    uint32_t at[SPUR_METRIC_SOURCES][SPUR_METRICS_MAX]; /* places of a group's values among all */
    uint32_t n_complaints;
    struct spur_metric_complaint complaint[SPUR_METRIC_COMPLAINTS];
};

/* Find all metrics of `list` in the scope. NULL: no memory. */
struct spur_metric_choice *spur_metric_choose(const char *setting, const char *list,
                                              enum spur_metric_scope scope);
/*
 * Of a choice for the host: the first metric that is in no choice of `before` (`n` choices), and
 * all metrics of the same part of the host. *part names the part. NULL: no metric is left, or no
 * memory.
 */
struct spur_metric_choice *spur_metric_choose_part(const struct spur_metric_choice *choice,
                                                   struct spur_metric_choice *const *before,
                                                   uint32_t n, const char **part);

/* Call `say` with a line for each complaint. */
void spur_metric_each_complaint(const struct spur_metric_choice *choice,
                                void (*say)(const char *line));

/* The names of the metrics that are not recorded, as a list. Returns whether there are any. */
bool spur_metric_missing(const struct spur_metric_choice *choice, char *names, size_t size);

/* At which events metrics are read. */
struct spur_metric_when {
    uint64_t families; /* bit 1 << enum spur_family: at its regions; all ones: at all */
    uint32_t every;    /* every so many Enters, with their Leaves */
};

/* False: `bad` is the first word that was not understood; the remaining words count. */
bool spur_metric_parse_when(const char *list, struct spur_metric_when *when, char *bad,
                            size_t size);

/* The names most like `name`, the nearest first: "a, b, c", or "" if none is near. */
void spur_metric_nearest(const char *name, char *names, size_t size);

/* How many letters have to be changed, added or dropped; case counts a little less than a letter.
 */
uint32_t spur_metric_distance(const char *a, const char *b);

#endif
