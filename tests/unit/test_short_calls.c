/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/record/short_calls.h"
#include "finish/events/finish_open.h"
#include "finish/state/finish_chunk.h"
#include "writer/evt_inline.h"

enum { LIMIT = 100, CHUNK_BYTES = 1 << 14, WORK = 7, OTHER = 8 };

/* What outlives a process. */
struct shared {
    struct spur_slot slot;
    uint8_t chunk[CHUNK_BYTES];
    volatile uint64_t begun, done; /* calls */
};

static struct shared *shared;
static struct spur_loc loc;

static void begin(void)
{
    static const uint8_t header[OTF2_FRAME_HEADER_BYTES] = {3, 0x42, 1};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    memcpy(shared->chunk, header, sizeof header);
    shared->slot.cursor = (struct otf2_evt_cursor){.pos = shared->chunk + sizeof header,
                                                   .chunk = shared->chunk,
                                                   .end = shared->chunk + sizeof shared->chunk};
    loc = (struct spur_loc){.slot = &shared->slot, .shorts = spur_short_new(LIMIT)};
}

static void end(void)
{
    spur_short_free(loc.shorts);
    munmap(shared, sizeof *shared);
}

TestSuite(short_calls, .init = begin, .fini = end, .timeout = 60);

static void enter(uint64_t time, uint32_t region)
{
    struct spur_slot *slot = loc.slot;
    loc.now = time;
    spur_short_enter(&loc);
    cr_assert_eq(otf2_evt_put_Enter(&slot->cursor, NULL, time, region), OTF2_SUCCESS);
    spur_short_entered(&loc);
    if (slot->depth < SPUR_SLOT_REGIONS)
        slot->region[slot->depth] = region;
    slot->depth++;
}

static void leave(uint64_t time, uint32_t region)
{
    struct spur_slot *slot = loc.slot;
    loc.now = time;
    if (spur_short_left(&loc))
        return;
    cr_assert_eq(otf2_evt_put_Leave(&slot->cursor, NULL, time, region), OTF2_SUCCESS);
    slot->depth--;
}

static void note_record(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    char *end_of_text = (char *)data + strlen(data);
    (void)at;
    switch (chunk->event) {
    case OTF2_EVT_ID_Enter:
        *end_of_text = 'E';
        break;
    case OTF2_EVT_ID_Leave:
        *end_of_text = 'L';
        break;
    case OTF2_EVT_ID_Metric:
        *end_of_text = 'M';
        break;
    default:
        *end_of_text = '?';
    }
}

/* The records up to the cursor, a letter each. */
static const char *records(void)
{
    static char text[256];
    struct finish_chunk chunk;
    memset(text, 0, sizeof text);
    cr_assert(finish_chunk_walk(shared->chunk, (uint64_t)(shared->slot.cursor.pos - shared->chunk),
                                &chunk, text, note_record));
    return text;
}

#define EXPECT(wanted, calls, ns)                                                                  \
    do {                                                                                           \
        cr_expect_str_eq(records(), wanted);                                                       \
        cr_expect_eq(shared->slot.short_calls, calls);                                             \
        cr_expect_eq(shared->slot.short_ns, ns);                                                   \
        cr_expect_eq(shared->slot.cursor.events, strlen(wanted));                                  \
    } while (0)

Test(short_calls, what_is_shorter_than_the_limit_is_counted)
{
    enter(10, WORK);
    leave(10 + LIMIT - 1, WORK);
    EXPECT("", 1, LIMIT - 1);
    cr_expect_eq(shared->slot.depth, 0);
    cr_expect_eq(shared->slot.cursor.time, 0, "the next record needs a time of its own");
    enter(1000, WORK);
    leave(1000 + LIMIT, WORK);
    EXPECT("MEL", 1, LIMIT - 1);
    enter(2000, WORK);
    leave(2000 + LIMIT, WORK);
    EXPECT("MELEL", 1, LIMIT - 1);
}

Test(short_calls, a_record_that_was_taken_back_is_written_again)
{
    for (uint64_t i = 0; i < 5; i++) {
        enter(10 + 10 * i, WORK);
        leave(12 + 10 * i, WORK);
    }
    EXPECT("", 5, 10);
    cr_expect_eq(shared->slot.short_told, 0);
    enter(1000, WORK);
    cr_expect_eq(shared->slot.short_told, 5);
    enter(1001, OTHER);
    leave(1002, OTHER);
    leave(1500, WORK);
    EXPECT("MEML", 6, 11);
    cr_expect_eq(shared->slot.short_told, 6);
}

Test(short_calls, calls_within_a_call_go_with_it)
{
    enter(10, WORK);
    for (uint64_t i = 0; i < 3; i++) {
        enter(20 + 10 * i, WORK);
        leave(25 + 10 * i, WORK);
    }
    EXPECT("E", 3, 15);
    leave(60, WORK);
    EXPECT("", 4, 50);
    enter(100, WORK);
    enter(110, OTHER);
    leave(110 + LIMIT, OTHER);
    leave(111 + LIMIT, WORK);
    EXPECT("MEELL", 4, 50);
}

