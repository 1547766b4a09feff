/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_workers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/engine/engine.h"
#include "tools/print/print_define.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"
#include "tools/print/print_fault.h"
#include "tools/print/print_options.h"
#include "tools/print/print_output.h"
#include "tools/print/print_slices.h"

enum {
    EVENTS_EACH = 1 << 16, /* fewer are printed faster than a thread begins */
    THREADS_OF_USE = 8,    /* more would do little else than go over events */
    LOCATIONS_MOST = 4096, /* each thread opens all locations; above it, threads only on request */
};

/* The shared state of the threads. */
struct team {
    pthread_mutex_t lock;
    pthread_cond_t turn_is_over;
    uint64_t turn;       /* the slice whose text may be written */
    uint64_t end;        /* the first slice that is unreadable, or beyond the end */
    uint64_t n_read;     /* number of events at the failure */
    OTF2_ErrorCode code; /* error of the failed thread, set in the thread's turn */
    unsigned size;
    const OTF2_GlobalEvtReaderCallbacks *callbacks;
};

struct member {
    struct team *team;
    unsigned rank;
    pthread_t thread;
    OTF2_Reader *reader;
    OTF2_GlobalEvtReader *events;
    struct slices slices;
    bool has_turn;
    bool has_failed;
};

_Noreturn static void fail_thread(const struct member *m, const char *what)
{
    fail("thread %u of %u %s: try --threads 1", m->rank + 1, m->team->size, what);
}

/* ---- turns ---- */

/* False: the turn will never come, since another thread has ended in front of the slice. */
static bool wait_for_turn(struct member *m)
{
    struct team *t = m->team;
    if (m->has_turn)
        return true;
    (void)pthread_mutex_lock(&t->lock);
    while (t->turn != m->slices.number && t->turn < t->end)
        (void)pthread_cond_wait(&t->turn_is_over, &t->lock);
    m->has_turn = t->turn == m->slices.number && t->turn < t->end;
    (void)pthread_mutex_unlock(&t->lock);
    return m->has_turn;
}

static void write_text(void *context, const char *bytes, size_t n)
{
    if (n && wait_for_turn(context))
        output_write(bytes, n);
}

static void end_turn(struct member *m)
{
    struct team *t = m->team;
    if (!wait_for_turn(m))
        return;
    (void)pthread_mutex_lock(&t->lock);
    t->turn++;
    (void)pthread_cond_broadcast(&t->turn_is_over);
    (void)pthread_mutex_unlock(&t->lock);
    m->has_turn = false;
}

/* From slice `end` on the thread has nothing. A failure counts in the thread's turn. */
static void end_reading(struct member *m, uint64_t end, OTF2_ErrorCode code)
{
    struct team *t = m->team;
    (void)pthread_mutex_lock(&t->lock);
    if (m->has_turn && code) {
        t->code = code;
        t->n_read = m->slices.n_read;
    }
    t->end = end < t->end ? end : t->end;
    (void)pthread_cond_broadcast(&t->turn_is_over);
    (void)pthread_mutex_unlock(&t->lock);
}

/* ---- faults are reported by the thread whose turn has come, in the library's way ---- */

static _Thread_local struct member *speaker;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
         const char *format, va_list va)
{
    if (speaker && wait_for_turn(speaker))
        return fault_say(user, file, line, function, code, format, va);
    return code;
}

/* ---- a thread ---- */

static void read_slices(struct member *m)
{
    const struct team *t = m->team;
    struct slices *s = &m->slices;
    *s = slices_begin(m->events);
    if (!output_open(slices_room(s)))
        fail_thread(m, "has no memory");
    if (OTF2_Reader_RegisterGlobalEvtCallbacks(m->reader, m->events, t->callbacks, NULL))
        fail_thread(m, "cannot choose events");
    output_redirect((struct output_way){write_text, m});
    for (;; s->number++) {
        bool is_mine = s->number % t->size == m->rank;
        speaker = is_mine ? m : NULL;
        if (!slices_next(s))
            break;
        OTF2_ErrorCode code = slices_read(s, is_mine);
        if (is_mine)
            output_flush();
        if (code) {
            m->has_failed = true;
            end_reading(m, s->number + !is_mine, is_mine && wait_for_turn(m) ? code : OTF2_SUCCESS);
            return;
        }
        if (is_mine)
            end_turn(m);
    }
    end_reading(m, s->number, OTF2_SUCCESS);
}

/* As for the first thread; a second table of a kind is no reason to stop. */
static bool read_local_definitions(OTF2_Reader *reader, OTF2_LocationRef location)
{
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    OTF2_ErrorCode code;
    uint64_t n = 0;
    if (!definitions)
        return true;
    do {
        code = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n);
    } while (code == OTF2_ERROR_DUPLICATE_MAPPING_TABLE);
    return !code && !OTF2_Reader_CloseDefReader(reader, definitions);
}

