/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
/*
 * Rings that begin at any record. The stream has nested calls, forks, teams and calling contexts,
 * with messages, metrics and samples in between. The test moves the stream record by record over
 * the boundary of chunks. Each chunk but the first is in turn the oldest chunk that the ring keeps.
 */
#include "finish/state/finish_chunk.h"
#include "tests/unit/session_build.h"

enum { PID = 5000000, EVENTS = 40000, CHUNKS_MAX = 8, DEEP = 3, SHIFTS_MAX = 150 };

static const struct spur_finish_options quiet = {.quiet = true, .recover = true};

/* ---- the stream: DEEP calls that stay open, and the turns of a loop ---- */

typedef OTF2_ErrorCode put_event(OTF2_EvtWriter *w, uint64_t time);

#define PUT(name, call)                                                                            \
    static OTF2_ErrorCode name(OTF2_EvtWriter *w, uint64_t time)                                   \
    {                                                                                              \
        return call;                                                                               \
    }

static const OTF2_Type metric_type = OTF2_TYPE_UINT64;
static const OTF2_MetricValue metric_value = {.unsigned_int = 1000};

PUT(enter, OTF2_EvtWriter_Enter(w, NULL, time, 0))
PUT(leave, OTF2_EvtWriter_Leave(w, NULL, time, 0))
PUT(send, OTF2_EvtWriter_MpiSend(w, NULL, time, 0, 0, 7, 4))
PUT(recv, OTF2_EvtWriter_MpiRecv(w, NULL, time, 0, 0, 7, 4))
PUT(fork_threads, OTF2_EvtWriter_ThreadFork(w, NULL, time, OTF2_PARADIGM_OPENMP, 2))
PUT(join, OTF2_EvtWriter_ThreadJoin(w, NULL, time, OTF2_PARADIGM_OPENMP))
PUT(team_begin, OTF2_EvtWriter_ThreadTeamBegin(w, NULL, time, 0))
PUT(team_end, OTF2_EvtWriter_ThreadTeamEnd(w, NULL, time, 0))
PUT(context_enter, OTF2_EvtWriter_CallingContextEnter(w, NULL, time, 0, 1))
PUT(context_leave, OTF2_EvtWriter_CallingContextLeave(w, NULL, time, 0))
PUT(sample, OTF2_EvtWriter_CallingContextSample(w, NULL, time, 0, 1, 0))
PUT(metric, OTF2_EvtWriter_Metric(w, NULL, time, 0, 1, &metric_type, &metric_value))

enum { TEAM = SPUR_OPEN_TEAM, FORK = SPUR_OPEN_FORK | OTF2_PARADIGM_OPENMP };

static const struct {
    put_event *put;
    int8_t step;   /* of the depth */
    uint32_t word; /* of the opened region */
} turn[] = {
    {enter, 1, 0},          {send, 0, 0},
    {metric, 0, 0},         {fork_threads, 1, FORK},
    {team_begin, 1, TEAM},  {enter, 1, 0},
    {sample, 0, 0},         {context_enter, 1, SPUR_OPEN_CONTEXT},
    {metric, 0, 0},         {sample, 0, 0},
    {context_leave, -1, 0}, {leave, -1, 0},
    {team_end, -1, 0},      {join, -1, 0},
    {recv, 0, 0},           {leave, -1, 0},
};

enum { TURN = sizeof turn / sizeof turn[0] };

/* The open regions before each event; each event's number, id and time, as written in the file. */
struct stream {
    uint64_t shift, events;
    uint32_t depth[EVENTS + 1];
    uint32_t region[SPUR_SLOT_REGIONS]; /* at the end */
};

static uint64_t time_of(uint64_t event)
{
    return START + 10 * event;
}

static void put_stream(struct stream *s, OTF2_EvtWriter *w, uint64_t shift)
{
    uint32_t depth = 0;
    s->shift = shift;
    s->events = EVENTS - shift % TURN; /* any place of a turn can be the end, too */
    for (uint64_t i = 0; i < s->events; i++) {
        s->depth[i] = depth;
        if (i < DEEP) {
            s->region[depth++] = 0;
            cr_assert(enter(w, time_of(i)) == OTF2_SUCCESS);
        } else if (i < DEEP + shift) {
            cr_assert(metric(w, time_of(i)) == OTF2_SUCCESS);
        } else {
            uint64_t k = (i - DEEP - shift) % TURN;
            cr_assert(turn[k].put(w, time_of(i)) == OTF2_SUCCESS);
            if (turn[k].step > 0)
                s->region[depth] = turn[k].word;
            depth = (uint32_t)((int)depth + turn[k].step);
        }
    }
    s->depth[s->events] = depth;
}

