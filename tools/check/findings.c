/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/findings.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/list.h"

enum { SLACK = 64 };

static int by_position(const void *x, const void *y)
{
    const struct position *a = &((const struct kept_finding *)x)->position;
    const struct position *b = &((const struct kept_finding *)y)->position;
    ORDER(a->phase, b->phase);
    for (int i = 0; i < 3; i++)
        ORDER(a->key[i], b->key[i]);
    for (int i = 0; i < 3; i++)
        ORDER(a->steps[i], b->steps[i]);
    return 0;
}

static void free_finding(struct kept_finding *one)
{
    free(one->file);
    free(one->text);
}

/* Keeps the first ones only. They come nearly in order: from events, and from notes of events. */
static void prune(struct kept_findings *rule, uint64_t limit)
{
    if (!limit || rule->n < 2 * limit + SLACK)
        return;
    qsort(rule->at, rule->n, sizeof *rule->at, by_position);
    while (rule->n > limit)
        free_finding(&rule->at[--rule->n]);
}

static void add(struct kept_findings *rule, const struct verdict *v, struct kept_finding one)
{
    rule->at = list_grow(rule->at, &rule->room, rule->n + 1, sizeof *rule->at);
    rule->at[rule->n++] = one;
    prune(rule, v->limit);
}

void findings_keep(struct findings *f, const struct verdict *v, enum rule rule,
                   const struct position *position, struct place place, const char *text)
{
    struct kept_findings *kept = &f->rules[rule];
    kept->n_all++;
    if (!text)
        return;
    add(kept, v,
        (struct kept_finding){.position = *position,
                              .place = place,
                              .file = place.file ? copy_text(place.file) : NULL,
                              .text = copy_text(text)});
}

/* ---- bytes ---- */

static void give_text(struct engine_bytes *bytes, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;
    engine_add(bytes, &n, sizeof n);
    engine_add(bytes, text, n);
}

void findings_give(const struct findings *f, struct engine_bytes *bytes)
{
    for (unsigned rule = 0; rule < RULES; rule++) {
        const struct kept_findings *kept = &f->rules[rule];
        engine_add(bytes, &kept->n_all, sizeof kept->n_all);
        engine_add(bytes, &kept->n, sizeof kept->n);
        for (size_t i = 0; i < kept->n; i++) {
            engine_add(bytes, &kept->at[i].position, sizeof kept->at[i].position);
            engine_add(bytes, &kept->at[i].place, sizeof kept->at[i].place);
            give_text(bytes, kept->at[i].file);
            give_text(bytes, kept->at[i].text);
        }
    }
}

static const char *take(void *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return from + n;
}

static const char *take_text(char **text, const char *from)
{
    size_t n;
    from = take(&n, from, sizeof n);
    *text = n ? copy_text(from) : NULL;
    return from + n;
}

size_t findings_join(struct findings *f, const struct verdict *v, const char *bytes)
{
    const char *at = bytes;
    for (unsigned rule = 0; rule < RULES; rule++) {
        uint64_t n_all;
        size_t n;
        at = take(&n_all, at, sizeof n_all);
        at = take(&n, at, sizeof n);
        f->rules[rule].n_all += n_all;
        for (size_t i = 0; i < n; i++) {
            struct kept_finding one;
            at = take(&one.position, at, sizeof one.position);
            at = take(&one.place, at, sizeof one.place);
            at = take_text(&one.file, at);
            at = take_text(&one.text, at);
            add(&f->rules[rule], v, one);
        }
    }
    return (size_t)(at - bytes);
}

/* ---- the end ---- */

struct shown {
    struct kept_finding one;
    enum rule rule;
};

void findings_show(struct findings *f, struct verdict *v)
{
    size_t n = 0;
    for (unsigned rule = 0; rule < RULES; rule++)
        n += f->rules[rule].n;
    struct shown *all = take_memory(n * sizeof *all);
    n = 0;
    for (unsigned rule = 0; rule < RULES; rule++)
        for (size_t i = 0; i < f->rules[rule].n; i++)
            all[n++] = (struct shown){f->rules[rule].at[i], (enum rule)rule};
    _Static_assert(offsetof(struct shown, one.position) == offsetof(struct kept_finding, position),
                   "compared alike");
    qsort(all, n, sizeof *all, by_position);
    for (size_t i = 0; i < n; i++) {
        all[i].one.place.file = all[i].one.file;
        verdict_show(v, all[i].rule, all[i].one.place, all[i].one.text);
    }
    for (unsigned rule = 0; rule < RULES; rule++)
        v->counts[rule] += f->rules[rule].n_all - f->rules[rule].n;
    free(all);
}

void findings_free(struct findings *f)
{
    for (unsigned rule = 0; rule < RULES; rule++) {
        while (f->rules[rule].n)
            free_finding(&f->rules[rule].at[--f->rules[rule].n]);
        free(f->rules[rule].at);
    }
}
