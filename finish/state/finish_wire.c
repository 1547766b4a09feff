/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static uint64_t words_for(uint64_t bytes)
{
    return bytes / sizeof(uint64_t) + (bytes % sizeof(uint64_t) != 0);
}

void finish_put(struct spur_words *to, const void *from, uint64_t bytes)
{
    uint64_t *at = bytes ? spur_words_add(to, words_for(bytes)) : NULL;
    if (at)
        memcpy(at, from, bytes);
}

int finish_get(struct finish_reading_words *from, void *to, uint64_t bytes)
{
    const uint64_t words = words_for(bytes);
    if (words > from->n)
        return -EPROTO;
    if (bytes)
        memcpy(to, from->at, bytes);
    from->at += words;
    from->n -= words;
    return 0;
}

/* ---- memory: its size, and what it holds ---- */

static void put_sized(struct spur_words *to, const void *from, uint64_t bytes)
{
    finish_put(to, &bytes, sizeof bytes);
    finish_put(to, from, bytes);
}

/* New memory of *bytes and some `more`; NULL if there are none. */
static int get_sized(struct finish_reading_words *from, void **memory, uint64_t *bytes,
                     uint64_t more)
{
    *memory = NULL;
    int err = finish_get(from, bytes, sizeof *bytes);
    if (err || !*bytes)
        return err;
    if (words_for(*bytes) > from->n)
        return -EPROTO;
    *memory = spur_mem_new(*bytes + more);
    return *memory ? finish_get(from, *memory, *bytes) : -ENOMEM;
}

static void put_words(struct spur_words *to, const struct spur_words *words)
{
    put_sized(to, words->at, words->n * sizeof *words->at);
}

static int get_words(struct finish_reading_words *from, struct spur_words *words)
{
    uint64_t bytes;
    spur_words_free(words);
    int err = finish_get(from, &bytes, sizeof bytes);
    if (err || !bytes)
        return err;
    if (words_for(bytes) > from->n)
        return -EPROTO;
    uint64_t *at = spur_words_add(words, words_for(bytes));
    return at ? finish_get(from, at, bytes) : -ENOMEM;
}

/* ---- columns of a process ---- */

static void put_journal(struct spur_words *to, const struct finish_process *p)
{
    put_sized(to, p->journal, p->journal_bytes);
}

static int get_journal(struct finish_reading_words *from, struct finish_process *p)
{
    uint64_t bytes = 0;
    spur_mem_free(p->journal, p->journal_room);
    int err = get_sized(from, &p->journal, &bytes, sizeof bytes);
    p->journal_bytes = bytes;
    p->journal_room = p->journal ? bytes + sizeof bytes : 0;
    return err;
}

static void put_threads(struct spur_words *to, const struct finish_process *p)
{
    put_sized(to, p->threads, p->n_threads * sizeof *p->threads);
}

static int get_threads(struct finish_reading_words *from, struct finish_process *p)
{
    void *threads;
    uint64_t bytes = 0;
    int err = get_sized(from, &threads, &bytes, 0);
    if (!err && bytes % sizeof *p->threads)
        err = -EPROTO;
    spur_mem_free(p->threads, p->n_threads * sizeof *p->threads);
    p->threads = threads;
    p->n_threads = bytes / sizeof *p->threads;
    return err;
}

static void put_map(struct spur_words *to, const struct finish_process *p)
{
    for (int space = 0; space < SPUR_SPACES; space++)
        put_words(to, &p->map.of[space]);
}

static int get_map(struct finish_reading_words *from, struct finish_process *p)
{
    int err = 0;
    for (int space = 0; space < SPUR_SPACES && !err; space++)
        err = get_words(from, &p->map.of[space]);
    return err;
}

static void put_told_map(struct spur_words *to, const struct finish_process *p)
{
    put_sized(to, p->told_map.memory, p->told_map.bytes);
}

