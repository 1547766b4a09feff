/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_team.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "finish/state/finish_trouble.h"

#ifndef SPUR_VERSION
#define SPUR_VERSION "unknown"
#endif

static const char no_answer[] = "what another rank has answered";

uint64_t finish_team_digest(void)
{
    uint64_t words[] = {sizeof(struct finish_process),
                        sizeof(struct finish),
                        sizeof(long),
                        SPUR_SEGMENT_VERSION,
                        FINISH_STEPS,
                        0,
                        0,
                        0};
    enum { WORDS = sizeof words / sizeof words[0], NUMBERS = 5 };
    strncpy((char *)&words[NUMBERS], SPUR_VERSION, (WORDS - NUMBERS) * sizeof words[0] - 1);
    return spur_hash(1, words, WORDS);
}

bool finish_team_may(const struct finish *f)
{
    return f->is_claimed && f->options.team.n > 0;
}

/* ---- messages ---- */

static void begin(struct spur_words *to, const struct finish *f, const struct finish_step *step,
                  uint64_t n)
{
    const uint64_t head[] = {finish_team_digest(), step->number, n};
    finish_put(to, head, sizeof head);
    finish_put_session(to, f, step->gives);
}

static unsigned given(const struct finish_step *step)
{
    return step->gives | FINISH_COLUMN(WHO);
}

void finish_team_put(struct spur_words *to, struct finish_process *const *process, uint64_t n,
                     unsigned columns)
{
    for (uint64_t i = 0; i < n; i++)
        finish_put_process(to, process[i], columns);
}

static void free_words(struct spur_words *words, unsigned n)
{
    for (unsigned i = 0; words && i < n; i++)
        spur_words_free(&words[i]);
    spur_mem_free(words, n * sizeof *words);
}

static bool are_whole(const struct spur_words *messages, unsigned n)
{
    bool whole = messages;
    for (unsigned i = 0; i < n && whole; i++)
        whole = !messages[i].failed;
    return whole;
}

/* The result of a part: an error counts if no earlier process has an error. */
struct outcome {
    int err;
    uint64_t at;
};

static void note_error(struct outcome *first, int err, uint64_t at)
{
    if (err && (!first->err || at < first->at))
        *first = (struct outcome){err, at};
}

/* Reads the result of an answer, and the number of processes that follow. */
static int open_answer(struct finish_reading_words *from, const struct spur_words *answer,
                       struct finish *part, struct outcome *outcome, uint64_t *n)
{
    *from = (struct finish_reading_words){answer->at, answer->n};
    int err = answer->failed ? -ENOMEM : finish_get_result(from, part, &outcome->err, &outcome->at);
    return err ? err : finish_get(from, n, sizeof *n);
}

/* ---- a part for each member ---- */

/*
 * Processes by turns: the first of every n is for the caller, the next for the first other member.
 */
struct dealing {
    struct finish *f;
    const struct finish_step *step;
    unsigned n;     /* of all members, with the caller */
    uint64_t *far;  /* places of processes dealt to other members */
    uint64_t n_far; /* number of these places */
    uint64_t *near; /* places of the caller's processes */
    uint64_t n_near;
    struct finish_process **own; /* the caller's processes, */
    struct finish *part;         /* and the session with only the caller's processes */
    struct spur_words *words;    /* messages, then answers */
    struct outcome first;
};

static bool prepare(struct dealing *d)
{
    const uint64_t n = d->f->n_processes;
    d->n = d->f->options.team.n + 1;
    d->far = spur_mem_new((n + 1) * sizeof *d->far);
    d->near = spur_mem_new((n + 1) * sizeof *d->near);
    d->own = spur_mem_new((n + 1) * sizeof(struct finish_process *));
    d->part = spur_mem_new(sizeof *d->part);
    d->words = spur_mem_new(d->n * sizeof *d->words);
    if (!d->far || !d->near || !d->own || !d->part || !d->words)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        struct finish_process *p = d->f->process[i];
        bool is_far = !d->step->is_far || d->step->is_far(p);
        if (is_far)
            d->far[d->n_far++] = i;
        if (!is_far || (d->n_far - 1) % d->n == 0) {
            d->own[d->n_near] = p;
            d->near[d->n_near++] = i;
        }
    }
    return true;
}

static void end(struct dealing *d)
{
    const uint64_t n = d->f->n_processes;
    free_words(d->words, d->words ? d->n : 0);
    spur_mem_free(d->part, sizeof *d->part);
    spur_mem_free(d->own, (n + 1) * sizeof(struct finish_process *));
    spur_mem_free(d->near, (n + 1) * sizeof *d->near);
    spur_mem_free(d->far, (n + 1) * sizeof *d->far);
}

static uint64_t count_of(const struct dealing *d, unsigned worker)
{
    return d->n_far > worker ? (d->n_far - worker + d->n - 1) / d->n : 0;
}

