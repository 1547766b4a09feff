/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
/*
 * Each file that finishing reads, changed at random: byte by byte, word by word, cut, filled, mixed
 * up. Finishing may fail or not, but comes back, and the sanitizers watch: here finishing takes
 * memory from the C library, so that the sanitizers know the bounds of each block.
 * SPUR_TEST_MUTATIONS makes more changes than the default for each file, SPUR_TEST_SEED different
 * changes.
 */

#include "finish/unify/unify_file.h"
#include "session/stamp.h"
#include "tests/unit/map_build.h"
#include "tests/unit/remove_folder.h"
#include "tests/unit/session_build.h"

enum { PID = 5000000, EVENTS = 50000, MUTATIONS = 40, ROOM = 4 * BLOCK, MEMORY_MAX = 512 << 20 };

static const struct spur_finish_options quiet = {.quiet = true, .recover = true};

/* ---- in place of the agent's own ---- */

void *__wrap_spur_mem_new(size_t bytes);
void __wrap_spur_mem_free(void *mem, size_t bytes);
void __wrap_spur_log(const char *format, ...);

/* Files of this size never need so much memory. */
void *__wrap_spur_mem_new(size_t bytes)
{
    cr_assert(bytes < MEMORY_MAX, "%zu bytes", bytes);
    return calloc(bytes ? bytes : 1, 1);
}

void __wrap_spur_mem_free(void *mem, size_t bytes)
{
    (void)bytes;
    free(mem);
}

void __wrap_spur_log(const char *format, ...)
{
    cr_assert(format[0]);
}

/* An archive that cannot be finished stays open until the command ends. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* ---- the session ---- */

/* The files, each changed in turn; the second process was killed. */
static const char *const names[] = {
    "s/.spur/host.5000001.1000/segment",      "s/.spur/host.5000001.1000/journal",
    "s/.spur/host.5000001.1000/traces/0.evt", "s/.spur/unified",
    "s/.spur/host.5000001.1000/map",          "s/.spur/host.5000001.1000/death",
    "s/.spur/host.5000000.1000/segment",      "s/.spur/host.5000000.1000/journal",
    "s/.spur/host.5000000.1000/map",          "s/.spur/host.5000000.1000/traces/0.evt",
};

enum { SEGMENT, JOURNAL, FILES = sizeof names / sizeof names[0] };

static struct {
    uint8_t *bytes;
    size_t n;
} files[FILES];

static void define_more(struct fake *p)
{
    const uint64_t team[] = {0};
    fake_define(p, "MPI_Send");
    BUILD(&p->journal, Group, {0}, {OTF2_GROUP_TYPE_COMM_GROUP}, {OTF2_PARADIGM_OPENMP}, {0},
          {1, team});
    BUILD(&p->journal, Comm, {0}, {1}, {0}, {0});
    BUILD(&p->journal, CommName, {1}, {1});
    BUILD(&p->journal, TeamMember, {0}, {0}, {0});
    BUILD(&p->journal, World, {1}, {17, "host.5000000.1000"});
    BUILD(&p->journal, ClockReading, {1}, {2}, {3}, {4});
    BUILD(&p->journal, ContextAt, {OTF2_UNDEFINED_UINT32}, {0}, {OTF2_UNDEFINED_UINT32});
}

/* The first `filed` chunks of events are in the file, the later chunks in the segment. */
static void fake_killed(enum spur_flush flush, uint64_t filed)
{
    static uint8_t events[ROOM];
    static _Alignas(64) char segment[ROOM];
    struct fake p;
    fake_open(&p, "s", PID + 1, 1, 2);
    define_more(&p);
    p.head.flush = (uint32_t)flush;
    fake_events(&p, 0, EVENTS / 2);
    size_t n = get_file(in(p.dir, "traces/0.evt"), events, sizeof events);
    uint64_t whole;
    memset(segment, 0, sizeof segment);
    struct spur_slot *slot = fake_slot(segment, 1, events, n, filed, &whole);
    cr_assert(whole >= 2 && whole <= 3);
    slot->depth = 2;
    slot->region[1] = SPUR_OPEN_TEAM;
    put_file(in(p.dir, "traces/0.evt"), events, filed * BLOCK);
    fake_close(&p, segment, sizeof segment, false);
    put_file(in(p.dir, SPUR_DEATH_FILE), "9 1000 2000 3000\n", 17);
}

static void save_unified(void)
{
    static uint64_t journal[2][1 << 12];
    struct spur_unified_map about[2] = {0};
    struct spur_map maps[2] = {0};
    struct spur_words result = {0};
    struct spur_unify *unify = spur_unify_new();
    char path[128];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "s/.spur/host.%u.%u/journal", PID + i, START);
        uint64_t bytes = get_file(path, journal[i], sizeof journal[i]);
        about[i].covered = spur_journal_length(journal[i], bytes);
        const struct spur_unify_input input = {journal[i], about[i].covered, i, 0, NULL, 0};
        cr_assert(spur_unify_add(unify, &input, &maps[i]) == 0);
    }
    cr_assert(spur_unify_journal(unify, &result) == 0);
    uint64_t stamp = spur_unify_stamp(2, result.at, result.n);
    cr_assert(spur_unified_save("s/.spur/unified", &result, 2, stamp) == 0);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "s/.spur/host.%u.%u/map", PID + i, START);
        about[i].stamp = stamp;
        about[i].rank = i;
        save_map(path, &about[i], &maps[i]);
        spur_map_free(&maps[i]);
    }
    spur_words_free(&result);
    spur_unify_free(unify);
}