/* The place of the event in its turn; TURN: outside of the turns. */
static uint64_t place_of(const struct stream *s, uint64_t event)
{
    return event < DEEP + s->shift ? TURN : (event - DEEP - s->shift) % TURN;
}

/* ---- the process ---- */

static uint8_t file[CHUNKS_MAX * BLOCK];
static _Alignas(64) char segment[(CHUNKS_MAX + 2) * BLOCK];

static void define(struct fake *p)
{
    const uint64_t team[] = {0};
    fake_define(p, "call");
    BUILD(&p->journal, Group, {0}, {OTF2_GROUP_TYPE_COMM_GROUP}, {OTF2_PARADIGM_OPENMP}, {0},
          {1, team});
    BUILD(&p->journal, Comm, {OTF2_UNDEFINED_UINT32}, {0}, {OTF2_UNDEFINED_UINT32}, {0});
    BUILD(&p->journal, ContextAt, {OTF2_UNDEFINED_UINT32}, {0},
          {OTF2_UNDEFINED_UINT32}); /* call of the context */
}

static uint64_t first_of(uint64_t chunk)
{
    uint64_t first;
    memcpy(&first, file + chunk * BLOCK + 2, sizeof first);
    return first - 1; /* events count from 1 in chunks */
}

/* The stream's chunks into `file`: how many. */
static uint64_t make_chunks(struct fake *p, struct stream *s, uint64_t shift, uint64_t *used)
{
    struct finish_chunk last;
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(p->archive, 0);
    put_stream(s, writer, shift);
    cr_assert(OTF2_Archive_CloseEvtWriter(p->archive, writer) == OTF2_SUCCESS);
    const char *path = in(p->dir, "traces/0.evt");
    uint64_t bytes = get_file(path, file, sizeof file), whole = (bytes - 2) / BLOCK;
    cr_assert(whole >= 2 && bytes < sizeof file);
    cr_assert(finish_chunk_scan(file + whole * BLOCK, bytes - whole * BLOCK, &last));
    memset(file + whole * BLOCK + 10, 0, 8); /* an open chunk does not know its last event */
    *used = last.used;
    unlink(path);
    return whole + 1;
}

/* A killed process whose ring begins with chunk `from`. */
static uint64_t fake_ring(const char *session, struct stream *s, uint64_t shift, uint64_t from,
                          uint64_t *first)
{
    struct fake p;
    uint64_t used;
    fake_open(&p, session, PID, -1, 0);
    define(&p);
    uint64_t n = make_chunks(&p, s, shift, &used);
    p.head.flush = SPUR_FLUSH_RING;
    memset(segment, 0, sizeof segment);
    struct spur_slot *slot = (struct spur_slot *)(void *)(segment + SPUR_SLOTS_OFFSET);
    *slot = (struct spur_slot){.state = SPUR_SLOT_LIVE, .depth = s->depth[s->events]};
    memcpy(slot->region, s->region, sizeof slot->region);
    /* The list is circular: the oldest chunk stands anywhere in the list. */
    slot->chunks = (uint32_t)(n - from);
    slot->oldest = (uint32_t)(shift % slot->chunks);
    for (uint64_t i = from; i < n; i++) {
        uint32_t at = (uint32_t)((slot->oldest + i - from) % slot->chunks);
        slot->chunk[at] = (uint32_t)(1 + i);
        slot->chunk_depth[at] = s->depth[first_of(i)];
        memcpy(segment + (1 + i) * BLOCK, file + i * BLOCK, i + 1 < n ? BLOCK : used);
    }
    slot->cursor.chunk = (uint8_t *)(uintptr_t)4096;
    slot->cursor.pos = slot->cursor.chunk + used;
    slot->cursor.events = s->events;
    *first = first_of(from);
    fake_close(&p, segment, (2 + n) * BLOCK, false);
    return n;
}

/* ---- the archive ---- */

struct judged {
    const struct stream *s;
    uint64_t first;      /* kept event */
    uint64_t seen;       /* events of the file */
    uint64_t added;      /* at the beginning of the file */
    uint64_t kept, time; /* events of the stream */
    uint32_t open[SPUR_SLOT_REGIONS], depth;
};

