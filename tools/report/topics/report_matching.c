/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_matching.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"

/* ---- halves ---- */

static uint32_t new_message(struct matching *m, struct message content)
{
    uint32_t index = match_new(&m->match);
    if (index == m->pool.n)
        (void)LIST_ADD(&m->pool);
    m->pool.at[index] = content;
    return index;
}

/*
 * The matching half was not recorded. A send that has not returned yet stays in the pool until the
 * return.
 */
static void give_up(struct matching *m, uint32_t index, bool of_receives)
{
    struct message *message = &m->pool.at[index];
    *(of_receives ? &m->unsent : &m->unreceived) += 1;
    if (of_receives || message->is_returned)
        match_free(&m->match, index);
    else
        message->is_matched = true;
}

/*
 * Takes the matching half, a receive or a send, from the halves that wait. NIL: `*waits` tells
 * whether the matching half may still come. `before`: an older half is certainly no partner, by a
 * common clock; 0: no such clock.
 */
static uint32_t take(struct matching *m, struct envelope e, bool of_receives, uint64_t number,
                     uint64_t before, bool *waits)
{
    *waits = true;
    for (;;) {
        uint32_t index = match_oldest(&m->match, e, of_receives);
        if (index == NIL)
            return NIL;
        const struct message *oldest = &m->pool.at[index];
        if (oldest->number > number) {
            *waits = false;
            return NIL;
        }
        match_take(&m->match, e);
        if (oldest->number == number && oldest->sent >= before)
            return index;
        give_up(m, index, of_receives);
    }
}

/* ---- waiting ---- */

/* A location waits for its partner. */
struct waits {
    uint64_t begin;
    uint64_t end;
    uint64_t who; /* sender and receiver */
    uint32_t location;
    uint32_t node;
    uint32_t other; /* awaited location */
    enum wait why;
};

static uint32_t sender_of(uint64_t who)
{
    return (uint32_t)(who >> 32);
}

static uint32_t receiver_of(uint64_t who)
{
    return (uint32_t)who;
}

/* Counts a wait after all waits that overlap have been merged. */
static void account(struct report *r, const struct waits *w)
{
    uint64_t waited = w->end - w->begin;
    profile_wait(r, w->node, w->why, waited);
    if (!r->is_selected[w->location])
        return;
    uint32_t index = messages_pair(&r->messages, sender_of(w->who), receiver_of(w->who),
                                   (struct birth){UINT64_MAX, w->location});
    struct pair *pair = &r->messages.pairs.at[index];
    bool is_late = w->why == WAIT_SENDER;
    if (r->listener)
        r->listener->wait(r,
                          &(struct single_wait){w->begin, w->end, w->location, w->node,
                                                is_late ? sender_of(w->who) : receiver_of(w->who),
                                                w->why});
    *(is_late ? &pair->late_sender : &pair->late_receiver) += waited;
    place_add(is_late ? &pair->longest_sender : &pair->longest_receiver, w->begin, w->end,
              w->location, w->other);
}

/* The oldest wait overlaps with no later wait. */
static void account_oldest(struct report *r, struct waited *known)
{
    account(r, &known->at[0]);
    known->n--;
    memmove(known->at, known->at + 1, known->n * sizeof *known->at);
}

/*
 * A call waits for the last end: of two overlapping waits the wait with the later end gets the time
 * of both.
 */
static void wait(struct report *r, const struct waits *w)
{
    struct waited *known = &r->profile.streams[w->location].waited;
    struct waits whole = *w;
    unsigned kept = 0;
    if (w->end <= w->begin)
        return;
    tracks_wait(r, (struct track_wait){w->begin, w->end, w->location, w->other, w->node, 0});
    if (!known->at)
        known->at = take_memory(WAITED_MAX * sizeof *known->at);
    for (unsigned i = 0; i < known->n; i++) {
        const struct waits other = known->at[i];
        if (other.end <= whole.begin || whole.end <= other.begin) {
            known->at[kept++] = other;
            continue;
        }
        uint64_t begin = other.begin < whole.begin ? other.begin : whole.begin;
        if (other.end >= whole.end)
            whole = other;
        whole.begin = begin;
    }
    known->n = kept;
    if (kept == WAITED_MAX)
        account_oldest(r, known);
    known->at[known->n++] = whole;
}

void matching_account(struct report *r)
{
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        struct waited *known = &r->profile.streams[i].waited;
        while (known->n)
            account_oldest(r, known);
        free(known->at);
        known->at = NULL;
    }
}