static int get_told_map(struct finish_reading_words *from, struct finish_process *p)
{
    void *memory;
    uint64_t bytes = 0;
    spur_unified_map_free(&p->told_map);
    int err = get_sized(from, &memory, &bytes, sizeof bytes);
    if (!err && memory && spur_unified_map_take(memory, bytes, bytes + sizeof bytes, &p->told_map))
        err = -EPROTO;
    return err;
}

/* In front of the members that always go. */
static void put_who(struct spur_words *to, const struct finish_process *p)
{
    finish_put(to, p->name, sizeof p->name);
    finish_put(to, &p->head, sizeof p->head);
}

static int get_who(struct finish_reading_words *from, struct finish_process *p)
{
    int err = finish_get(from, p->name, sizeof p->name);
    return err ? err : finish_get(from, &p->head, sizeof p->head);
}

#define PUT_WHO(name) put_who(to, p)
#define PUT_WORDS(name) put_words(to, &p->name)
#define PUT_JOURNAL(name) put_journal(to, p)
#define PUT_THREADS(name) put_threads(to, p)
#define PUT_MAP(name) put_map(to, p)
#define PUT_TOLD_MAP(name) put_told_map(to, p)
#define PUT_SESSION(name) (void)p
#define PUT_CONTEXTS(name) (void)p

#define GET_WHO(name) get_who(from, p)
#define GET_WORDS(name) get_words(from, &p->name)
#define GET_JOURNAL(name) get_journal(from, p)
#define GET_THREADS(name) get_threads(from, p)
#define GET_MAP(name) get_map(from, p)
#define GET_TOLD_MAP(name) get_told_map(from, p)
#define GET_SESSION(name) 0
#define GET_CONTEXTS(name) 0

static void put_column(struct spur_words *to, const struct finish_process *p,
                       enum finish_column column)
{
    switch (column) {
#define COLUMN(NAME, name, kind)                                                                   \
    case FINISH_COLUMN_AT_##NAME:                                                                  \
        PUT_##kind(name);                                                                          \
        break;
#include "finish/state/finish_wire.def"
#undef COLUMN
    case FINISH_COLUMNS:
        break;
    }
}

static int get_column(struct finish_reading_words *from, struct finish_process *p,
                      enum finish_column column)
{
    switch (column) {
#define COLUMN(NAME, name, kind)                                                                   \
    case FINISH_COLUMN_AT_##NAME:                                                                  \
        return GET_##kind(name);
#include "finish/state/finish_wire.def"
#undef COLUMN
    case FINISH_COLUMNS:
        break;
    }
    return 0;
}

/* ---- a process ---- */

enum { ALWAYS_AT = offsetof(struct finish_process, state) };

/* Pointers, and what tells how much is behind them: of no worth in other memory. */
/* clang-format off */
#define OWN(X)                                                                                     \
    X(told_in) X(creator) X(journal) X(journal_room) X(journal_bytes) X(arguments)        \
    X(threads) X(n_threads) X(map) X(told) X(told_map) X(members) X(members_order) X(devices)      \
    X(locks) X(lock_counts)
/* clang-format on */

void finish_put_process(struct spur_words *to, const struct finish_process *p, unsigned columns)
{
    finish_put(to, (const char *)p + ALWAYS_AT, sizeof *p - ALWAYS_AT);
    for (int i = 0; i < FINISH_COLUMNS; i++)
        if (columns & 1u << i)
            put_column(to, p, (enum finish_column)i);
}

int finish_get_process(struct finish_reading_words *from, struct finish_process *p,
                       unsigned columns)
{
    struct finish_process *kept = spur_mem_new(sizeof *kept);
    if (!kept)
        return -ENOMEM;
    memcpy(kept, p, sizeof *kept);
    int err = finish_get(from, (char *)p + ALWAYS_AT, sizeof *p - ALWAYS_AT);
#define X(member) p->member = kept->member;
    OWN(X)
#undef X
    spur_mem_free(kept, sizeof *kept);
    for (int i = 0; i < FINISH_COLUMNS && !err; i++)
        if (columns & 1u << i)
            err = get_column(from, p, (enum finish_column)i);
    return err;
}

/* ---- the session ---- */

