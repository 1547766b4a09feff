/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
/* What members of a team send to each other arrives, and nothing is taken from behind its end. */
#include <string.h>

#include "base/mem.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_wire.h"
#include "tests/unit/map_build.h"
#include "tests/unit/session_build.h"

enum { ALL = (1u << FINISH_COLUMNS) - 1, THREADS = 3, WORDS = 5, LATE = 77 };

static void fill(struct spur_words *words, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        *spur_words_add(words, 1) = first + i;
}

/* A process that has something in each column. */
static struct finish_process *make(struct finish *f)
{
    struct finish_process *p = finish_add(f);
    const struct spur_unified_map about = {.stamp = 9, .rank = 4, .covered = 16};
    snprintf(p->name, sizeof p->name, "host.12.34");
    p->head.pid = 12;
    p->state = FINISH_DEAD;
    p->seen_ticks = LATE;
    p->n_threads = THREADS;
    p->threads = spur_mem_new(THREADS * sizeof *p->threads);
    for (uint32_t i = 0; i < THREADS; i++)
        p->threads[i] = (struct finish_thread){.number = i, .events = LATE + i};
    p->journal_bytes = sizeof(uint64_t);
    p->journal_room = 2 * sizeof(uint64_t);
    p->journal = spur_mem_new(p->journal_room);
    memcpy(p->journal, "journal", sizeof "journal");
    fill(&p->map.of[0], 100, WORDS);
    fill(&p->map.of[SPUR_SPACES - 1], 200, 1);
    fill(&p->told, 300, WORDS);
    fill(&p->arguments, 400, WORDS);
    save_map("map", &about, &p->map);
    cr_assert_eq(spur_unified_map_load("map", &p->told_map), 0);
    return p;
}

static void expect_words(const struct spur_words *got, const struct spur_words *want)
{
    cr_expect_eq(got->n, want->n);
    cr_expect(got->n == want->n && (!got->n || memcmp(got->at, want->at, got->n * 8) == 0));
}

static void expect_same(const struct finish_process *got, const struct finish_process *want)
{
    cr_expect_str_eq(got->name, want->name);
    cr_expect_eq(got->head.pid, want->head.pid);
    cr_expect_eq(got->state, want->state);
    cr_expect_eq(got->seen_ticks, want->seen_ticks);
    cr_assert_eq(got->n_threads, want->n_threads);
    for (uint64_t i = 0; i < THREADS; i++)
        cr_expect_eq(got->threads[i].number, want->threads[i].number);
    cr_assert_eq(got->journal_bytes, want->journal_bytes);
    cr_expect_eq(memcmp(got->journal, want->journal, want->journal_bytes), 0);
    for (int space = 0; space < SPUR_SPACES; space++)
        expect_words(&got->map.of[space], &want->map.of[space]);
    expect_words(&got->told, &want->told);
    expect_words(&got->arguments, &want->arguments);
    cr_expect_eq(got->told_map.stamp, want->told_map.stamp);
    cr_expect_eq(got->told_map.ids[0], 100);
}

Test(wire, a_process_arrives)
{
    struct finish f = {.dir = "."};
    struct spur_words message = {0};
    enter_fresh_dir();
    const struct finish_process *p = make(&f);
    finish_put_process(&message, p, ALL);
    struct finish_reading_words from = {message.at, message.n};
    struct finish_process *q = finish_add(&f);
    cr_assert_eq(finish_get_process(&from, q, ALL), 0);
    cr_expect_eq(from.n, 0);
    expect_same(q, p);
    /* Again, in place of what it has. */
    from = (struct finish_reading_words){message.at, message.n};
    cr_assert_eq(finish_get_process(&from, q, ALL), 0);
    expect_same(q, p);
    spur_words_free(&message);
    finish_free(&f);
}

Test(wire, what_is_not_asked_for_stays)
{
    struct finish f = {.dir = "."}, other = {.dir = "."};
    struct spur_words message = {0};
    enter_fresh_dir();
    struct finish_process *p = make(&f), *far = finish_add(&other);
    far->state = FINISH_ENDED;
    fill(&far->locks, 500, WORDS);
    finish_put_process(&message, far, FINISH_COLUMN(LOCKS));
    struct finish_reading_words from = {message.at, message.n};
    cr_assert_eq(finish_get_process(&from, p, FINISH_COLUMN(LOCKS)), 0);
    cr_expect_eq(p->state, FINISH_ENDED);
    expect_words(&p->locks, &far->locks);
    cr_expect_str_eq(p->name, "host.12.34");
    cr_expect_eq(p->n_threads, THREADS);
    cr_expect_eq(p->threads[1].events, LATE + 1);
    cr_expect_str_eq(p->journal, "journal");
    spur_words_free(&message);
    finish_free(&f);
    finish_free(&other);
}