void matching_take_wait(struct report *r, const void *data)
{
    wait(r, data);
}

/*
 * `note`: the event behind the wait, with the step after that event; NULL: the wait is taken at
 * once.
 */
static void tell_wait(struct report *r, const struct engine_note *note, uint32_t step,
                      const struct waits *w)
{
    if (!note) {
        wait(r, w);
        return;
    }
    struct engine_note told = *note;
    told.kind = NOTE_WAIT;
    told.stage = 2;
    told.steps[1] = step;
    notes_tell_location(r, w->location, told, w, sizeof *w);
}

enum { STEP_RECEIVER = 1, STEP_SENDER };

/* After everything is known of a message: did the sender wait? */
static void settle(struct report *r, const struct engine_note *note, uint32_t index)
{
    struct matching *m = &r->messages.matching;
    const struct message *message = &m->pool.at[index];
    if (!message->is_matched || !message->is_returned)
        return;
    if (message->posted > message->block_begin && message->posted < message->block_end)
        tell_wait(r, note, STEP_SENDER,
                  &(struct waits){.begin = message->block_begin,
                                  .end = message->posted,
                                  .who = message->who,
                                  .location = message->stream,
                                  .node = message->node,
                                  .other = r->defs.processes.at[receiver_of(message->who)].main,
                                  .why = WAIT_RECEIVER});
    match_free(&m->match, index);
}

/* ---- sends ---- */

/*
 * A receive that was read before the send. Where records are missing, a common clock can prove that
 * the receive belongs to a different message.
 */
static uint32_t take_receive(struct report *r, const struct half_sent *half, uint64_t time,
                             bool *waits)
{
    struct matching *m = &r->messages.matching;
    uint32_t sender = sender_of(half->e.who), receiver = receiver_of(half->e.who);
    bool is_certain = r->gaps.are_there && gaps_have_one_clock(r, sender, receiver);
    uint32_t index = take(m, half->e, true, half->number, is_certain ? time : 0, waits);
    if (index != NIL && m->pool.at[index].sent < time) {
        m->reversed++;
        m->has_clocks |= !gaps_have_one_clock(r, sender, receiver);
    }
    return index;
}

/* The message's index in the pool. */
static uint32_t take_send(struct report *r, const struct engine_note *note, uint64_t time,
                          const struct half_sent *half)
{
    struct matching *m = &r->messages.matching;
    bool waits = false;
    bool is_known = half->number != GAPS_UNKNOWN;
    uint32_t index = is_known ? take_receive(r, half, time, &waits) : NIL;
    bool is_found = index != NIL;
    if (!is_found)
        index = new_message(m, (struct message){.sent = time, .number = half->number});
    if (!is_found && waits)
        match_wait(&m->match, half->e, index, false);
    else if (!is_found && is_known)
        m->unreceived++;
    struct message *message = &m->pool.at[index];
    message->is_matched = is_found || !waits;
    message->is_returned = half->mode == SEND_AT_ONCE;
    message->who = half->e.who;
    message->stream = half->location;
    message->node = half->node;
    message->block_begin = time;
    message->block_end = time;
    if (message->is_returned)
        settle(r, note, index);
    return index;
}

/* The handle is a number, free again when the message has returned. */
static uint32_t new_handle(struct messages *m, struct sent sent)
{
    if (!m->free.n) {
        *LIST_ADD(&m->sent) = sent;
        return (uint32_t)m->sent.n - 1;
    }
    uint32_t handle = m->free.at[--m->free.n];
    m->sent.at[handle] = sent;
    return handle;
}

/*
 * Whether the present worker has both ends of the message: then the worker needs no notes about the
 * message.
 */
static bool has_both(const struct report *r, struct envelope e)
{
    return notes_are_of_one(&r->notes, sender_of(e.who), receiver_of(e.who));
}

uint32_t matching_send(struct report *r, struct stream *s, struct half_sent *half)
{
    if (notes_are_direct(&r->notes))
        return take_send(r, NULL, s->last, half);
    struct engine_note note = notes_new(r, s, NOTE_SEND);
    struct sent sent = {receiver_of(half->e.who), NIL};
    bool is_own = has_both(r, half->e);
    if (is_own)
        sent.message = take_send(r, &note, note.time, half);
    half->handle = half->mode == SEND_AT_ONCE ? NIL : new_handle(&r->messages, sent);
    if (!is_own)
        notes_tell_process(r, sent.receiver, note, half, sizeof *half);
    return half->handle;
}

