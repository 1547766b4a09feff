/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/script_walk.h"

#include <errno.h>
#include <string.h>

#include "agent/stacks/script.h"
#include "base/mem.h"
#include "base/own_stack.h"

enum { FIRST_PLACES = 256, PLACES_MAX = 8 << 10 };

/* ---- the script ---- */

static bool add(struct spur_script_walk *walk, const void *place)
{
    if (walk->n == walk->room) {
        uint32_t more = walk->room ? 2 * walk->room : FIRST_PLACES;
        const void **new = more > PLACES_MAX ? NULL
                                             : spur_mem_resize(walk->place, walk->n, &walk->room,
                                                               more, sizeof *new);
        if (!new)
            return false;
        walk->place = new;
    }
    walk->place[walk->n++] = place;
    walk->runs += !place;
    return true;
}

static bool end_runs(struct spur_script_walk *walk, uint32_t runs)
{
    while (runs > 0 && add(walk, NULL))
        runs--;
    return runs == 0;
}

/* What cannot be read is no script. What there is no room for is further out. */
static void walk_frames(struct spur_script_walk *walk, struct spur_script_frame *frame)
{
    const struct spur_interpreter *interpreter = spur_script_interpreter();
    bool is_there = interpreter->innermost(frame);
    bool has_room = end_runs(walk, frame->runs);
    while (is_there && has_room) {
        const void *place = spur_script_place(frame);
        has_room = place && add(walk, place);
        is_there = interpreter->caller(frame);
        has_room = has_room && end_runs(walk, frame->runs);
    }
    walk->is_whole = has_room;
    if (!is_there && !frame->is_end)
        walk->n = walk->runs = 0;
}

static void walk_carefully(void *arg)
{
    char room[SPUR_SCRIPT_ROOM];
    struct spur_script_frame frame = {.is_careful = true, .room = room, .room_bytes = sizeof room};
    walk_frames(arg, &frame);
}

__attribute__((noinline)) uint32_t spur_script_walk(struct spur_script_walk *walk,
                                                    bool is_interrupted)
{
    const struct spur_interpreter *interpreter = spur_script_interpreter();
    struct spur_script_frame frame;
    int saved = errno;
    walk->n = walk->runs = 0;
    walk->is_interrupted = is_interrupted;
    if (!interpreter)
        return 0;
    frame.is_careful = is_interrupted || !interpreter->is_steady();
    if (__builtin_expect(frame.is_careful, 0))
        spur_on_own_stack(walk_carefully, walk);
    else
        walk_frames(walk, &frame);
    errno = saved;
    return walk->n;
}

void spur_script_walk_free(struct spur_script_walk *walk)
{
    spur_mem_free(walk->place, walk->room * sizeof *walk->place);
    spur_mem_free(walk->both, walk->both_room * sizeof *walk->both);
}

/* ---- both together ---- */

static uint32_t count_loops(const void *const *leaf_first, uint32_t n)
{
    const struct spur_interpreter *interpreter = spur_script_interpreter();
    uint32_t loops = 0;
    for (uint32_t i = 0; i < n; i++)
        loops += interpreter->is_loop(leaf_first[i]);
    return loops;
}

/*
 * In a whole stack each run is in a loop. A loop may have no run yet, or no more: a signal that
 * sees this has mostly come in the loop itself. Other loops without a run are further out: those of
 * a program that changes between stacks.
 */
static bool is_match(const struct spur_script_walk *walk, const void *const *leaf_first, uint32_t n,
                     bool is_whole)
{
    if (!is_whole || !walk->is_whole)
        return true;
    uint32_t loops = count_loops(leaf_first, n);
    bool is_doubtful = walk->is_interrupted && spur_script_interpreter()->is_loop(leaf_first[0]);
    return loops == walk->runs || (loops > walk->runs && !is_doubtful);
}

static bool make_room(struct spur_script_walk *walk, uint32_t n)
{
    if (n <= walk->both_room)
        return true;
    const void **both = spur_mem_resize(walk->both, 0, &walk->both_room, 2 * n, sizeof *walk->both);
    if (both)
        walk->both = both;
    return both;
}

/* How many. A run that was not walked to its end is the last one. */
static uint32_t put_both(struct spur_script_walk *walk, const void *const *leaf_first, uint32_t n)
{
    const struct spur_interpreter *interpreter = spur_script_interpreter();
    const void **to = walk->both;
    uint32_t next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (next >= walk->n || !interpreter->is_loop(leaf_first[i])) {
            *to++ = leaf_first[i];
            continue;
        }
        if (!walk->place[next])
            *to++ = leaf_first[i]; /* it runs nothing */
        while (next < walk->n && walk->place[next])
            *to++ = walk->place[next++];
        if (next++ == walk->n)
            break;
    }
    return (uint32_t)(to - walk->both);
}

__attribute__((noinline)) uint32_t spur_script_merge(struct spur_script_walk *walk,
                                                     const void **leaf_first, uint32_t n,
                                                     uint32_t room, bool is_whole)
{
    if (n == 0 || walk->runs == 0 || !is_match(walk, leaf_first, n, is_whole) ||
        !make_room(walk, n + walk->n))
        return n;
    uint32_t both = put_both(walk, leaf_first, n);
    both = both < room ? both : room;
    memcpy(leaf_first, walk->both, both * sizeof *leaf_first);
    return both;
}
