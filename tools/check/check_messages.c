/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about messages. MPI delivers the messages of a channel (sender, receiver, communicator,
 * tag) in the order of sending to receives in the order of posting; so the n-th send and the n-th
 * receive belong together. The channel of a posted receive is known when the receive is complete:
 * until then, receives posted later at that location wait.
 *
 * If several threads send or receive in a channel, or a matched probe chooses, order says nothing;
 * such channels are loose, and compared as a whole. Loose as well are the channels of messages in
 * partitions. Partitioned messages belong together by the order of making the requests, and never
 * meet plain messages.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/message_queue.h"
#include "tools/check/mpi.h"

enum { SWEEP_MIN = 64 };

/*
 * The first fault of a kind, and the number of faults: kept until the checker knows whether order
 * counts.
 */
struct fault {
    uint64_t n, number, sent, received;
};

struct pair;

struct channel {
    struct node node; /* a: communicator, b: sender and receiver, c: tag, and PARTITIONED */
    struct queue sends, receives;
    uint64_t n_sent, n_received, n_matched;
    uint64_t limit;                  /* receives posted before are complete */
    uint64_t sum_sent, sum_received; /* of hashes of the sizes */
    const struct location *sender, *receiver;
    bool is_here; /* no other worker is involved: the channel's notes are taken at once */
    bool is_loose;
    bool has_failed; /* a receive was too short for the message */
    bool is_ahead;   /* more was received than sent, last at ahead_time */
    uint64_t ahead_time;
    struct fault size, time, loose_time;
    struct pair *of;
    struct channel *next; /* of the pair */
};

/*
 * All channels of a sender and a receiver in a communicator. The channels of a pair have a single
 * owner.
 */
struct pair {
    struct node node; /* a: communicator, b: sender and receiver */
    struct channel *first;
    size_t n_channels, sweep_at;
    const struct location *receiver; /* the last receiver to tell a limit, */
    uint64_t limit;                  /* and the told limit, as in a channel */
};

struct messages {
    struct table channels, pairs;
};

/* ---- channels ---- */

