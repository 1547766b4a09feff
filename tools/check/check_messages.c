/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about messages. MPI delivers those of one channel (sender, receiver, communicator, tag) in
 * the order in which they are sent to receives in the order in which these are posted; so the
 * n-th of both belong together. Which channel a posted receive belongs to is known when it is
 * complete: until then, receives posted later at that location wait.
 *
 * Where several threads send or receive in a channel, or a matched probe chooses, order says
 * nothing; such channels are loose, and compared as a whole. So are those of messages in
 * partitions, which belong together by the order in which they were made and never meet plain ones.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/mpi.h"

enum { SWEEP_MIN = 4096 };

struct message {
    uint64_t order; /* where it was posted, for receives; its number, for sends */
    uint64_t time;
    uint64_t size;
    uint64_t serial : 62;    /* of a receive: decides between equal orders */
    uint64_t is_gone : 1;    /* a send that was cancelled */
    uint64_t has_failed : 1; /* a receive that was too short */
};

struct queue {
    struct message *items;
    size_t first, n, room;
};

/* The first fault of a kind, and how many there are: kept until it is clear whether order counts.
 */
struct fault {
    uint64_t n, number, sent, received;
};

struct channel {
    struct node node; /* a: communicator, b: sender and receiver, c: tag, and PARTITIONED */
    struct queue sends, receives;
    uint64_t n_sent, n_received, n_matched;
    uint64_t next_number;            /* of a send: cancelled ones keep theirs */
    uint64_t sum_sent, sum_received; /* of hashes of the sizes */
    const struct location *sender, *receiver;
    bool is_loose;
    bool has_failed; /* a receive was too short for its message */
    bool is_ahead;   /* more was received than sent, last at ahead_time */
    uint64_t ahead_time;
    struct fault size, time, loose_time;
};

#define PARTITIONED (UINT64_C(1) << 32)

struct messages {
    struct map channels;
    size_t sweep_at;
    bool *is_unordered; /* regions of matched probes */
    size_t n_regions;
};

/* ---- queues ---- */

/* Sends stand in the order of their numbers. */
static void push_send(struct queue *q, struct message m)
{
    if (q->first + q->n == q->room && q->first > q->room / 2) {
        memmove(q->items, q->items + q->first, q->n * sizeof m);
        q->first = 0;
    }
    q->items = list_grow(q->items, &q->room, q->first + q->n + 1, sizeof m);
    q->items[q->first + q->n++] = m;
}

/* The first one is never one that did not take place. */
static void drop_gone(struct queue *q)
{
    while (q->n && q->items[q->first].is_gone) {
        q->first++;
        q->n--;
    }
    if (!q->n)
        q->first = 0;
}

static struct message pop_send(struct queue *q)
{
    struct message m = q->items[q->first++];
    q->n--;
    drop_gone(q);
    return m;
}

/* False: it was matched. */
static bool cancel_send(struct queue *q, uint64_t number)
{
    size_t low = q->first, high = q->first + q->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->items[middle].order < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == q->first + q->n || q->items[low].order != number)
        return false;
    q->items[low].is_gone = true;
    drop_gone(q);
    return true;
}

/* Receives may be complete in any order: the one that was posted first is on top of a heap. */
static bool is_before(const struct message *a, const struct message *b)
{
    return a->order != b->order ? a->order < b->order : a->serial < b->serial;
}

static void push_receive(struct queue *q, struct message m)
{
    q->items = list_grow(q->items, &q->room, q->n + 1, sizeof m);
    size_t at = q->n++;
    for (; at > 0 && is_before(&m, &q->items[(at - 1) / 2]); at = (at - 1) / 2)
        q->items[at] = q->items[(at - 1) / 2];
    q->items[at] = m;
}

static struct message pop_receive(struct queue *q)
{
    struct message top = q->items[0];
    const struct message last = q->items[--q->n];
    size_t at = 0;
    for (size_t next = 1; next < q->n; next = 2 * at + 1) {
        next += next + 1 < q->n && is_before(&q->items[next + 1], &q->items[next]);
        if (!is_before(&q->items[next], &last))
            break;
        q->items[at] = q->items[next];
        at = next;
    }
    q->items[at] = last;
    return top;
}

static void free_queue(struct queue *q)
{
    free(q->items);
    *q = (struct queue){0};
}

/* ---- channels ---- */

