/* SPDX-License-Identifier: BSD-3-Clause */
/* Names like one that does not exist. */
#include <stdio.h>
#include <string.h>

#include "agent/metrics/metric_choice.h"

enum {
    LETTER = 2, /* the price of a letter; of its case: 1 */
    KEPT = 3,
    PARTS = 3, /* names that differ by more than a third are not near */
};

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t spur_metric_distance(const char *a, const char *b)
{
    uint32_t row[SPUR_METRIC_NAME + 1];
    size_t n = strnlen(b, SPUR_METRIC_NAME);
    for (uint32_t k = 0; k <= n; k++)
        row[k] = k * LETTER;
    for (uint32_t i = 0; a[i]; i++) {
        uint32_t diagonal = row[0];
        row[0] = (i + 1) * LETTER;
        for (size_t k = 0; k < n; k++) {
            uint32_t price = a[i] == b[k] ? 0 : lower(a[i]) == lower(b[k]) ? 1 : LETTER;
            uint32_t best = least(diagonal + price, least(row[k], row[k + 1]) + LETTER);
            diagonal = row[k + 1];
            row[k + 1] = best;
        }
    }
    return row[n];
}

struct nearest {
    const char *name;
    uint32_t limit;
    uint32_t n;
    uint32_t distance[KEPT];
    char kept[KEPT][SPUR_METRIC_NAME];
};

static void consider(void *data, uint64_t id, const struct spur_metric *metric,
                     enum spur_metric_state state, const char *why)
{
    struct nearest *nearest = data;
    uint32_t distance = spur_metric_distance(nearest->name, metric->name);
    (void)id;
    (void)why;
    if (state != SPUR_METRIC_WORKS || distance > nearest->limit)
        return;
    uint32_t at = nearest->n;
    while (at > 0 && nearest->distance[at - 1] > distance)
        at--;
    if (at == KEPT)
        return;
    if (nearest->n < KEPT)
        nearest->n++;
    for (uint32_t i = nearest->n - 1; i > at; i--) {
        nearest->distance[i] = nearest->distance[i - 1];
        memcpy(nearest->kept[i], nearest->kept[i - 1], sizeof nearest->kept[i]);
    }
    nearest->distance[at] = distance;
    snprintf(nearest->kept[at], sizeof nearest->kept[at], "%s", metric->name);
}

void spur_metric_nearest(const char *name, char *names, size_t size)
{
    const char *rest;
    uint32_t source;
    (void)spur_metric_source_of(name, &rest, &source); /* prefixes are alike */
    uint32_t limit = (uint32_t)strlen(rest) * LETTER / PARTS;
    struct nearest nearest = {.name = name, .limit = limit > LETTER ? limit : LETTER};
    size_t used = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < SPUR_METRIC_SOURCES; i++)
        spur_metric_sources[i]->list(false, &nearest, consider);
    for (uint32_t i = 0; i < nearest.n && used < size; i++)
        used += (size_t)snprintf(names + used, size - used, "%s%s", i ? ", " : "", nearest.kept[i]);
}