static void put_parts(const struct dealing *d)
{
    for (unsigned i = 1; i < d->n; i++) {
        begin(&d->words[i], d->f, d->step, count_of(d, i));
        for (uint64_t k = i; k < d->n_far; k += d->n)
            finish_team_put(&d->words[i], &d->f->process[d->far[k]], 1, given(d->step));
    }
}

static void do_own(struct dealing *d)
{
    uint64_t at = 0;
    finish_each_begin(d->f, d->part);
    d->part->process = d->own;
    d->part->n_processes = d->n_near;
    d->part->culprit[0] = '\0';
    int err = finish_each_here(d->part, d->step, &at);
    note_error(&d->first, err, d->n_near ? d->near[at] : 0);
}

static int take_part(struct dealing *d, unsigned worker, struct finish *part)
{
    struct finish_reading_words from;
    struct outcome outcome;
    uint64_t n = 0;
    int err = open_answer(&from, &d->words[worker], part, &outcome, &n);
    if (!err && (n != count_of(d, worker) || (outcome.err && outcome.at >= n)))
        err = -EPROTO;
    for (uint64_t k = worker; k < d->n_far && !err; k += d->n)
        err = finish_get_process(&from, d->f->process[d->far[k]], d->step->takes);
    if (!err && outcome.err)
        note_error(&d->first, outcome.err, d->far[worker + outcome.at * d->n]);
    return err;
}

/*
 * The first process with an error decides the message: a single worker would have given the same
 * message.
 */
static int take_parts(struct dealing *d)
{
    struct finish *part = spur_mem_new(sizeof *part);
    int err = part ? 0 : -ENOMEM;
    int first = d->first.err;
    uint64_t at = d->first.at;
    finish_each_add(d->f, d->part);
    for (unsigned i = 1; i < d->n && !err; i++) {
        memset(part, 0, sizeof *part);
        err = take_part(d, i, part);
        if (!err && d->first.err && (!first || d->first.at < at)) {
            memcpy(d->f->culprit, part->culprit, sizeof part->culprit);
            first = d->first.err;
            at = d->first.at;
        }
        finish_each_add(d->f, part);
    }
    spur_mem_free(part, sizeof *part);
    return finish_blame(d->f, err, no_answer);
}

int finish_team_each(struct finish *f, const struct finish_step *step)
{
    const struct spur_finish_team *team = &f->options.team;
    struct dealing d = {.f = f, .step = step};
    bool is_ready = prepare(&d);
    if (is_ready)
        put_parts(&d);
    int err = is_ready && are_whole(d.words, d.n) ? 0 : -ENOMEM;
    (void)finish_blame(f, err, "out of memory");
    if (!err) {
        team->give(team->context, d.words + 1);
        for (unsigned i = 1; i < d.n; i++)
            spur_words_free(&d.words[i]);
        do_own(&d);
        team->take(team->context, d.words + 1);
        err = take_parts(&d);
    }
    end(&d);
    return err ? err : d.first.err;
}

/* ---- the same for all members ---- */

static int
take_all(struct finish *f, const struct finish_step *step, const struct spur_words *answer,
         int (*each)(struct finish *f, uint64_t place, const struct finish_process *other))
{
    struct finish_reading_words from;
    struct outcome outcome = {0};
    uint64_t n = 0;
    struct finish *part = spur_mem_new(sizeof *part);
    struct finish_process *other = spur_mem_new(sizeof *other);
    int err = part && other ? open_answer(&from, answer, part, &outcome, &n) : -ENOMEM;
    for (uint64_t i = 0; i < n && !err; i++) {
        err = finish_get_process(&from, other, step->takes);
        if (!err)
            err = each(f, i, other);
    }
    (void)finish_blame(f, err, no_answer);
    if (!err)
        finish_each_add(f, part);
    spur_mem_free(other, sizeof *other);
    spur_mem_free(part, sizeof *part);
    return err ? err : outcome.err;
}

int finish_team_all(struct finish *f, const struct finish_step *step,
                    struct finish_process *const *process, uint64_t n,
                    int (*each)(struct finish *f, uint64_t place,
                                const struct finish_process *other))
{
    const struct spur_finish_team *team = &f->options.team;
    struct spur_words *words = spur_mem_new(team->n * sizeof *words);
    for (unsigned i = 0; words && i < team->n; i++) {
        begin(&words[i], f, step, n);
        finish_team_put(&words[i], process, n, given(step));
    }
    int err = are_whole(words, team->n) ? 0 : -ENOMEM;
    (void)finish_blame(f, err, "out of memory");
    if (!err) {
        team->give(team->context, words);
        for (unsigned i = 0; i < team->n; i++)
            spur_words_free(&words[i]);
        team->take(team->context, words);
    }
    for (unsigned i = 0; i < team->n && !err; i++)
        err = take_all(f, step, &words[i], each);
    free_words(words, words ? team->n : 0);
    return err;
}