static uint64_t hash_of(uint64_t size)
{
    uint64_t h = (size + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Without memory of it nothing would be lost. */
static void sweep(void *node, void *context)
{
    struct messages *messages = context;
    struct channel *ch = node;
    if (ch->is_loose || ch->n_sent != ch->n_received || ch->n_matched != ch->n_sent || ch->size.n ||
        ch->time.n || ch->loose_time.n)
        return;
    free_queue(&ch->sends);
    free_queue(&ch->receives);
    map_remove(&messages->channels, ch);
}

static struct channel *channel_of(struct check *c, struct location *at, uint32_t comm,
                                  uint32_t peer, uint64_t tag, bool is_send)
{
    struct messages *messages = c->messages;
    struct membership *m = membership_of(c, at, comm);
    uint64_t other = m ? peer_of(c, at, m, peer) : NO_RANK;
    if (other == NO_RANK) {
        c->has_lost_parts = true;
        return NULL;
    }
    uint64_t pair = is_send ? m->rank << 32 | other : other << 32 | m->rank;
    struct channel *ch = map_find(&messages->channels, (struct key){comm, pair, tag});
    if (ch)
        return ch;
    if (messages->channels.n >= messages->sweep_at && !c->requests.n) {
        map_each(&messages->channels, sweep, messages);
        messages->sweep_at = 2 * messages->channels.n + SWEEP_MIN;
    }
    ch = map_intern(&messages->channels, (struct key){comm, pair, tag});
    ch->is_loose = tag >= PARTITIONED;
    return ch;
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

/* One of the two does not record everything: which belong together cannot be told. */
static bool has_gaps(const struct channel *ch)
{
    return (ch->sender && ch->sender->process->has_gaps) ||
           (ch->receiver && ch->receiver->process->has_gaps);
}

/* Receives that were posted before `limit` have found their place. */
static void match(struct channel *ch, uint64_t limit)
{
    while (ch->sends.n && ch->receives.n && ch->receives.items[0].order < limit) {
        struct message sent = pop_send(&ch->sends);
        struct message received = pop_receive(&ch->receives);
        ch->n_matched++;
        if (has_gaps(ch))
            continue;
        if (sent.size != received.size && !received.has_failed)
            note_fault(&ch->size, ch->n_matched - 1, sent.size, received.size);
        if (received.time < sent.time)
            note_fault(&ch->time, ch->n_matched - 1, sent.time, received.time);
    }
}

static uint64_t limit_of(const struct channel *ch)
{
    return ch->receiver && ch->receiver->first_receive ? ch->receiver->first_receive->event
                                                       : UINT64_MAX;
}

/* ---- sends ---- */

static struct channel *add_send(struct check *c, struct location *at, uint32_t receiver,
                                uint32_t comm, uint32_t tag, uint64_t size)
{
    uint64_t part = is_marked(at, MPI_MARK_PARTITIONS, NULL) ? PARTITIONED : 0;
    struct channel *ch = channel_of(c, at, comm, receiver, tag | part, true);
    struct membership *m = at->membership;
    if (m && m->node.key.a == comm && m->is_member)
        membership_use(at, m);
    if (!ch)
        return NULL;
    if (ch->sender && ch->sender != at && !ch->is_loose)
        set_loose(ch);
    ch->sender = at;
    ch->sum_sent += hash_of(size);
    if (ch->is_ahead && ch->n_sent < ch->n_received && at->time > ch->ahead_time && !has_gaps(ch))
        note_fault(&ch->loose_time, ch->n_sent, at->time, ch->ahead_time);
    if (!ch->is_loose) {
        push_send(&ch->sends, (struct message){ch->next_number, at->time, size, 0, 0, 0});
        match(ch, limit_of(ch));
    }
    ch->next_number++;
    if (++ch->n_sent >= ch->n_received)
        ch->is_ahead = false;
    return ch;
}

void mpi_send(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiSend *m = &e->evt_MpiSend;
    (void)add_send(c, at, m->receiver, m->communicator, m->msgTag, m->msgLength);
}

void mpi_isend(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiIsend *m = &e->evt_MpiIsend;
    struct channel *ch = add_send(c, at, m->receiver, m->communicator, m->msgTag, m->msgLength);
    struct request *r = request_open(c, at, m->requestID, REQUEST_SEND);
    if (!r)
        return;
    r->channel = ch;
    r->number = ch ? ch->next_number - 1 : 0;
    r->size = m->msgLength;
}

/* Takes the message out again; if it was matched already, order says nothing any more. */
void message_cancel(struct check *c, const struct request *r)
{
    struct channel *ch = r->channel;
    (void)c;
    if (!ch)
        return;
    ch->n_sent--;
    ch->sum_sent -= hash_of(r->size);
    if (!ch->is_loose && !cancel_send(&ch->sends, r->number))
        set_loose(ch);
}

/* ---- receives ---- */

static void add_receive(struct check *c, struct location *at, struct channel *ch,
                        struct location *poster, uint64_t order, uint64_t region, uint64_t size)
{
    const struct messages *messages = c->messages;
    bool is_unordered = region < messages->n_regions && messages->is_unordered[region];
    if (!ch)
        return;
    if (!ch->is_loose && ((ch->receiver && ch->receiver != poster) || is_unordered))
        set_loose(ch);
    ch->receiver = poster;
    bool has_failed = is_marked(at, MPI_MARK_ERROR, NULL);
    ch->has_failed |= has_failed;
    ch->sum_received += hash_of(size);
    if (++ch->n_received > ch->n_sent) {
        ch->is_ahead = true;
        ch->ahead_time = at->time;
    }
    if (ch->is_loose)
        return;
    push_receive(&ch->receives, (struct message){order, at->time, size,
                                                 ch->n_received & INT64_MAX >> 1, 0, has_failed});
    match(ch, limit_of(ch));
}

void mpi_recv(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiRecv *m = &e->evt_MpiRecv;
    const struct frame *top = at->depth ? &at->frames[at->depth - 1] : NULL;
    struct channel *ch = channel_of(c, at, m->communicator, m->sender, m->msgTag, false);
    struct membership *member = at->membership;
    if (member && member->node.key.a == m->communicator && member->is_member)
        membership_use(at, member);
    add_receive(c, at, ch, at, top ? top->event : at->file.count - 1, innermost_region(c, at),
                m->msgLength);
}

void mpi_irecv(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiIrecv *m = &e->evt_MpiIrecv;
    struct request *r = request_done(c, at, m->requestID, REQUEST_RECEIVE);
    uint64_t part = r && r->is_partitioned ? PARTITIONED : 0;
    struct channel *ch = channel_of(c, at, m->communicator, m->sender, m->msgTag | part, false);
    if (!r)
        return;
    struct request done = *r;
    request_close(c, at, r);
    add_receive(c, at, ch, done.at, done.event, done.region, m->msgLength);
}

/* ---- begin and end ---- */

void messages_begin(struct check *c)
{
    struct messages *messages = c->messages = take_memory(sizeof *messages);
    const struct space *regions = &c->spaces[OTF2_REF_Region];
    messages->channels.node_bytes = sizeof(struct channel);
    messages->sweep_at = SWEEP_MIN;
    messages->n_regions = regions->n_dense;
    messages->is_unordered = take_memory(regions->n_dense + 1);
    for (size_t i = 0; i < regions->n_dense; i++) {
        const char *name = region_text(c, i);
        messages->is_unordered[i] =
            strcmp(name, "MPI_Mrecv") == 0 || strcmp(name, "MPI_Imrecv") == 0;
    }
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
    if (ch->is_loose && !ch->has_failed && !has_gaps(ch) && ch->n_sent == ch->n_received &&
        ch->sum_sent != ch->sum_received)
        found(c->verdict, RULE_MESSAGE_SIZE, (struct place){0},
              CHANNEL_FORMAT "the sizes sent are not those received", CHANNEL_VALUES(l));
    if (time->n)
        found(c->verdict, RULE_MESSAGE_TIME, (struct place){0},
              CHANNEL_FORMAT "message %" PRIu64 " is sent at %" PRIu64 " and received at %" PRIu64
                             " (%" PRIu64 " messages)",
              CHANNEL_VALUES(l), time->number, time->sent, time->received, time->n);
}

/* Messages to processes that were killed are not received; one from there may not be recorded. */
static void finish_channel(void *node, void *context)
{
    struct check *c = context;
    struct channel *ch = node;
    struct channel_label l = label_of(c, ch);
    bool is_even = ch->n_sent == ch->n_received;
    bool is_missing_fine = c->is_cut || c->has_lost_parts || c->has_gaps ||
                           (c->allows_unfinished && ch->n_received <= ch->n_sent + 1);
    match(ch, UINT64_MAX);
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
    map_each(&c->messages->channels, finish_channel, c);
    map_fini(&c->messages->channels);
    free(c->messages->is_unordered);
    free(c->messages);
}
