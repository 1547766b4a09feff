/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "finish/unify/unify_file.h"
#include "tests/unit/map_build.h"
#include "tests/unit/session_build.h"

/* PID is larger than any system's last pid, so that no process has the number. */
enum { PID = 5000000, LEAVE = 13 };

static const struct spur_finish_options quiet = {.quiet = true};
static char text[1 << 20];

static void judge(const char *session, const char *const *wanted)
{
    cr_assert(print_archive(session, text, sizeof text) == 0, "%s", text);
    cr_assert(strstr(text, "WARN") == NULL && strstr(text, "ERROR") == NULL, "%s", text);
    for (; *wanted; wanted++)
        cr_assert(strstr(text, *wanted), "%s is missing in\n%s", *wanted, text);
}

#define JUDGE(session, ...) judge(session, (const char *const[]){__VA_ARGS__, NULL})

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

TestSuite(finish, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

Test(finish, ranks_and_others_become_one_archive)
{
    struct fake child;
    fake_process("s", PID + 2, 1, 2, "MPI_Recv", 7);
    fake_process("s", PID + 1, 0, 2, "MPI_Send", 5);
    fake_process("s", PID + 3, -1, 0, "main", 1);
    fake_open(&child, "s", PID + 4, -1, 0);
    fake_define(&child, "main");
    snprintf(child.head.parent, sizeof child.head.parent, "host.%d.%d", PID + 3, START);
    fake_events(&child, 0, 0);
    fake_close(&child, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    JUDGE("s", "Name: \"MPI Rank 1\"", "Name: \"Process 5000003 (program)\"",
          "Creator: \"Process 5000003 (program)\"", "# Events: 14", "4294967296", "2 Members: 0 (",
          "SPUR::DEAD_PROCESSES", "Type: COMM_LOCATIONS");
    cr_assert_not(is_there("s/.spur"), "what the archive holds is gone");
}

Test(finish, a_rank_without_files_keeps_its_place)
{
    fake_process("s", PID + 1, 0, 3, "MPI_Send", 1);
    fake_process("s", PID + 2, 2, 3, "MPI_Send", 1);
    cr_assert(spur_finish("s", &quiet) == 0);
    JUDGE("s", "Name: \"MPI Rank 1\"", "nothing was recorded", "Number of locations            3");
}

Test(finish, two_jobs_have_two_worlds)
{
    for (int i = 0; i < 4; i++)
        fake_process("s", (uint32_t)(PID + i), i % 2, 2, "MPI_Send", 1);
    cr_assert(spur_finish("s", &quiet) == 0);
    JUDGE("s", "Number of locations            4", "GROUP                                  2");
}

/* ---- the dead ---- */

/*
 * `pairs` pairs and an Enter behind; the first `filed` chunks in the file, the later chunks in the
 * segment, the last chunk open. Returns the number of chunks.
 */
static uint64_t fake_dead(const char *session, uint64_t pairs, uint64_t filed)
{
    static uint8_t events[8 * BLOCK];
    static _Alignas(64) char segment[12 * BLOCK];
    struct fake p;
    fake_open(&p, session, PID, -1, 0);
    fake_define(&p, "MPI_Send");
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(p.archive, 0);
    for (uint64_t i = 0; i <= 2 * pairs; i++)
        (i % 2 ? OTF2_EvtWriter_Leave : OTF2_EvtWriter_Enter)(writer, NULL, START + 10 * i, 0);
    OTF2_Archive_CloseEvtWriter(p.archive, writer);
    const char *path = in(p.dir, "traces/0.evt");
    uint64_t bytes = get_file(path, events, sizeof events), whole = (bytes - 2) / BLOCK;
    unlink(path);
    filed = filed < whole ? filed : whole;
    if (filed)
        put_file(path, events, filed * BLOCK);
    memset(events + whole * BLOCK + 10, 0, 8); /* an open chunk does not know its last event */
    memset(segment, 0, sizeof segment);
    memset(segment + 2 * BLOCK, 0x55, sizeof segment - 2 * BLOCK); /* used before */
    struct spur_slot *slot = fake_slot(segment, 2, events, bytes, filed, &whole);
    slot->depth = 1;
    fake_close(&p, segment, (2 + slot->chunks) * BLOCK, false);
    return whole + 1;
}

Test(finish, a_dead_process_keeps_every_event)
{
    static const uint64_t pairs[] = {0, 3, 11000, 50000};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        uint64_t chunks = 1;
        for (uint64_t filed = 0; filed < chunks; filed++) {
            char session[32], events[64];
            snprintf(session, sizeof session, "s%u-%u", (unsigned)k, (unsigned)filed);
            chunks = fake_dead(session, pairs[k], filed);
            cr_assert(spur_finish(session, &quiet) == 0);
            snprintf(events, sizeof events, "# Events: %" PRIu64 ",", 2 * pairs[k] + 4);
            JUDGE(session, events, "spur::synthesised", "died, cause unknown");
        }
    }
}

/* A pair of events and the values of metric 0; behind the values the process died. */
static void fake_dead_in_pair(const char *session, uint32_t paired, uint8_t values)
{
    static uint8_t events[BLOCK];
    static _Alignas(64) char segment[3 * BLOCK];
    OTF2_Type type[UINT8_MAX] = {0};
    OTF2_MetricValue value[UINT8_MAX] = {{.unsigned_int = 0}};
    struct fake p;
    uint64_t whole;
    for (unsigned i = 0; i < values; i++)
        type[i] = OTF2_TYPE_UINT64;
    fake_open(&p, session, PID, -1, 0);
    p.head.paired_metric = paired;
    fake_define(&p, "main");
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(p.archive, 0);
    OTF2_EvtWriter_Enter(writer, NULL, START, 0);
    OTF2_EvtWriter_Leave(writer, NULL, START + 10, 0);
    OTF2_EvtWriter_Metric(writer, NULL, START + 20, 0, values, type, value);
    OTF2_Archive_CloseEvtWriter(p.archive, writer);
    const char *path = in(p.dir, "traces/0.evt");
    uint64_t bytes = get_file(path, events, sizeof events);
    unlink(path);
    memset(events + 10, 0, 8);
    memset(segment, 0, sizeof segment);
    fake_slot(segment, 2, events, bytes, 0, &whole)->is_main = 0;
    fake_close(&p, segment, sizeof segment, false);
}

Test(finish, values_without_what_they_belong_to_are_dropped)
{
    static const struct {
        uint32_t paired;
        uint8_t values;
        const char *events;
    } cases[] = {{1, 1, "# Events: 2,"},   /* died before the Enter or Leave behind the values */
                 {1, 200, "# Events: 2,"}, /* of a long record */
                 {2, 1, "# Events: 3,"},   /* of another metric: values that stand for themselves */
                 {0, 1, "# Events: 3,"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char session[] = {(char)('a' + i), '\0'};
        fake_dead_in_pair(session, cases[i].paired, cases[i].values);
        cr_assert(spur_finish(session, &quiet) == 0);
        (void)print_archive(session, text, sizeof text);
        cr_assert(strstr(text, cases[i].events), "%zu: %s", i, text);
    }
}

Test(finish, an_attempt_that_was_cut_off_is_repeated)
{
    fake_dead("s", 50000, 2);
    fake_process("s", PID + 1, -1, 0, "MPI_Send", 5);
    cr_assert(mkdir("s/traces", 0700) == 0);
    cr_assert(rename(in("s/.spur", "host.5000000.1000/traces/0.evt"), "s/traces/0.evt") == 0);
    put_file("s/traces/0.def", "half", 4);
    put_file("s/traces.def", "half", 4);
    for (int i = 0; i < 2; i++) /* a second try does not make the files ours */
        cr_assert(spur_finish("s", &quiet) == -EEXIST, "may be somebody else's");
    cr_assert(is_there("s/traces/0.def") && is_there("s/traces.def"));
    put_file("s/.spur/attempt", "", 0);
    cr_assert(symlink("5000009 1 x", "s/.spur/finishing") == 0);
    cr_assert(spur_finish("s", &quiet) == -EBUSY, "another host's claim counts");
    const struct spur_finish_options recover = {.quiet = true, .recover = true};
    cr_assert(spur_finish("s", &recover) == 0, "unless the user says that it is void");
    JUDGE("s", "# Events: 100004,", "# Events: 10,");
    cr_assert_not(is_there("s/.spur"));
}

Test(finish, a_file_that_ends_in_the_middle_is_completed)
{
    static uint8_t events[8 * BLOCK];
    struct fake p;
    fake_open(&p, "s", PID, -1, 0);
    fake_define(&p, "main");
    fake_events(&p, 0, 20000);
    uint64_t bytes = get_file(in(p.dir, "traces/0.evt"), events, sizeof events);
    put_file(in(p.dir, "traces/0.evt"), events, bytes - 5);
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    JUDGE("s", "# Events: 40000,");
}

/*
 * Killed during the writing of a definition: no damage. Bytes behind the half definition are
 * damage.
 */
Test(finish, a_half_written_definition_is_no_damage)
{
    for (uint64_t stray = 0; stray < 2; stray++) {
        struct fake p;
        char session[8];
        snprintf(session, sizeof session, "s%u", (unsigned)stray);
        fake_open(&p, session, PID, -1, 0);
        fake_define(&p, "main");
        fake_events(&p, 0, 10);
        uint64_t *end = spur_words_add(&p.journal, 5);
        ((struct spur_record_header *)(void *)end)->bytes = 3 * sizeof *end;
        end[2] = 77;
        end[4] = stray;
        fake_close(&p, NULL, 0, false);
        cr_assert(spur_finish(session, &quiet) == 0);
        JUDGE(session, "# Events: 20,");
        cr_assert(!strstr(text, "SPUR::DAMAGED_PROCESSES") == !stray, "%s", text);
    }
}

/* ---- who may finish ---- */

Test(finish, says_what_is_wrong)
{
    struct fake p;
    cr_assert(spur_finish("none", &quiet) == -ENOENT);
    mkdir("empty", 0700);
    cr_assert(spur_finish("empty", &quiet) == -ENOENT);
    mkdir("empty/.spur", 0700);
    cr_assert(spur_finish("empty", &quiet) == -ENOENT);
    fake_process("s", PID, -1, 0, "main", 1);
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(spur_finish("s", &quiet) == 0, "twice is no error");
    mkdir("s/.spur", 0700);
    cr_assert(spur_finish("s", &quiet) == 0 && !is_there("s/.spur"), "nothing is in it");
    fake_process("u", PID, -1, 0, "main", 1);
    cr_assert(spur_finish("u", &quiet) == 0);
    fake_process("u", PID, -1, 0, "main", 1);
    cr_assert(spur_finish("u", &quiet) == -EEXIST);
    mkdir("s/.spur", 0700);
    put_file("s/.spur/done", "", 0);
    cr_assert(spur_finish("s", &quiet) == 0 && !is_there("s/.spur"), "tidying is carried on");
    fake_open(&p, "t", PID, -1, 0);
    strcpy(p.head.boot_id, "elsewhere");
    fake_close(&p, NULL, 0, false);
    cr_assert(spur_finish("t", &quiet) == -EBUSY);
    cr_assert_not(spur_finish_is_last("t"));
    const struct spur_finish_options recover = {.quiet = true, .recover = true};
    cr_assert(spur_finish("t", &recover) == 0);
    JUDGE("t", "died");
}

Test(finish, the_last_one_is_known)
{
    struct fake p;
    fake_process("s", PID, 0, 2, "MPI_Send", 1);
    cr_assert_not(spur_finish_is_last("s"), "rank 1 is still to come");
    fake_process("s", PID + 1, 1, 2, "MPI_Send", 1);
    cr_assert(spur_finish_is_last("s"));
    fake_parent(&p, "s");
    fake_close(&p, NULL, 0, false);
    cr_assert_not(spur_finish_is_last("s"), "one still runs");
    cr_assert(spur_finish("s", &quiet) == -EBUSY);
}

/* The owner of the pid: first a stranger's process, then a process that maps the segment. */
static pid_t live(const char *session, bool has_segment)
{
    struct fake p;
    pid_t pid = fork();
    if (pid == 0) {
        char path[256];
        int fd = -1;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(path, sizeof path, "%s/.spur/host.%u.%u/segment", session, (unsigned)getpid(),
                 (unsigned)START);
        while (has_segment && fd < 0)
            fd = open(path, O_RDONLY);
        (void)mmap(NULL, sizeof p.head, PROT_READ,
                   has_segment ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
        raise(SIGSTOP);
        _exit(0);
    }
    fake_open(&p, session, (uint32_t)pid, -1, 0);
    p.head.kernel_start = 0;
    p.head.identity = spur_segment_identity(&p.head, p.head.pid);
    fake_define(&p, "main");
    fake_events(&p, 0, 1);
    fake_close(&p, NULL, 0, false);
    cr_assert(waitpid(pid, NULL, WUNTRACED) == pid);
    return pid;
}

Test(finish, who_does_not_know_its_begin_records_if_it_has_the_segment)
{
    for (int has_segment = 0; has_segment < 2; has_segment++) {
        const char *session = has_segment ? "t" : "s";
        pid_t pid = live(session, has_segment);
        cr_assert_eq(spur_finish(session, &quiet), has_segment ? -EBUSY : 0);
        kill(pid, SIGKILL);
        cr_assert(waitpid(pid, NULL, 0) == pid);
        cr_assert(has_segment == 0 || spur_finish(session, &quiet) == 0);
        JUDGE(session, "died");
    }
}

/* ---- the same bytes ---- */

static void fake_pair(const char *session)
{
    fake_process(session, PID, 0, 2, "MPI_Send", 1);
    fake_process(session, PID + 1, 1, 2, "MPI_Recv", 1);
}

/* The files of two ranks that unify in MPI_Finalize. */
static void save_unified(const char *session)
{
    static uint64_t journal[2][1024];
    struct spur_unified_map about[2] = {0};
    struct spur_map maps[2] = {0};
    struct spur_words result = {0};
    struct spur_unify *unify = spur_unify_new();
    char path[1024];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/.spur/host.%u.%u/journal", session, PID + i, START);
        uint64_t bytes = get_file(path, journal[i], sizeof journal[i]);
        about[i].covered = spur_journal_length(journal[i], bytes);
        const struct spur_unify_input input = {journal[i], about[i].covered, i, 0};
        cr_assert(spur_unify_add(unify, &input, &maps[i]) == 0);
    }
    cr_assert(spur_unify_journal(unify, &result) == 0);
    uint64_t stamp = spur_unify_stamp(2, result.at, result.n);
    cr_assert(spur_unified_save(in(session, ".spur/unified"), &result, 2, stamp) == 0);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/.spur/host.%u.%u/map", session, PID + i, START);
        about[i].stamp = stamp;
        about[i].rank = i;
        save_map(path, &about[i], &maps[i]);
        spur_map_free(&maps[i]);
    }
    spur_words_free(&result);
    spur_unify_free(unify);
}

static bool same_definitions(const char *session, const char *other)
{
    static const char *const files[] = {"traces.def", "traces/0.def", "traces/4294967296.def"};
    static char a[4096], b[4096];
    bool is_same = true;
    for (int i = 0; i < 3; i++) {
        size_t n = get_file(in(session, files[i]), a, sizeof a);
        is_same &= n == get_file(in(other, files[i]), b, sizeof b) && memcmp(a, b, n) == 0;
    }
    return is_same;
}

Test(finish, what_was_unified_before_gives_the_same_bytes)
{
    fake_pair("a");
    fake_pair("b");
    save_unified("b");
    cr_assert(spur_finish("a", &quiet) == 0 && spur_finish("b", &quiet) == 0);
    cr_assert(same_definitions("a", "b"));
}

/* A wrong map, which leads elsewhere, shows that finishing uses the map. */
Test(finish, what_was_unified_before_is_used)
{
    static uint64_t map[1024];
    char path[128];
    fake_pair("a");
    fake_pair("b");
    save_unified("b");
    snprintf(path, sizeof path, "b/.spur/host.%u.%u/map", PID + 1, START);
    size_t words = get_file(path, map, sizeof map) / sizeof *map;
    size_t first = words - map[5] - map[6] - map[7] - map[8] - map[9] - map[10] - map[11];
    map[first + 1] = 0;
    put_file(path, map, words * sizeof *map);
    cr_assert(spur_finish("a", &quiet) == 0 && spur_finish("b", &quiet) == 0);
    cr_assert_not(same_definitions("a", "b"));
}

/* The unified journal carries a check sum; a broken map loses only the names of its own process. */
Test(finish, what_was_unified_and_broke_is_not_used)
{
    static uint8_t bytes[1 << 16];
    fake_pair("a");
    cr_assert(spur_finish("a", &quiet) == 0);
    for (int round = 0; round < 60; round++) {
        char session[32], path[128];
        snprintf(session, sizeof session, "s%d", round);
        fake_pair(session);
        save_unified(session);
        snprintf(path, sizeof path, "%s/.spur/unified", session);
        if (round % 2)
            snprintf(path, sizeof path, "%s/.spur/host.%u.%u/map", session, PID, START);
        size_t n = get_file(path, bytes, sizeof bytes);
        size_t at = (size_t)round * n / 60;
        bytes[at] ^= (uint8_t)(1 << round % 8);
        put_file(path, bytes, round % 3 ? n : at);
        cr_assert(spur_finish(session, &quiet) == 0);
        cr_assert(round % 2 || same_definitions("a", session), "%d", round);
    }
}

/* ---- hostile files ---- */

/* Finishing may fail or not, but comes back; the sanitizers watch. */
Test(finish, broken_files_are_harmless)
{
    static const char *const files[] = {"segment", "journal", "traces/0.evt", "../unified"};
    static uint8_t bytes[4 * BLOCK];
    srandom(1);
    for (int round = 0; round < 120; round++) {
        char session[32], path[128];
        snprintf(session, sizeof session, "s%d", round);
        fake_dead(session, 12000, (uint64_t)round % 2);
        snprintf(path, sizeof path, "%s/.spur/host.%d.%d/%s", session, PID, START,
                 files[round % 4]);
        if (!is_there(path))
            put_file(path, "\x53\x50\x55\x52\x55\x4e\x49\x31", 8);
        size_t n = get_file(path, bytes, sizeof bytes);
        size_t part = round % 8 < 4 && n > 600 ? 600 : n;
        for (int flips = 0; flips < 1 + round % 7 && part; flips++)
            bytes[((round % 3 ? SPUR_SLOTS_OFFSET : 0) + (size_t)random() % part) % n] ^=
                (uint8_t)(1 << random() % 8);
        put_file(path, bytes, round % 5 ? n : (size_t)random() % (n + 1));
        (void)spur_finish(session, &quiet);
    }
}

/* ---- speed ---- */

/* Without the kernel's part: creating files may take any time. */
static double user_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

Test(finish, ten_thousand_locations_take_no_time)
{
    enum { THREADS = 10000 };
    struct fake p;
    fake_open(&p, "s", PID, -1, 0);
    fake_define(&p, "main");
    for (uint32_t i = 0; i < THREADS; i++) {
        fake_events(&p, i, 1);
        BUILD(&p.journal, Location, {i}, {1}, {1}, {2});
    }
    fake_close(&p, NULL, 0, true);
    double before = user_seconds();
    cr_assert(spur_finish("s", &quiet) == 0);
    double seconds = user_seconds() - before;
    cr_log_info("%f s of CPU\n", seconds);
    cr_assert(seconds < 5, "%f s; without sanitizers it is less than one", seconds);
}
