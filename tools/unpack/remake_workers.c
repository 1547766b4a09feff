/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/engine/engine.h"
#include "tools/unpack/remake.h"

enum { EACH_BYTES = 1 << 20 /* fewer are made anew before a thread begins */ };

struct worker {
    const struct remaking *remaking;
    struct remake_share share;
    struct made made;
};

/* ---- what a worker has made, for another one ---- */

static void add_made(const struct made *made, struct engine_bytes *bytes)
{
    uint64_t n[] = {made->files.n, made->lines.n};
    engine_add(bytes, n, sizeof n);
    engine_add(bytes, made->files.at, made->files.n * sizeof *made->files.at);
    for (size_t i = 0; i < made->lines.n; i++) {
        const struct made_line *line = &made->lines.at[i];
        engine_add(bytes, line, sizeof *line);
        engine_add(bytes, line->text, strlen(line->text) + 1);
    }
}

static void join_made(struct made *made, const void *bytes)
{
    const char *at = bytes;
    uint64_t n[2];
    memcpy(n, at, sizeof n);
    at += sizeof n;
    for (uint64_t i = 0; i < n[0]; i++, at += sizeof(uint32_t))
        memcpy(LIST_ADD(&made->files), at, sizeof(uint32_t));
    for (uint64_t i = 0; i < n[1]; i++) {
        struct made_line line;
        memcpy(&line, at, sizeof line);
        line.text = copy_text(at + sizeof line);
        at += sizeof line + strlen(line.text) + 1;
        made->has_failed = made->has_failed || line.is_fault;
        *LIST_ADD(&made->lines) = line;
    }
}

static void free_made(struct made *made)
{
    for (size_t i = 0; i < made->lines.n; i++)
        free(made->lines.at[i].text);
    free(made->lines.at);
    free(made->files.at);
}

/* ---- a worker ---- */

/* The first one goes on from what all have made before. */
static void *begin(void *context, struct engine *engine)
{
    struct worker *w = take_memory(sizeof *w);
    w->remaking = context;
    w->share = (struct remake_share){w->remaking->owner, engine->rank};
    if (!engine->rank)
        w->made = *w->remaking->made;
    return w;
}

static bool remake(void *state, uint64_t most, uint64_t *n)
{
    struct worker *w = state;
    (void)most;
    w->remaking->remake(w->remaking->work, &w->made, w->share);
    *n = 0;
    return false;
}

static uint64_t reached(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

static void give(void *state, struct engine_bytes *bytes)
{
    add_made(&((const struct worker *)state)->made, bytes);
}

static void join(void *state, const void *bytes, size_t size)
{
    (void)size;
    join_made(&((struct worker *)state)->made, bytes);
}

static void finish(void *state)
{
    struct worker *w = state;
    if (!w->share.worker) {
        *w->remaking->made = w->made;
        w->made = (struct made){0};
    }
    free_made(&w->made);
    free(w);
}

void remake_by_workers(struct remaking *remaking, const uint64_t *bytes, size_t n, unsigned threads)
{
    static const struct engine_analysis analysis = {.begin = begin,
                                                    .read = remake,
                                                    .reached = reached,
                                                    .give = give,
                                                    .join = join,
                                                    .finish = finish};
    struct engine_how how = {.workers = threads};
    unsigned most = engine_processors();
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += bytes[i];
    if (!threads)
        how.workers = all / EACH_BYTES < most ? (unsigned)(all / EACH_BYTES) + 1 : most;
    uint32_t *owner = take_memory(n * sizeof *owner);
    engine_deal(bytes, n, engine_workers(&how), owner);
    remaking->owner = owner;
    engine_run(&analysis, remaking, &how);
    free(owner);
}