Test(short_calls, a_call_with_a_record_stays)
{
    enter(10, WORK);
    cr_assert_eq(otf2_evt_put_ParameterInt(&shared->slot.cursor, NULL, 10, 0, 1), OTF2_SUCCESS);
    leave(11, WORK);
    EXPECT("E?L", 0, 0);
}

/* The bytes and the number of a record that is no Enter may be those of one that was taken back. */
Test(short_calls, only_regions_are_taken_back)
{
    struct spur_slot *slot = &shared->slot;
    enter(10, WORK);
    leave(11, WORK);
    loc.now = 20;
    cr_assert_eq(otf2_evt_put_Enter(&slot->cursor, NULL, 20, WORK), OTF2_SUCCESS);
    slot->region[slot->depth++] = SPUR_OPEN_TEAM | 1;
    loc.now = 21;
    cr_expect_not(spur_short_take_back(&loc));
    EXPECT("E", 1, 1);
}

Test(short_calls, what_has_gone_to_another_chunk_stays)
{
    static uint8_t other[CHUNK_BYTES];
    struct spur_slot *slot = &shared->slot;
    loc.now = 10;
    spur_short_enter(&loc);
    slot->cursor.chunk = slot->cursor.pos = other;
    slot->cursor.end = other + sizeof other;
    cr_assert_eq(otf2_evt_put_Enter(&slot->cursor, NULL, 10, WORK), OTF2_SUCCESS);
    spur_short_entered(&loc);
    slot->region[slot->depth++] = WORK;
    loc.now = 11;
    cr_expect_not(spur_short_take_back(&loc));
}

Test(short_calls, depths_beyond_the_slot_stay)
{
    for (uint32_t i = 0; i < SPUR_SLOT_REGIONS + 2; i++)
        enter(10 + i, WORK);
    for (uint32_t i = 0; i < SPUR_SLOT_REGIONS + 2; i++)
        leave(80 + i, WORK);
    cr_expect_eq(shared->slot.short_calls, 0);
    cr_expect_eq(shared->slot.depth, 0);
    cr_expect_eq(shared->slot.cursor.events, 2 * (SPUR_SLOT_REGIONS + 2));
}

Test(short_calls, what_is_firm_is_never_taken_back)
{
    struct spur_slot *slot = &shared->slot;
    enter(10, WORK);
    leave(500, WORK);
    const uint8_t *kept = slot->cursor.pos;
    enter(600, WORK);
    enter(601, OTHER);
    cr_expect_eq(slot->firm, kept);
    leave(602, OTHER);
    enter(603, OTHER);
    cr_expect_eq(slot->firm, kept);
    leave(900, OTHER);
    enter(1000, OTHER);
    cr_expect_gt(slot->firm, kept, "the outer one can stay only");
    uint32_t before = slot->taken_back;
    leave(1001, OTHER);
    cr_expect_neq(slot->taken_back, before);
    cr_expect_geq(slot->cursor.pos, slot->firm);
}

/* ---- kill -9 ---- */

static void counted_enter(uint64_t time, uint32_t region)
{
    shared->begun++;
    enter(time, region);
}

static void counted_leave(uint64_t time, uint32_t region)
{
    leave(time, region);
    shared->done++;
}

/* What is left at this instruction makes a balanced archive and has every call that was over. */
static void judge(void)
{
    uint64_t enters = 0, leaves = 0, n = 0;
    uint32_t region[SPUR_SLOT_REGIONS];
    memcpy(region, shared->slot.region, sizeof region);
    for (const char *r = records(); *r; r++, n++) {
        enters += *r == 'E';
        leaves += *r == 'L';
    }
    struct finish_open open = {region, 0};
    finish_open_follow(&open, shared->chunk, (uint64_t)(shared->slot.cursor.pos - shared->chunk));
    cr_assert_eq(open.depth, enters - leaves);
    for (uint32_t i = 0; i < open.depth; i++)
        cr_assert_eq(region[i], WORK);
    uint64_t calls = shared->slot.short_calls;
    cr_assert_geq(leaves + calls, shared->done);
    cr_assert_leq(enters + calls, shared->begun);
    cr_assert_leq(n, shared->slot.cursor.events + 1, "the last record may not be counted yet");
}

Test(short_calls, killed_at_any_instruction)
{
    int status, steps = 0;
    counted_enter(10, WORK);
    counted_leave(20, WORK);
    counted_enter(30, WORK);
    counted_enter(40, WORK);
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        counted_leave(50, WORK);
        counted_enter(60, WORK);
        counted_leave(70, WORK);
        counted_leave(80, WORK);
        raise(SIGSTOP);
        _exit(0);
    }
    cr_assert(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
    for (bool is_over = false; !is_over; steps++) {
        cr_assert_eq(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
        cr_assert(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
        is_over = WSTOPSIG(status) == SIGSTOP;
        judge();
    }
    cr_expect_gt(steps, 100);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    EXPECT("", 4, 60);
}
