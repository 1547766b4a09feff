/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers that are threads of ranks: two processes with three and two threads, whose messages pass
 * through a pair of sockets in place of MPI. Keys keep numbers that depend on every note and on
 * their order; the sum of all is that of one worker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/engine/workers_mpi.h"

enum { RANKS = 2, LOCATIONS = 13, EVENTS = 4000, KEYS = 97, STAGES = 2, SUMS = 8 };
static const unsigned threads[RANKS] = {3, 2};

/* ---- two ranks ---- */

static unsigned own_rank;
static bool has_ranks;
static int other;

static void pass_all(void *at, size_t n, bool is_out)
{
    for (ssize_t done; n; n -= (size_t)done) {
        done = is_out ? write(other, at, n) : read(other, at, n);
        if (done <= 0)
            _exit(3);
        at = (char *)at + done;
    }
}

/* One writes while the other reads. */
static void swap_bytes(void *out, size_t n_out, void *in, size_t n_in)
{
    for (unsigned turn = 0; turn < RANKS; turn++)
        if (turn == own_rank)
            pass_all(out, n_out, true);
        else
            pass_all(in, n_in, false);
}

bool engine_has_ranks(void)
{
    return has_ranks;
}

uint64_t engine_told(uint64_t value)
{
    return value;
}

void workers_mpi_end(void)
{
}

unsigned mpi_rank(void)
{
    return own_rank;
}

unsigned mpi_ranks(void)
{
    return RANKS;
}

bool mpi_allows_threads(void)
{
    return true;
}

void mpi_run(bool is_running)
{
    (void)is_running;
}

void mpi_reduce(uint64_t *least, uint64_t *sums, unsigned n)
{
    uint64_t mine[1 + SUMS] = {*least};
    uint64_t theirs[1 + SUMS];
    memcpy(mine + 1, sums, n * sizeof *sums);
    swap_bytes(mine, sizeof mine, theirs, sizeof theirs);
    *least = theirs[0] < *least ? theirs[0] : *least;
    for (unsigned i = 0; i < n; i++)
        sums[i] += theirs[1 + i];
}

void mpi_swap(const uint64_t *mine, uint64_t *theirs, unsigned n)
{
    size_t bytes = n * sizeof *mine;
    uint64_t *out = take_memory(RANKS * bytes);
    memcpy(out, mine, RANKS * bytes);
    memcpy(theirs + (size_t)own_rank * n, mine + (size_t)own_rank * n, bytes);
    swap_bytes(out + (size_t)(!own_rank) * n, bytes, theirs + (size_t)(!own_rank) * n, bytes);
    free(out);
}

static LIST(void *) held;

void *mpi_hold(size_t bytes)
{
    return *LIST_ADD(&held) = take_memory(bytes);
}

void mpi_done(void)
{
    while (held.n)
        free(held.at[--held.n]);
}

/* Both sides have the messages in the order of their tags. */
void mpi_pass(struct mpi_message *out, size_t n_out, struct mpi_message *in, size_t n_in)
{
    for (unsigned turn = 0; turn < RANKS; turn++) {
        bool is_out = turn == own_rank;
        for (size_t i = 0; i < (is_out ? n_out : n_in); i++) {
            struct engine_bytes *bytes = is_out ? &out[i].bytes : &in[i].bytes;
            if (!is_out)
                bytes->at = mpi_hold(bytes->n);
            pass_all(bytes->at, bytes->n, is_out);
        }
    }
}

/* The ranks here always have threads. */
/* NOLINTNEXTLINE(readability-non-const-parameter): other rows set it */
static bool is_nowhere(unsigned *n)
{
    return *n > UINT32_MAX - 1;
}

const struct workers workers_mpi = {.name = "none", .is_here = is_nowhere};

/* ---- an analysis ---- */

struct state {
    struct engine *engine;
    uint64_t *result;
    uint64_t kept[STAGES + 1][KEYS];
    uint64_t sum, event, n_taken;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void *begin(void *context, struct engine *engine)
{
    struct state *s = take_memory(sizeof *s);
    s->engine = engine;
    s->result = context;
    return s;
}

static bool read_on(void *state, uint64_t most, uint64_t *n)
{
    struct state *s = state;
    for (; s->event < EVENTS && *n < most; s->event++)
        for (uint32_t i = s->engine->rank; i < LOCATIONS; i += s->engine->size, ++*n) {
            uint64_t draw = mix(s->event << 8 | i);
            uint64_t data[2] = {draw % KEYS, draw};
            struct engine_note note = {.time = s->event,
                                       .sequence = s->event,
                                       .location = i,
                                       .stage = 1 + (draw >> 20) % STAGES,
                                       .words = 2};
            engine_tell(s->engine, data[0], 0, 0, &note, data);
        }
    return s->event < EVENTS;
}

static uint64_t reached(const void *state)
{
    const struct state *s = state;
    return s->event;
}

static void take(void *state, const struct engine_note *note, const void *data)
{
    struct state *s = state;
    const uint64_t *words = data;
    uint64_t *kept = &s->kept[note->stage][words[0]];
    *kept = mix(*kept ^ words[1] ^ note->time ^ (uint64_t)note->location << 32);
    s->sum += *kept;
    s->n_taken++;
    if (note->stage == STAGES)
        return;
    uint64_t more[2] = {(words[0] + words[1]) % KEYS, words[1] + 1};
    struct engine_note next = *note;
    next.stage = STAGES;
    next.steps[1]++;
    engine_tell(s->engine, more[0], 0, 0, &next, more);
}

static void give(void *state, struct engine_bytes *bytes)
{
    struct state *s = state;
    engine_add(bytes, &s->sum, sizeof s->sum);
    engine_add(bytes, &s->n_taken, sizeof s->n_taken);
}

static void join(void *state, const void *bytes, size_t n)
{
    struct state *s = state;
    uint64_t theirs[2] = {0};
    memcpy(theirs, bytes, n);
    s->sum += theirs[0];
    s->n_taken += theirs[1];
}

static void finish(void *state)
{
    struct state *s = state;
    if (!s->engine->rank) {
        s->result[0] = s->sum;
        s->result[1] = s->n_taken;
    }
    free(s);
}

int main(void)
{
    static const struct engine_analysis analysis = {.n_stages = STAGES,
                                                    .begin = begin,
                                                    .read = read_on,
                                                    .reached = reached,
                                                    .take = take,
                                                    .give = give,
                                                    .join = join,
                                                    .finish = finish};
    uint64_t alone[2] = {0};
    uint64_t all[2] = {0};
    int ends[2];
    int status = 1;
    engine_run(&analysis, alone, &(struct engine_how){.workers = 1});
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    pid_t child = fork();
    own_rank = child == 0;
    other = ends[own_rank];
    (void)close(ends[!own_rank]);
    has_ranks = true;
    workers_mixed_ask(threads[own_rank]);
    engine_run(&analysis, all, &(struct engine_how){.round = 500});
    if (own_rank)
        return 0;
    if (memcmp(alone, all, sizeof all) != 0 || alone[1] < (uint64_t)LOCATIONS * EVENTS)
        printf("FAULT: %llu of %llu notes, sum %llx, of one worker %llx\n",
               (unsigned long long)all[1], (unsigned long long)alone[1], (unsigned long long)all[0],
               (unsigned long long)alone[0]);
    else
        status = 0;
    int ended;
    return waitpid(child, &ended, 0) != child || ended || status;
}