static void judge_event(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    struct judged *j = data;
    (void)at;
    j->seen++;
    j->time = chunk->time_last;
    if (chunk->opens) {
        cr_assert(j->depth < SPUR_SLOT_REGIONS);
        j->open[j->depth++] = chunk->word;
    } else if (chunk->closes) {
        cr_assert(j->depth > 0, "something is left at event %u that was not entered",
                  (unsigned)j->seen);
        cr_assert_eq(j->open[--j->depth], chunk->word, "event %u leaves another one",
                     (unsigned)j->seen);
    }
    if (j->seen > j->added && j->kept < j->s->events - j->first) {
        cr_assert_eq(j->time, time_of(j->first + j->kept), "event %u of those that were kept",
                     (unsigned)j->kept);
        j->kept++;
    }
    if (j->seen == j->added)
        cr_assert_eq(j->depth, j->s->depth[j->first], "as deep as it was there");
}

enum { TOLD = 1 }; /* how much is open, for reports */

static void judge(const char *session, const struct stream *s, uint64_t first)
{
    char path[64];
    struct judged j = {.s = s, .first = first, .added = s->depth[first]};
    struct finish_chunk chunk;
    snprintf(path, sizeof path, "%s/traces/0.evt", session);
    uint64_t bytes = get_file(path, file, sizeof file);
    for (uint64_t at = 0; at + 2 < bytes; at += BLOCK) {
        uint64_t n = bytes - at < BLOCK ? bytes - at : BLOCK;
        cr_assert(finish_chunk_walk(file + at, n, &chunk, &j, judge_event));
    }
    cr_assert_eq(j.depth, 0, "all is left");
    cr_assert_eq(j.kept, s->events - first, "all events of the ring");
    cr_assert_eq(j.seen, j.added + j.kept + s->depth[s->events] + TOLD,
                 "and none but those that it needs");
}

TestSuite(ring, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

/*
 * A writer leaves a chunk when the next record may not fit, by the largest size of the record. A
 * message may be large, but is small here: behind the message is room for a Leave.
 */
static bool can_be_first(uint64_t place)
{
    put_event *before = turn[(place + TURN - 1) % TURN].put;
    return before != recv || turn[place].put != leave;
}

Test(ring, is_balanced_wherever_it_begins)
{
    static struct stream s;
    static char text[8 << 20];
    bool is_seen[TURN + 1] = {false};
    uint64_t left = TURN, shift = 0;
    for (; left > 0 && shift < SHIFTS_MAX; shift++) {
        uint64_t n = 2;
        for (uint64_t from = 1; from < n; from++) {
            uint64_t first;
            n = fake_ring("s", &s, shift, from, &first);
            is_seen[place_of(&s, first)] = true;
            cr_assert(spur_finish("s", &quiet) == 0);
            judge("s", &s, first);
            if (shift == 0 && from == 1)
                cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text + 1000);
            cr_assert(system("rm -rf s") == 0);
        }
        left = 0;
        for (uint64_t place = 0; place < TURN; place++)
            left += can_be_first(place) && !is_seen[place];
    }
    cr_assert_eq(left, 0, "%u places of the turn never were at the beginning", (unsigned)left);
    cr_log_info("all places after %u streams", (unsigned)shift);
}

/* ---- no ring: a location without an event yet, in a block with bytes of another location ---- */

static void fake_unused(const char *session, struct stream *s)
{
    struct fake p;
    uint64_t used;
    fake_open(&p, session, PID, -1, 0);
    define(&p);
    (void)make_chunks(&p, s, 0, &used);
    memset(segment, 0, sizeof segment);
    struct spur_slot *slot = (struct spur_slot *)(void *)(segment + SPUR_SLOTS_OFFSET);
    *slot = (struct spur_slot){.state = SPUR_SLOT_LIVE, .chunks = 1, .chunk = {1}};
    memcpy(segment + BLOCK, file + BLOCK, BLOCK); /* of a location with more events */
    fake_close(&p, segment, 2 * BLOCK, false);
}

static void count_event(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    uint64_t *opened = data;
    (void)at;
    *opened += chunk->opens;
}

Test(ring, what_a_block_held_before_is_not_of_its_location)
{
    static struct stream s;
    static char text[1 << 20];
    struct finish_chunk chunk;
    uint64_t opened = 0;
    fake_unused("s", &s);
    cr_assert(spur_finish("s", &quiet) == 0);
    uint64_t bytes = get_file("s/traces/0.evt", file, sizeof file);
    cr_assert(finish_chunk_walk(file, bytes, &chunk, &opened, count_event));
    cr_expect_eq(chunk.first, 1);
    cr_expect_eq(opened, 0, "%u calls of another location", (unsigned)opened);
    cr_expect(print_archive("s", text, sizeof text) == 0, "%s", text);
}