static void remove_session(void)
{
    remove_folder("s");
}

static void make_session(enum spur_flush flush, uint64_t filed)
{
    fake_process("s", PID, 0, 2, "MPI_Recv", 10);
    fake_killed(flush, filed);
    save_unified();
    for (int i = 0; i < FILES; i++) {
        static uint8_t bytes[ROOM];
        free(files[i].bytes);
        files[i].n = get_file(names[i], bytes, sizeof bytes);
        files[i].bytes = malloc(files[i].n + 1);
        memcpy(files[i].bytes, bytes, files[i].n);
    }
    remove_session();
}

/* With a changed file; `has_unified`: with the unified files of the ranks. */
static void put_session(int changed, const uint8_t *bytes, size_t n, bool has_unified)
{
    static const char *const folders[] = {"s",
                                          "s/.spur",
                                          "s/.spur/host.5000000.1000",
                                          "s/.spur/host.5000000.1000/traces",
                                          "s/.spur/host.5000001.1000",
                                          "s/.spur/host.5000001.1000/traces"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        cr_assert(mkdir(folders[i], 0700) == 0);
    for (int i = 0; i < FILES; i++)
        if (i == changed)
            put_file(names[i], bytes, n);
        else if (has_unified || !strstr(names[i], "unified"))
            put_file(names[i], files[i].bytes, files[i].n);
    put_file("s/.spur/host.5000000.1000/ended", "", 0);
}

/* ---- changes ---- */

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below ? (state >> 33) % below : 0;
}

/* The important bytes of a segment lie at its beginning, mostly: the header and the slots. */
static size_t place(int which, size_t n)
{
    if (strstr(names[which], "segment") && draw(4))
        n = draw(2) ? sizeof(struct spur_segment) : SPUR_SLOTS_OFFSET + sizeof(struct spur_slot);
    return n ? (size_t)draw(n) : 0;
}

static void put_word(uint8_t *bytes, size_t at, size_t room)
{
    static const uint64_t words[] = {0,          1,          2,          63,        64,
                                     255,        256,        BLOCK,      1 << 20,   1 << 29,
                                     1 << 30,    INT32_MAX,  UINT32_MAX, INT64_MAX, UINT64_MAX,
                                     1ULL << 32, 1ULL << 60, 0x0101,     8,         16};
    size_t size = draw(2) ? 4 : 8;
    at = at / size * size;
    uint64_t word = words[draw(sizeof words / sizeof words[0])];
    if (at + size <= room)
        memcpy(bytes + at, &word, size);
}

static size_t change(int which, uint8_t *bytes, size_t n)
{
    for (uint64_t times = 1 + draw(3) * draw(3); times > 0 && n > 0; times--) {
        size_t at = place(which, n), length = draw(2) ? 16 : 4096, from = place(which, n);
        at = at < n ? at : n - 1;
        length = length < n - at ? length : n - at;
        switch (draw(8)) {
        case 0:
            n = draw(2) ? at : n / 4096 / 2 * 4096;
            break;
        case 1:
            memset(bytes + at, draw(2) ? 0 : 0xff, length);
            break;
        case 2:
            if (from + length <= n)
                memmove(bytes + at, bytes + from, length);
            break;
        case 3:
        case 4:
            bytes[at] ^= (uint8_t)(1 << draw(8));
            break;
        case 5:
            bytes[at] = (uint8_t)draw(256);
            break;
        default:
            put_word(bytes, at, n);
        }
    }
    return n;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

static void torment(enum spur_flush flush, uint64_t filed)
{
    static uint8_t bytes[ROOM];
    uint64_t archives = 0, times = setting("SPUR_TEST_MUTATIONS", MUTATIONS) / 2;
    state = setting("SPUR_TEST_SEED", 1) + (uint64_t)flush;
    make_session(flush, filed);
    for (int which = 0; which < FILES; which++)
        for (uint64_t i = 0; i < times; i++) {
            memcpy(bytes, files[which].bytes, files[which].n);
            size_t n = change(which, bytes, files[which].n);
            put_session(which, bytes, n, i % 2);
            archives += spur_finish("s", &quiet) == 0;
            remove_session();
        }
    cr_assert(archives > FILES * times * 2 / 3, "%u archives of %u", (unsigned)archives,
              (unsigned)(FILES * times));
    for (int i = 0; i < FILES; i++) {
        free(files[i].bytes);
        files[i].bytes = NULL;
    }
}

TestSuite(hostile, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 600);

Test(hostile, files_of_a_process_that_wrote)
{
    torment(SPUR_FLUSH_WRITE, 1);
}

Test(hostile, files_of_a_process_with_a_ring)
{
    torment(SPUR_FLUSH_RING, 0);
}
