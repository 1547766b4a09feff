/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_deps.h"

#include <stdlib.h>

/* ---- messages ---- */

static uint32_t new_message(struct deps *d, uint64_t ideal, uint32_t rank)
{
    uint32_t index = match_new(&d->match);
    if (index == d->messages.n)
        (void)LIST_ADD(&d->messages);
    d->messages.at[index] = (struct deps_message){ideal, rank};
    return index;
}

void deps_send(struct deps *d, struct envelope e, uint64_t begin, deps_go_on *go_on, void *user)
{
    uint32_t index = match_oldest(&d->match, e, true);
    if (index == NIL) {
        match_wait(&d->match, e, new_message(d, begin, NIL), false);
        return;
    }
    uint32_t rank = d->messages.at[index].rank;
    match_free(&d->match, match_take(&d->match, e));
    go_on(user, rank, begin);
}

bool deps_receive(struct deps *d, struct envelope e, uint32_t rank, uint64_t *until)
{
    uint32_t index = match_oldest(&d->match, e, false);
    if (index == NIL) {
        match_wait(&d->match, e, new_message(d, 0, rank), true);
        return false;
    }
    *until = d->messages.at[index].ideal;
    match_free(&d->match, match_take(&d->match, e));
    return true;
}

/* ---- collective operations ---- */

static uint32_t new_meeting(struct deps *d, const struct deps_part *part)
{
    uint32_t index;
    if (d->free.n) {
        index = d->free.at[--d->free.n];
    } else {
        index = (uint32_t)d->meetings.n;
        (void)LIST_ADD(&d->meetings);
    }
    struct deps_meeting *m = &d->meetings.at[index];
    m->waiting.n = 0;
    m->as.n = 0;
    *m = (struct deps_meeting){.begins = take_memory(part->size * sizeof *m->begins),
                               .is_there = take_memory(part->size * sizeof *m->is_there),
                               .size = part->size,
                               .root = part->root,
                               .rule = part->rule,
                               .waiting = m->waiting,
                               .as = m->as};
    return index;
}

static void arrive(struct deps_meeting *m, const struct deps_part *part)
{
    m->begins[part->member] = part->begin;
    m->is_there[part->member] = true;
    m->n++;
    m->last_begin = part->begin > m->last_begin ? part->begin : m->last_begin;
    /* From here on a begin is the latest of all ranks up to this one. */
    for (; m->first < m->size && m->is_there[m->first]; m->first++) {
        uint64_t begin = m->begins[m->first];
        m->first_begin = begin > m->first_begin ? begin : m->first_begin;
        if (m->rule == FOR_LOWER)
            m->begins[m->first] = m->first_begin;
    }
}

/* Whether a member has all that it needs, and when. */
static bool has_all(const struct deps_meeting *m, uint32_t member, uint64_t *until)
{
    *until = 0;
    switch (m->rule) {
    case FOR_ALL:
        *until = m->last_begin;
        return m->n == m->size;
    case FOR_ROOT:
        *until = m->root < m->size ? m->begins[m->root] : 0;
        return m->root >= m->size || m->is_there[m->root];
    case ROOT_FOR_ALL:
        *until = member == m->root ? m->last_begin : 0;
        return member != m->root || m->n == m->size;
    case FOR_LOWER:
        *until = m->begins[member];
        return m->first > member;
    case FOR_NOBODY:
        break;
    }
    return true;
}

/* Could it be that somebody who waits needs no more? */
static bool is_news(const struct deps_meeting *m, const struct deps_part *part, uint32_t first)
{
    if (m->rule == FOR_ROOT)
        return part->member == m->root;
    return m->rule == FOR_LOWER ? m->first > first : m->n == m->size;
}

static void wake(struct deps_meeting *m, deps_go_on *go_on, void *user)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->waiting.n; i++) {
        uint64_t until;
        if (has_all(m, m->as.at[i], &until)) {
            go_on(user, m->waiting.at[i], until);
        } else {
            m->waiting.at[kept] = m->waiting.at[i];
            m->as.at[kept++] = m->as.at[i];
        }
    }
    m->waiting.n = kept;
    m->as.n = kept;
}

static void end(struct deps *d, uint32_t index, uint64_t order, uint32_t number)
{
    struct deps_meeting *m = &d->meetings.at[index];
    free(m->begins);
    free(m->is_there);
    m->begins = NULL;
    m->is_there = NULL;
    map_remove(&d->meeting_of, order, number);
    *LIST_ADD(&d->free) = index;
}

bool deps_meet(struct deps *d, const struct deps_part *part, uint64_t *until, deps_go_on *go_on,
               void *user)
{
    uint32_t number = map_find(&d->count_of, part->order, part->process);
    number = number == NIL ? 0 : number;
    map_set(&d->count_of, part->order, part->process, (number + 1) & INT32_MAX);
    uint32_t index = map_find(&d->meeting_of, part->order, number);
    if (index == NIL) {
        index = new_meeting(d, part);
        map_set(&d->meeting_of, part->order, number, index);
    }
    struct deps_meeting *m = &d->meetings.at[index];
    uint32_t first = m->first;
    arrive(m, part);
    if (is_news(m, part, first))
        wake(m, go_on, user);
    bool goes_on = has_all(m, part->member, until);
    if (!goes_on) {
        *LIST_ADD(&m->waiting) = part->rank;
        *LIST_ADD(&m->as) = part->member;
    }
    if (m->n == m->size && !m->waiting.n)
        end(d, index, part->order, number);
    return goes_on;
}

void deps_free(struct deps *d)
{
    for (size_t i = 0; i < d->meetings.n; i++) {
        free(d->meetings.at[i].begins);
        free(d->meetings.at[i].is_there);
        free(d->meetings.at[i].waiting.at);
        free(d->meetings.at[i].as.at);
    }
    free(d->meetings.at);
    free(d->messages.at);
    free(d->match.next.at);
    free(d->match.queues.at);
    free(d->match.queue_of.slots);
    free(d->meeting_of.slots);
    free(d->count_of.slots);
    free(d->free.at);
    free(d->posts.index_of.slots);
    free(d->posts.times.at);
    free(d->posts.free.at);
}