/* What steps ask the session about. */
/* clang-format off */
#define GIVEN(X)                                                                                   \
    X(options) X(container) X(block_bytes) X(boot_id) X(start) X(now) X(has_stacks) X(is_retried)  \
    X(is_adopted) X(is_claimed) X(has_unified)
/* clang-format on */

#define PUT_ALL_WHO(NAME, name)
#define PUT_ALL_WORDS PUT_ALL_WHO
#define PUT_ALL_SESSION(NAME, name)                                                                \
    if (columns & FINISH_COLUMN(NAME))                                                             \
        put_words(to, &f->name);
#define PUT_ALL_CONTEXTS(NAME, name)                                                               \
    if (columns & FINISH_COLUMN(NAME))                                                             \
        put_sized(to, f->name.at, f->name.n * sizeof *f->name.at);
#define PUT_ALL_JOURNAL PUT_ALL_WORDS
#define PUT_ALL_THREADS PUT_ALL_WORDS
#define PUT_ALL_MAP PUT_ALL_WORDS
#define PUT_ALL_TOLD_MAP PUT_ALL_WORDS

void finish_put_session(struct spur_words *to, const struct finish *f, unsigned columns)
{
#define X(member) finish_put(to, &f->member, sizeof f->member);
    GIVEN(X)
#undef X
#define COLUMN(NAME, name, kind) PUT_ALL_##kind(NAME, name)
#include "finish/state/finish_wire.def"
#undef COLUMN
}

static int get_contexts(struct finish_reading_words *from, struct finish_contexts *contexts)
{
    void *memory;
    uint64_t bytes = 0;
    finish_contexts_free(contexts);
    int err = get_sized(from, &memory, &bytes, 0);
    contexts->at = memory;
    contexts->n = contexts->room = bytes / sizeof *contexts->at;
    return err;
}

#define GET_ALL_WHO(NAME, name)
#define GET_ALL_WORDS GET_ALL_WHO
#define GET_ALL_SESSION(NAME, name)                                                                \
    if (!err && columns & FINISH_COLUMN(NAME))                                                     \
        err = get_words(from, &f->name);
#define GET_ALL_CONTEXTS(NAME, name)                                                               \
    if (!err && columns & FINISH_COLUMN(NAME))                                                     \
        err = get_contexts(from, &f->name);
#define GET_ALL_JOURNAL GET_ALL_WORDS
#define GET_ALL_THREADS GET_ALL_WORDS
#define GET_ALL_MAP GET_ALL_WORDS
#define GET_ALL_TOLD_MAP GET_ALL_WORDS

int finish_get_session(struct finish_reading_words *from, struct finish *f, unsigned columns)
{
    int err = 0;
#define X(member)                                                                                  \
    if (!err)                                                                                      \
        err = finish_get(from, &f->member, sizeof f->member);
    GIVEN(X)
#undef X
#define COLUMN(NAME, name, kind) GET_ALL_##kind(NAME, name)
#include "finish/state/finish_wire.def"
#undef COLUMN
    f->options.crew = (struct spur_finish_crew){.n = 0};
    f->options.team = (struct spur_finish_team){.n = 0};
    return err;
}

/* ---- what comes of a step ---- */

#define RESULT(X) FINISH_COUNTERS(X) X(unread) X(unremoved) X(culprit)

void finish_put_result(struct spur_words *to, const struct finish *part, int err, uint64_t at)
{
    finish_put(to, &err, sizeof err);
    finish_put(to, &at, sizeof at);
#define X(member) finish_put(to, &part->member, sizeof part->member);
    RESULT(X)
#undef X
}

int finish_get_result(struct finish_reading_words *from, struct finish *part, int *err,
                      uint64_t *at)
{
    int failed = finish_get(from, err, sizeof *err);
    if (!failed)
        failed = finish_get(from, at, sizeof *at);
#define X(member)                                                                                  \
    if (!failed)                                                                                   \
        failed = finish_get(from, &part->member, sizeof part->member);
    RESULT(X)
#undef X
    part->culprit[sizeof part->culprit - 1] = '\0';
    return failed;
}