/* The words lie at the end of memory of their own, so that a sanitizer sees what is behind. */
Test(wire, a_message_that_is_cut_off)
{
    struct finish f = {.dir = "."};
    struct spur_words message = {0};
    enter_fresh_dir();
    finish_put_process(&message, make(&f), ALL);
    for (uint64_t n = 0; n < message.n; n++) {
        uint64_t *cut = malloc(n * sizeof *cut + 1);
        memcpy(cut, message.at, n * sizeof *cut);
        struct finish other = {.dir = "."};
        struct finish_reading_words from = {cut, n};
        cr_expect_eq(finish_get_process(&from, finish_add(&other), ALL), -EPROTO, "%llu words",
                     (unsigned long long)n);
        finish_free(&other);
        free(cut);
    }
    spur_words_free(&message);
    finish_free(&f);
}

Test(wire, sizes_that_are_wrong)
{
    struct finish f = {.dir = "."};
    struct spur_words message = {0};
    enter_fresh_dir();
    finish_put_process(&message, make(&f), ALL);
    const uint64_t wrong[] = {UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 62, 1, 13};
    for (uint64_t i = 0; i < message.n; i++)
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            uint64_t was = message.at[i];
            struct finish other = {.dir = "."};
            struct finish_reading_words from = {message.at, message.n};
            message.at[i] = wrong[k];
            int err = finish_get_process(&from, finish_add(&other), ALL);
            cr_expect(err == 0 || err == -EPROTO || err == -ENOMEM, "word %llu: %d",
                      (unsigned long long)i, err);
            message.at[i] = was;
            finish_free(&other);
        }
    spur_words_free(&message);
    finish_free(&f);
}

Test(wire, a_size_that_overflows)
{
    struct finish f = {.dir = "."}, other = {.dir = "."};
    struct spur_words message = {0};
    uint64_t at = 0;
    enter_fresh_dir();
    finish_put_process(&message, make(&f), FINISH_COLUMN(JOURNAL));
    while (at < message.n && memcmp(&message.at[at], "journal", sizeof "journal") != 0)
        at++;
    cr_assert(at > 0 && at < message.n);
    message.at[at - 1] = UINT64_MAX;
    struct finish_reading_words from = {message.at, message.n};
    cr_expect_eq(finish_get_process(&from, finish_add(&other), FINISH_COLUMN(JOURNAL)), -EPROTO);
    spur_words_free(&message);
    finish_free(&f);
    finish_free(&other);
}

Test(wire, a_session_and_a_result_arrive)
{
    struct finish f = {.dir = "here",
                       .block_bytes = 4096,
                       .is_retried = true,
                       .events = 3,
                       .unremoved = -EIO,
                       .culprit = "that one"};
    struct finish got = {.dir = "there"}, part = {.events = 0};
    struct spur_words message = {0};
    int err = 0;
    uint64_t at = 0;
    fill(&f.adopted_evt, 600, WORDS);
    fill(&f.group_ids, 700, WORDS);
    cr_assert(finish_contexts_add(&f.contexts, OTF2_UNDEFINED_UINT32, 8, 1));
    finish_put_session(&message, &f, ALL);
    finish_put_result(&message, &f, -ENOSPC, 2);
    struct finish_reading_words from = {message.at, message.n};
    cr_assert_eq(finish_get_session(&from, &got, ALL), 0);
    cr_assert_eq(finish_get_result(&from, &part, &err, &at), 0);
    cr_expect_eq(from.n, 0);
    cr_expect_str_eq(got.dir, "there");
    cr_expect(got.block_bytes == 4096 && got.is_retried);
    expect_words(&got.adopted_evt, &f.adopted_evt);
    expect_words(&got.group_ids, &f.group_ids);
    cr_expect(got.contexts.n == 1 && got.contexts.at[0].region == 8);
    cr_expect(err == -ENOSPC && at == 2 && part.events == 3 && part.unremoved == -EIO);
    cr_expect_str_eq(part.culprit, "that one");
    spur_words_free(&message);
    finish_free(&f);
    finish_free(&got);
}
