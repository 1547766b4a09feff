/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/match.h"

/* ---- messages ---- */

uint32_t match_new(struct match *m)
{
    uint32_t message = m->free;
    if (message) {
        message--;
        m->free = m->next.at[message];
    } else {
        message = (uint32_t)m->next.n;
        (void)LIST_ADD(&m->next);
    }
    return message;
}

void match_free(struct match *m, uint32_t message)
{
    m->next.at[message] = m->free;
    m->free = message + 1;
}

/* ---- queues ---- */

enum { EMPTY_MOST = 1024 }; /* or as many as others, if that is more */

static uint32_t new_queue(struct match *m, struct envelope e)
{
    uint32_t queue = m->free_queue;
    if (queue) {
        queue--;
        m->free_queue = m->queues.at[queue].next_free;
    } else {
        queue = (uint32_t)m->queues.n;
        (void)LIST_ADD(&m->queues);
    }
    m->queues.at[queue] = (struct match_queue){.e = e, .head = NIL};
    map_set(&m->queue_of, e.what, e.who, queue);
    m->n_empty++;
    return queue;
}

static uint32_t queue_of(struct match *m, struct envelope e)
{
    if (!m->is_last_known || m->last.what != e.what || m->last.who != e.who) {
        m->last = e;
        m->last_queue = map_find(&m->queue_of, e.what, e.who);
        m->is_last_known = true;
    }
    return m->last_queue;
}

static void forget_empty(struct match *m)
{
    for (uint32_t i = 0; i < m->queues.n; i++) {
        struct match_queue *queue = &m->queues.at[i];
        if (queue->head != NIL || queue->is_free)
            continue;
        map_remove(&m->queue_of, queue->e.what, queue->e.who);
        queue->is_free = true;
        queue->next_free = m->free_queue;
        m->free_queue = i + 1;
    }
    m->n_empty = 0;
    m->is_last_known = false;
}

void match_wait(struct match *m, struct envelope e, uint32_t message, bool is_receive)
{
    if (queue_of(m, e) == NIL)
        m->last_queue = new_queue(m, e);
    struct match_queue *queue = &m->queues.at[m->last_queue];
    m->next.at[message] = NIL;
    if (queue->head == NIL) {
        queue->head = message;
        queue->of_receives = is_receive;
        m->n_empty--;
    } else {
        m->next.at[queue->tail] = message;
    }
    queue->tail = message;
}

uint32_t match_oldest(struct match *m, struct envelope e, bool is_receive)
{
    uint32_t index = queue_of(m, e);
    return index == NIL || m->queues.at[index].of_receives != is_receive ? NIL
                                                                         : m->queues.at[index].head;
}

uint32_t match_take(struct match *m, struct envelope e)
{
    struct match_queue *queue = &m->queues.at[queue_of(m, e)];
    uint32_t message = queue->head;
    queue->head = m->next.at[message];
    if (queue->head == NIL && ++m->n_empty > EMPTY_MOST && m->n_empty > m->queue_of.n / 2)
        forget_empty(m);
    return message;
}

/* ---- requests ---- */

void posts_add(struct posts *p, uint32_t process, uint64_t request, uint64_t time)
{
    uint32_t index = map_find(&p->index_of, process, request);
    if (index == NIL && p->free.n) {
        index = p->free.at[--p->free.n];
    } else if (index == NIL) {
        index = (uint32_t)p->times.n;
        (void)LIST_ADD(&p->times);
    }
    p->times.at[index] = time;
    map_set(&p->index_of, process, request, index);
}

uint64_t posts_take(struct posts *p, uint32_t process, uint64_t request, uint64_t otherwise)
{
    uint32_t index = map_find(&p->index_of, process, request);
    if (index == NIL)
        return otherwise;
    map_remove(&p->index_of, process, request);
    *LIST_ADD(&p->free) = index;
    return p->times.at[index];
}