/*
 * Records of older archives name regions by calling contexts, so the reader must know the calling
 * contexts.
 */
static bool open_reader(struct member *m)
{
    uint64_t n = 0;
    m->reader = OTF2_Reader_Open(options.path);
    if (!m->reader || OTF2_Reader_SetSerialCollectiveCallbacks(m->reader) ||
        OTF2_Reader_GetNumberOfLocations(m->reader, &n))
        return false;
    if (!definitions_are_there(OTF2_REF_CallingContext))
        return true;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(m->reader);
    return definitions && !OTF2_Reader_ReadAllGlobalDefinitions(m->reader, definitions, &n) &&
           !OTF2_Reader_CloseGlobalDefReader(m->reader, definitions);
}

static bool open_locations(OTF2_Reader *reader)
{
    for (uint64_t i = 0; i < nlocations; i++)
        if (OTF2_Reader_SelectLocation(reader, locations[i].id))
            return false;
    bool has_definitions = options.local_definitions && !OTF2_Reader_OpenDefFiles(reader);
    if (OTF2_Reader_OpenEvtFiles(reader))
        return false;
    for (uint64_t i = 0; i < nlocations; i++)
        if (!OTF2_Reader_GetEvtReader(reader, locations[i].id) ||
            (has_definitions && !read_local_definitions(reader, locations[i].id)))
            return false;
    return !has_definitions || !OTF2_Reader_CloseDefFiles(reader);
}

static void *help(void *argument)
{
    struct member *m = argument;
    if (open_reader(m) && open_locations(m->reader))
        m->events = OTF2_Reader_GetGlobalEvtReader(m->reader);
    if (!m->events)
        fail_thread(m, "cannot open the archive");
    read_slices(m);
    output_drop();
    (void)OTF2_Reader_CloseGlobalEvtReader(m->reader, m->events);
    (void)OTF2_Reader_Close(m->reader);
    return NULL;
}

/* ---- everything ---- */

uint64_t workers_events(void)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < nlocations; i++)
        n += locations[i].n_events;
    return n;
}

unsigned workers_of_use(void)
{
    if (options.silent || options.step != UINT64_MAX)
        return 1;
    if (options.threads)
        return options.threads;
    uint64_t worth = nlocations > LOCATIONS_MOST ? 1 : workers_events() / EVENTS_EACH + 1;
    uint64_t most = engine_processors();
    most = most < THREADS_OF_USE ? most : THREADS_OF_USE;
    return (unsigned)(worth < most ? worth : most);
}

static void work(struct team *t, struct member *members)
{
    for (unsigned i = 1; i < t->size; i++) {
        members[i] = (struct member){.team = t, .rank = i};
        int error = pthread_create(&members[i].thread, NULL, help, &members[i]);
        if (error)
            fail("cannot start thread %u of %u: %s; try --threads 1", i + 1, t->size,
                 strerror(error));
    }
    read_slices(&members[0]);
    for (unsigned i = 1; i < t->size; i++)
        (void)pthread_join(members[i].thread, NULL);
}

/* All must have read the same. */
static void compare(const struct team *t, const struct member *members)
{
    bool is_same = true;
    for (unsigned i = 0; i < t->size; i++)
        is_same = is_same && !members[i].has_failed &&
                  members[i].slices.n_read == members[0].slices.n_read;
    if (!is_same)
        fail("%s: the threads have read different events: is it being written? try --threads 1",
             options.path);
}

OTF2_ErrorCode workers_print(unsigned workers, OTF2_Reader *reader, OTF2_GlobalEvtReader *events,
                             const OTF2_GlobalEvtReaderCallbacks *callbacks, uint64_t *n)
{
    struct member *members = take_memory(workers * sizeof *members);
    struct team team = {.end = UINT64_MAX, .size = workers, .callbacks = callbacks};
    (void)pthread_mutex_init(&team.lock, NULL);
    (void)pthread_cond_init(&team.turn_is_over, NULL);
    members[0] = (struct member){.team = &team, .reader = reader, .events = events};
    enums_fill();
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(on_error, NULL);
    work(&team, members);
    OTF2_Error_RegisterCallback(before, NULL);
    output_redirect((struct output_way){NULL, NULL});
    *n = team.code ? team.n_read : members[0].slices.n_read;
    if (!team.code)
        compare(&team, members);
    (void)pthread_cond_destroy(&team.turn_is_over);
    (void)pthread_mutex_destroy(&team.lock);
    free(members);
    return team.code;
}
