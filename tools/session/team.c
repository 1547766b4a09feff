/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/session/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "finish/finish.h"
#include "tools/base/fail.h"
#include "tools/engine/engine.h"

/* The first rank finishes the session, and the others do what it asks them for. */
struct team {
    const char *dir;
    struct spur_finish_options *options;
    struct engine *engine;
    struct engine_bytes *out; /* by rank */
    int err;
};

static void *begin(void *context, struct engine *engine)
{
    struct team *t = context;
    t->engine = engine;
    t->out = take_memory(engine->size * sizeof *t->out);
    return t;
}

/* There are no events to be read. */
static bool read_nothing(void *state, uint64_t most, uint64_t *n)
{
    (void)state, (void)most;
    *n = 0;
    return false;
}

static uint64_t reached(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

/* ---- the first rank ---- */

static void pass(const struct team *t)
{
    (void)engine_exchange(t->engine, t->out);
    engine_exchanged(t->engine);
    memset(t->out, 0, t->engine->size * sizeof *t->out);
}

static void give(void *context, const struct spur_words *messages)
{
    const struct team *t = context;
    for (unsigned i = 1; i < t->engine->size; i++)
        t->out[i] = (struct engine_bytes){.at = (char *)messages[i - 1].at,
                                          .n = messages[i - 1].n * sizeof *messages[i - 1].at};
    pass(t);
}

static void take(void *context, struct spur_words *answers)
{
    const struct team *t = context;
    const struct engine_bytes *in = engine_exchange(t->engine, t->out);
    for (unsigned i = 1; i < t->engine->size; i++) {
        uint64_t *at = spur_words_add(&answers[i - 1], in[i].n / sizeof *at);
        if (!at)
            fail("out of memory");
        memcpy(at, in[i].at, in[i].n);
    }
    engine_exchanged(t->engine);
}

static void lead(struct team *t)
{
    t->options->team = (struct spur_finish_team){.n = t->engine->size - 1,
                                                 .give = give,
                                                 .take = take,
                                                 .context = t};
    t->err = spur_finish(t->dir, t->options);
    pass(t); /* an empty message: it was the last one */
}

/* ---- the others ---- */

static bool serve_once(struct team *t)
{
    struct spur_words answer = {0};
    const struct engine_bytes *in = engine_exchange(t->engine, t->out);
    const bool goes_on = in[0].n > 0;
    int err = 0;
    if (goes_on)
        err = spur_finish_serve(t->dir, (const uint64_t *)(const void *)in[0].at,
                                in[0].n / sizeof(uint64_t), &t->options->crew, &answer);
    if (err == -EPROTO)
        fail("rank %u has another version of spur than rank 0", t->engine->rank);
    if (err)
        fail("out of memory");
    engine_exchanged(t->engine);
    if (!goes_on)
        return false;
    t->out[0] = (struct engine_bytes){.at = (char *)answer.at, .n = answer.n * sizeof *answer.at};
    pass(t);
    spur_words_free(&answer);
    return true;
}

static void meet(void *state)
{
    struct team *t = state;
    if (t->engine->rank == 0)
        lead(t);
    while (t->engine->rank && serve_once(t))
        ;
    free(t->out);
}

int team_finish(const char *dir, struct spur_finish_options *options)
{
    static const struct engine_analysis analysis = {.begin = begin,
                                                    .read = read_nothing,
                                                    .reached = reached,
                                                    .meet = meet};
    const struct engine_how how = {.workers = 1};
    struct team team = {.dir = dir, .options = options};
    if (!engine_has_ranks())
        return spur_finish(dir, options);
    engine_run(&analysis, &team, &how);
    return team.err;
}
