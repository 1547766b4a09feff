/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
#include <inttypes.h>

#include "tests/unit/session_build.h"

/* PID is more than any process may have, so that none of them runs. */
enum { PID = 5000000, PAIRS = 20, THREADS = 3 };

static const struct spur_finish_options quiet = {.quiet = true};
static char text[1 << 20];

TestSuite(finish_gathered, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 600);

/* `n` locations, of 2 * PAIRS events each, none more. */
static void judge(int n)
{
    char wanted[64];
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
    cr_assert(strstr(text, "WARN") == NULL && strstr(text, "ERROR") == NULL, "%s", text);
    snprintf(wanted, sizeof wanted, "# Events: %d,", 2 * PAIRS);
    for (const char *at = text; n-- > 0; at++) {
        at = strstr(at, wanted);
        cr_assert(at, "%d more locations of %s are missing in\n%s", n + 1, wanted, text);
    }
    cr_assert(access("s/.spur", F_OK) != 0, "what the archive holds is gone");
}

/* The closed files of some threads, one behind the other as they are gathered. Its bytes. */
static size_t gather(struct fake *p, uint32_t first, uint32_t n, uint8_t *to)
{
    size_t at = 0;
    for (uint32_t thread = first; thread < first + n; thread++) {
        char file[64];
        fake_events(p, thread, PAIRS);
        snprintf(file, sizeof file, "traces/%u.evt", thread);
        struct spur_gathered record = {.thread = thread};
        record.bytes = (uint32_t)get_file(in(p->dir, file), to + at + sizeof record, BLOCK);
        cr_assert(unlink(in(p->dir, file)) == 0);
        memcpy(to + at, &record, sizeof record);
        at += spur_gathered_room(record.bytes);
    }
    return at;
}

static void open_process(struct fake *p)
{
    fake_open(p, "s", PID, -1, 0);
    fake_define(p, "main");
    for (uint64_t thread = 1; thread < THREADS; thread++)
        BUILD(&p->journal, Location, {thread}, {1}, {1}, {0});
}

static _Alignas(64) char segment[2 * BLOCK];

Test(finish_gathered, what_ended_threads_recorded_needs_no_file_of_the_process)
{
    struct fake p;
    open_process(&p);
    p.head.gathered_bytes =
        (uint32_t)gather(&p, 0, THREADS, (uint8_t *)segment + SPUR_GATHERED_OFFSET);
    fake_close(&p, segment, SPUR_SLOTS_OFFSET, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    judge(THREADS);
}

Test(finish_gathered, a_slot_that_was_not_free_yet_says_nothing_more)
{
    static uint8_t events[BLOCK];
    struct fake p;
    uint64_t whole;
    open_process(&p);
    fake_events(&p, 1, PAIRS - 5);
    size_t n = get_file(in(p.dir, "traces/1.evt"), events, sizeof events);
    cr_assert(unlink(in(p.dir, "traces/1.evt")) == 0);
    struct spur_slot *slot = fake_slot(segment, 1, events, n, 0, &whole);
    slot->thread = 1;
    slot->is_main = 0;
    p.head.gathered_bytes =
        (uint32_t)gather(&p, 0, THREADS, (uint8_t *)segment + SPUR_GATHERED_OFFSET);
    fake_close(&p, segment, sizeof segment, false);
    cr_assert(spur_finish("s", &quiet) == 0);
    judge(THREADS);
}

/* It was killed when all of it was in the file, or a part, and it was still in the segment, too. */
Test(finish_gathered, what_is_just_moved_to_the_file_counts_once)
{
    static uint8_t gathered[BLOCK];
    for (size_t cut = 0; cut < 300; cut += 99) {
        struct fake p;
        open_process(&p);
        size_t first = gather(&p, 0, 1, gathered);
        size_t n = gather(&p, 1, THREADS - 1, gathered + first);
        memset(segment, 0, sizeof segment);
        memcpy(segment + SPUR_GATHERED_OFFSET, gathered + first, n);
        p.head.gathered_bytes = (uint32_t)n;
        put_file(in(p.dir, SPUR_GATHERED_FILE), gathered, first + n - cut);
        fake_close(&p, segment, SPUR_SLOTS_OFFSET, false);
        cr_assert(spur_finish("s", &quiet) == 0);
        judge(THREADS);
        cr_assert(system("rm -r s") == 0);
    }
}

Test(finish_gathered, an_attempt_that_was_cut_off_is_repeated)
{
    struct fake p;
    open_process(&p);
    p.head.gathered_bytes =
        (uint32_t)gather(&p, 0, THREADS, (uint8_t *)segment + SPUR_GATHERED_OFFSET);
    fake_close(&p, segment, SPUR_SLOTS_OFFSET, true);
    cr_assert(mkdir("s/traces", 0700) == 0);
    put_file("s/traces/0.evt", "half", 4);
    put_file("s/traces/1.def", "half", 4);
    put_file("s/.spur/attempt", "", 0);
    cr_assert(spur_finish("s", &quiet) == 0);
    judge(THREADS);
}

static void flip(char *byte)
{
    uint8_t bits;
    memcpy(&bits, byte, 1);
    bits ^= (uint8_t)(1U << random() % 8);
    memcpy(byte, &bits, 1);
}

/* Damage of any kind: what can be read of the archive is true, and nothing else breaks. */
Test(finish_gathered, damage_costs_events_and_no_more)
{
    static uint8_t gathered[BLOCK];
    for (unsigned seed = 0; seed < 60; seed++) {
        struct fake p;
        srandom(seed);
        open_process(&p);
        size_t n = gather(&p, 0, THREADS, gathered);
        memset(segment, 0, sizeof segment);
        memcpy(segment + SPUR_GATHERED_OFFSET, gathered, n);
        for (int i = 0; i < 3; i++)
            flip(&segment[SPUR_GATHERED_OFFSET + (size_t)random() % n]);
        p.head.gathered_bytes = (uint32_t)(seed % 4 ? n : (size_t)random());
        fake_close(&p, segment, seed % 3 ? SPUR_SLOTS_OFFSET : SPUR_SLOTS_OFFSET / 3, seed % 2);
        int err = spur_finish("s", &quiet);
        cr_assert(err == 0, "seed %u: %d", seed, err);
        (void)print_archive("s", text, sizeof text);
        cr_assert(strstr(text, "=== ") != NULL, "seed %u: %s", seed, text);
        cr_assert(system("rm -r s") == 0);
    }
}