/*
 * The place of a handle's message. The handle is a number of the worker that reads the sender's
 * location.
 */
static uint32_t *held(struct report *r, uint32_t location, uint32_t handle)
{
    struct matching *m = &r->messages.matching;
    unsigned reader = r->notes.location_of[location];
    while (m->held.n <= reader)
        (void)LIST_ADD(&m->held);
    struct held *of = &m->held.at[reader];
    while (of->messages.n <= handle)
        (void)LIST_ADD(&of->messages);
    return &of->messages.at[handle];
}

void matching_take_send(struct report *r, const struct engine_note *note, const void *data)
{
    const struct half_sent *half = data;
    uint32_t index = take_send(r, note, note->time, half);
    if (half->mode != SEND_AT_ONCE)
        *held(r, half->location, half->handle) = index;
}

/* ---- returns ---- */

static void take_return(struct report *r, const struct engine_note *note, uint32_t index,
                        const struct half_returned *half)
{
    struct message *message = &r->messages.matching.pool.at[index];
    message->is_returned = true;
    message->block_end = half->end;
    if (half->begin != MATCHING_IN_CALL) {
        message->block_begin = half->begin;
        message->node = half->node;
        message->stream = half->location;
    }
    settle(r, note, index);
}

void matching_return(struct report *r, struct stream *s, struct half_returned *half)
{
    struct messages *m = &r->messages;
    if (notes_are_direct(&r->notes)) {
        take_return(r, NULL, half->handle, half);
        return;
    }
    struct engine_note note = notes_new(r, s, NOTE_RETURNED);
    struct sent sent = m->sent.at[half->handle];
    if (sent.message != NIL)
        take_return(r, &note, sent.message, half);
    else
        notes_tell_process(r, sent.receiver, note, half, sizeof *half);
    *LIST_ADD(&m->free) = half->handle;
}

void matching_take_return(struct report *r, const struct engine_note *note, const void *data)
{
    const struct half_returned *half = data;
    take_return(r, note, *held(r, half->location, half->handle), half);
}

/* ---- receives ---- */

static void take_received(struct report *r, const struct engine_note *note, uint64_t time,
                          const struct half_received *half)
{
    struct matching *m = &r->messages.matching;
    bool waits = false;
    uint32_t index = take(m, half->e, false, half->number, 0, &waits);
    if (index == NIL && !waits)
        m->unsent++;
    if (index == NIL && waits)
        match_wait(&m->match, half->e,
                   new_message(m, (struct message){.sent = time,
                                                   .posted = half->posted,
                                                   .number = half->number}),
                   true);
    if (index == NIL)
        return;
    struct message *message = &m->pool.at[index];
    message->is_matched = true;
    message->posted = half->posted;
    const struct probed *probed = &half->probed;
    bool is_probed = message->sent > probed->begin && message->sent <= probed->end;
    if (is_probed || message->sent > half->enter)
        tell_wait(r, note, STEP_RECEIVER,
                  &(struct waits){.begin = is_probed ? probed->begin : half->enter,
                                  .end = message->sent,
                                  .who = half->e.who,
                                  .location = half->location,
                                  .node = is_probed ? probed->node : half->node,
                                  .other = message->stream,
                                  .why = WAIT_SENDER});
    settle(r, note, index);
}

void matching_receive(struct report *r, struct stream *s, const struct half_received *half)
{
    if (notes_are_direct(&r->notes)) {
        take_received(r, NULL, s->last, half);
        return;
    }
    struct engine_note note = notes_new(r, s, NOTE_RECEIVE);
    if (has_both(r, half->e))
        take_received(r, &note, note.time, half);
    else
        notes_tell_process(r, s->process, note, half, sizeof *half);
}

void matching_take_receive(struct report *r, const struct engine_note *note, const void *data)
{
    take_received(r, note, note->time, data);
}

void matching_finish(struct report *r)
{
    struct matching *m = &r->messages.matching;
    for (size_t i = 0; i < m->match.queues.n; i++) {
        const struct match_queue *queue = &m->match.queues.at[i];
        for (uint32_t at = queue->head; at != NIL; at = m->match.next.at[at])
            *(queue->of_receives ? &m->unsent : &m->unreceived) += 1;
    }
}