static uint64_t hash_of(uint64_t size)
{
    uint64_t h = (size + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* The channel of a message to or from a peer. */
static struct channel_id find_channel(struct check *c, struct location *at, uint32_t comm,
                                      uint32_t peer, uint64_t tag, bool is_send)
{
    struct membership *m = membership_of(c, at, comm);
    uint64_t other = m ? peer_of(c, at, m, peer) : NO_RANK;
    if (other == NO_RANK) {
        c->has_lost_parts = true;
        return (struct channel_id){0};
    }
    return (struct channel_id){.comm = comm,
                               .is_known = true,
                               .pair = is_send ? m->rank << 32 | other : other << 32 | m->rank,
                               .tag = tag};
}

static struct key pair_key(const struct channel_id *id)
{
    return (struct key){id->comm, id->pair, 0};
}

/*
 * Whether the present worker reads both ends of a pair: then the worker has the channel too, and
 * meets the channel's events in order.
 */
static bool is_pair_here(const struct check *c, uint64_t pair)
{
    const uint64_t sender = pair >> 32, receiver = pair & UINT32_MAX;
    return is_alone(c) || (sender < c->n_ranks && receiver < c->n_ranks &&
                           c->reader_of_rank[sender] == c->engine->rank &&
                           c->reader_of_rank[receiver] == c->engine->rank);
}

static void set_loose(struct channel *ch)
{
    ch->is_loose = true;
    free_queue(&ch->sends);
    free_queue(&ch->receives);
}

static void note_fault(struct fault *fault, uint64_t number, uint64_t sent, uint64_t received)
{
    if (!fault->n++)
        *fault = (struct fault){1, number, sent, received};
}

/*
 * The sender or the receiver does not record everything: then the matching of sends and receives is
 * unknown.
 */
static bool is_partial(const struct check *c, const struct channel *ch)
{
    const bool *gaps = ch->is_here ? c->gaps_here : c->gaps;
    return has_gaps(gaps, ch->sender) || has_gaps(gaps, ch->receiver);
}

/* Matches the receives posted before `limit`: their place in the order is final. */
static void match(const struct check *c, struct channel *ch, uint64_t limit)
{
    while (ch->sends.n && ch->receives.n && ch->receives.items[0].order < limit) {
        struct message sent = pop_send(&ch->sends);
        struct message received = pop_receive(&ch->receives);
        ch->n_matched++;
        if (is_partial(c, ch))
            continue;
        if (sent.size != received.size && !received.has_failed)
            note_fault(&ch->size, ch->n_matched - 1, sent.size, received.size);
        if (received.time < sent.time)
            note_fault(&ch->time, ch->n_matched - 1, sent.time, received.time);
    }
}

/* The receiver's last word, here or in another channel of the pair. */
static uint64_t limit_of(const struct channel *ch)
{
    const struct pair *pair = ch->of;
    return pair->receiver == ch->receiver && pair->limit > ch->limit ? pair->limit : ch->limit;
}

/* A channel that could be forgotten without loss. */
static bool is_over(const struct channel *ch)
{
    return !ch->is_loose && ch->n_sent == ch->n_received && ch->n_matched == ch->n_sent &&
           !ch->size.n && !ch->time.n && !ch->loose_time.n;
}

static void sweep(struct check *c, struct pair *pair)
{
    for (struct channel **link = &pair->first; *link;) {
        struct channel *ch = *link;
        match(c, ch, limit_of(ch));
        if (!is_over(ch)) {
            link = &ch->next;
            continue;
        }
        *link = ch->next;
        pair->n_channels--;
        free_queue(&ch->sends);
        free_queue(&ch->receives);
        table_remove(&c->messages->channels, ch);
    }
    pair->sweep_at = 2 * pair->n_channels + SWEEP_MIN;
}

static struct channel *channel_of(struct check *c, const struct channel_id *id)
{
    struct messages *messages = c->messages;
    struct channel *ch = table_find(&messages->channels, (struct key){id->comm, id->pair, id->tag});
    if (ch)
        return ch;
    struct pair *own = table_intern(&messages->pairs, pair_key(id));
    own->sweep_at += own->sweep_at ? 0 : SWEEP_MIN;
    if (own->n_channels >= own->sweep_at)
        sweep(c, own);
    ch = table_intern(&messages->channels, (struct key){id->comm, id->pair, id->tag});
    ch->is_here = is_pair_here(c, id->pair);
    ch->is_loose = id->tag >= PARTITIONED;
    ch->of = own;
    ch->next = own->first;
    own->first = ch;
    own->n_channels++;
    return ch;
}

/* ---- sends ---- */

/*
 * Times in notes and channels are as good as the clocks: the time of a send is the earliest
 * possible time, the time of a receive is the latest possible time.
 */
struct send_note {
    uint64_t time, size;
    struct channel_id channel;
};

static struct send_note add_send(struct check *c, struct location *at, uint32_t receiver,
                                 uint32_t comm, uint32_t tag, uint64_t size)
{
    uint64_t part = is_marked(at, MPI_MARK_PARTITIONS, NULL) ? PARTITIONED : 0;
    uint64_t earliest = at->time > at->clock_error ? at->time - at->clock_error : 0;
    struct send_note note = {earliest, size, find_channel(c, at, comm, receiver, tag | part, true)};
    struct membership *m = at->membership;
    if (m && m->node.key.a == comm && m->is_member)
        membership_use(at, m);
    if (note.channel.is_known)
        TELL_UNLESS(is_pair_here(c, note.channel.pair), c, at, SEND, pair_key(&note.channel), note);
    return note;
}

void take_send(struct check *c, const struct engine_note *n, const void *data)
{
    const struct send_note *note = data;
    const struct location *at = note_location(c, n);
    struct channel *ch = channel_of(c, &note->channel);
    if (ch->sender && ch->sender != at && !ch->is_loose)
        set_loose(ch);
    ch->sender = at;
    ch->sum_sent += hash_of(note->size);
    if (ch->is_ahead && ch->n_sent < ch->n_received && note->time > ch->ahead_time &&
        !is_partial(c, ch))
        note_fault(&ch->loose_time, ch->n_sent, note->time, ch->ahead_time);
    if (!ch->is_loose) {
        push_send(&ch->sends, (struct message){n->sequence - 1, note->time, note->size, 0, 0, 0});
        match(c, ch, limit_of(ch));
    }
    if (++ch->n_sent >= ch->n_received)
        ch->is_ahead = false;
}

void mpi_send(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiSend *m = &e->evt_MpiSend;
    (void)add_send(c, at, m->receiver, m->communicator, m->msgTag, m->msgLength);
}

void mpi_isend(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiIsend *m = &e->evt_MpiIsend;
    struct send_note sent = add_send(c, at, m->receiver, m->communicator, m->msgTag, m->msgLength);
    struct opening o = {.time = at->time,
                        .id = m->requestID,
                        .size = m->msgLength,
                        .channel = sent.channel,
                        .kind = REQUEST_SEND};
    TELL(c, at, REQUEST_OPEN, requests_key(at->process), o);
}

/* For a cancelled send that was not the last send. */
struct cancel_note {
    uint64_t time, size, event;
    struct channel_id channel;
};

void message_cancel(struct check *c, const struct engine_note *n, const struct request *r)
{
    struct cancel_note note = {0, r->size, r->event, r->channel};
    if (r->channel.is_known)
        TELL_ON_UNLESS(is_pair_here(c, note.channel.pair), c, n, MESSAGE_CANCEL,
                       pair_key(&note.channel), note);
}

/*
 * Takes the message out again. If the message was matched already, order says nothing any more: the
 * channel becomes loose.
 */
void take_message_cancel(struct check *c, const struct engine_note *n, const void *data)
{
    const struct cancel_note *note = data;
    struct channel *ch = channel_of(c, &note->channel);
    (void)n;
    if (!ch->n_sent) { /* the channel was swept: the message was received */
        ch->n_received++;
        return;
    }
    ch->n_sent--;
    ch->sum_sent -= hash_of(note->size);
    if (!ch->is_loose && !cancel_send(&ch->sends, note->event))
        set_loose(ch);
}

/* ---- receives ---- */

/* A note to the receiver's process, since the process knows the place of posting. */
struct receive_note {
    uint64_t time, id, size;
    uint64_t posted; /* of a blocking receive */
    struct channel_id channel;
    bool is_blocking, is_unordered, has_failed;
    uint8_t unused;
    uint32_t clock_error; /* ticks */
};

/* From there to the owner of the channel. */
struct received_note {
    uint64_t time, size, posted, limit;
    struct channel_id channel;
    uint32_t poster;
    bool is_unordered, has_failed;
    uint8_t unused[2];
};

void mpi_recv(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiRecv *m = &e->evt_MpiRecv;
    const struct frame *top = at->depth ? &at->frames[at->depth - 1] : NULL;
    uint64_t region = innermost_region(c, at);
    struct receive_note note = {.time = at->time,
                                .size = m->msgLength,
                                .posted = top ? top->event : at->file.count - 1,
                                .channel = find_channel(c, at, m->communicator, m->sender,
                                                        m->msgTag, false),
                                .is_blocking = true,
                                .is_unordered = region < c->n_regions && c->is_unordered[region],
                                .has_failed = is_marked(at, MPI_MARK_ERROR, NULL),
                                .clock_error = at->clock_error};
    struct membership *member = at->membership;
    if (member && member->node.key.a == m->communicator && member->is_member)
        membership_use(at, member);
    if (note.channel.is_known)
        TELL(c, at, RECEIVE, requests_key(at->process), note);
}

void mpi_irecv(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiIrecv *m = &e->evt_MpiIrecv;
    struct receive_note note = {.time = at->time,
                                .id = m->requestID,
                                .size = m->msgLength,
                                .channel = find_channel(c, at, m->communicator, m->sender,
                                                        m->msgTag, false),
                                .has_failed = is_marked(at, MPI_MARK_ERROR, NULL),
                                .clock_error = at->clock_error};
    TELL(c, at, RECEIVE, requests_key(at->process), note);
}

/* Up to where all receives of a location are complete. */
static uint64_t completed(const struct location *poster, uint64_t posted)
{
    if (poster->first_receive)
        return poster->first_receive->event;
    return 1 + (poster->last_posted > posted ? poster->last_posted : posted);
}

void take_receive(struct check *c, const struct engine_note *n, const void *data)
{
    const struct receive_note *note = data;
    const struct location *poster = note_location(c, n);
    struct received_note on = {.time = note->time + note->clock_error,
                               .size = note->size,
                               .posted = note->posted,
                               .channel = note->channel,
                               .is_unordered = note->is_unordered,
                               .has_failed = note->has_failed};
    if (!note->is_blocking) {
        struct place where = note_place(c, n, data);
        struct request *r = request_done(c, n, where, note->id, REQUEST_RECEIVE);
        if (!r)
            return;
        poster = r->at;
        on.posted = r->event;
        on.is_unordered = r->is_unordered;
        on.channel.tag |= r->is_partitioned ? PARTITIONED : 0;
        request_close(c, n, where, r);
    }
    on.poster = poster->index;
    on.limit = completed(poster, on.posted);
    if (on.channel.is_known)
        TELL_ON_UNLESS(is_pair_here(c, on.channel.pair), c, n, RECEIVED, pair_key(&on.channel), on);
}

/* Sets the limit of a channel: receives posted before the limit are complete. */
static void set_limit(struct channel *ch, const struct location *poster, uint64_t limit)
{
    struct pair *pair = ch->of;
    ch->limit = ch->receiver != poster || limit > ch->limit ? limit : ch->limit;
    pair->limit = pair->receiver != poster || limit > pair->limit ? limit : pair->limit;
    pair->receiver = poster;
}

void take_received(struct check *c, const struct engine_note *n, const void *data)
{
    const struct received_note *note = data;
    const struct location *poster = &c->locations[note->poster];
    struct channel *ch = channel_of(c, &note->channel);
    (void)n;
    if (!ch->is_loose && ((ch->receiver && ch->receiver != poster) || note->is_unordered))
        set_loose(ch);
    set_limit(ch, poster, note->limit);
    ch->receiver = poster;
    ch->has_failed |= note->has_failed;
    ch->sum_received += hash_of(note->size);
    if (++ch->n_received > ch->n_sent) {
        ch->is_ahead = true;
        ch->ahead_time = note->time;
    }
    if (ch->is_loose)
        return;
    push_receive(&ch->receives,
                 (struct message){note->posted, note->time, note->size,
                                  ch->n_received & INT64_MAX >> 1, 0, note->has_failed});
    match(c, ch, limit_of(ch));
}

/* ---- begin and end ---- */

void messages_begin(struct check *c)
{
    c->messages = take_memory(sizeof *c->messages);
    c->messages->channels.node_bytes = sizeof(struct channel);
    c->messages->pairs.node_bytes = sizeof(struct pair);
}

struct channel_label {
    uint64_t comm, sender, receiver, tag;
    const char *name;
};

static struct channel_label label_of(const struct check *c, const struct channel *ch)
{
    const struct otf2_def_Comm *comm = defined_as(c, OTF2_REF_Comm, ch->node.key.a, OTF2_DEF_Comm);
    return (struct channel_label){ch->node.key.a, ch->node.key.b >> 32, ch->node.key.b & UINT32_MAX,
                                  ch->node.key.c & UINT32_MAX, comm ? text_of(c, comm->name) : ""};
}

#define CHANNEL_FORMAT                                                                             \
    "communicator %" PRIu64 " \"%.80s\" from rank %" PRIu64 " to %" PRIu64 " tag %" PRIu64 ": "
#define CHANNEL_VALUES(l) (l).comm, (l).name, (l).sender, (l).receiver, (l).tag

static void report_order(struct check *c, const struct channel *ch)
{
    struct channel_label l = label_of(c, ch);
    const struct fault *time = ch->is_loose ? &ch->loose_time : &ch->time;
    if (!ch->is_loose && ch->size.n)
        found(c->verdict, RULE_MESSAGE_SIZE, (struct place){0},
              CHANNEL_FORMAT "message %" PRIu64 " has %" PRIu64 " bytes when sent, %" PRIu64
                             " when received (%" PRIu64 " messages)",
              CHANNEL_VALUES(l), ch->size.number, ch->size.sent, ch->size.received, ch->size.n);
    if (ch->is_loose && !ch->has_failed && !is_partial(c, ch) && ch->n_sent == ch->n_received &&
        ch->sum_sent != ch->sum_received)
        found(c->verdict, RULE_MESSAGE_SIZE, (struct place){0},
              CHANNEL_FORMAT "the sizes sent are not those received", CHANNEL_VALUES(l));
    if (time->n)
        found(c->verdict, RULE_MESSAGE_TIME, (struct place){0},
              CHANNEL_FORMAT "message %" PRIu64 " is sent at %" PRIu64 " and received at %" PRIu64
                             " (%" PRIu64 " messages)",
              CHANNEL_VALUES(l), time->number, time->sent, time->received, time->n);
}

/*
 * Messages to killed processes are never received; the send of a message from a killed process may
 * lack a record.
 */
static void finish_channel(void *node, void *context)
{
    struct check *c = context;
    struct channel *ch = node;
    struct channel_label l = label_of(c, ch);
    bool is_even = ch->n_sent == ch->n_received;
    bool is_missing_fine = c->is_cut || c->has_lost_parts || c->has_gaps ||
                           (c->allows_unfinished && ch->n_received <= ch->n_sent + 1);
    match(c, ch, UINT64_MAX);
    enum rule rule = ch->n_received < ch->n_sent ? RULE_MESSAGE_LEFT : RULE_MESSAGE_UNMATCHED;
    if (!is_even && !is_missing_fine)
        found(c->verdict, rule, (struct place){0},
              CHANNEL_FORMAT "%" PRIu64 " sent, %" PRIu64 " received", CHANNEL_VALUES(l),
              ch->n_sent, ch->n_received);
    if (is_even || is_missing_fine || rule == RULE_MESSAGE_LEFT)
        report_order(c, ch);
    free_queue(&ch->sends);
    free_queue(&ch->receives);
}

void messages_finish(struct check *c)
{
    each_in_phase(c, PHASE_MESSAGES, &c->messages->channels, finish_channel);
    table_fini(&c->messages->channels);
    table_fini(&c->messages->pairs);
    free(c->messages);
}
