/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/message_queue.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/list.h"

void push_send(struct queue *q, struct message m)
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

struct message pop_send(struct queue *q)
{
    struct message m = q->items[q->first++];
    q->n--;
    drop_gone(q);
    return m;
}

bool cancel_send(struct queue *q, uint64_t event)
{
    size_t low = q->first, high = q->first + q->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->items[middle].order < event)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == q->first + q->n || q->items[low].order != event)
        return false;
    q->items[low].is_gone = true;
    drop_gone(q);
    return true;
}

/* On top of the heap of receives. */
static bool is_before(const struct message *a, const struct message *b)
{
    return a->order != b->order ? a->order < b->order : a->serial < b->serial;
}

void push_receive(struct queue *q, struct message m)
{
    q->items = list_grow(q->items, &q->room, q->n + 1, sizeof m);
    size_t at = q->n++;
    for (; at > 0 && is_before(&m, &q->items[(at - 1) / 2]); at = (at - 1) / 2)
        q->items[at] = q->items[(at - 1) / 2];
    q->items[at] = m;
}

struct message pop_receive(struct queue *q)
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

void free_queue(struct queue *q)
{
    free(q->items);
    *q = (struct queue){0};
}
