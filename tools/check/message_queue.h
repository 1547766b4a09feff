/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a channel that wait for their partners: sends, and receives that are complete. */
#ifndef CHECK_MESSAGE_QUEUE_H
#define CHECK_MESSAGE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    uint64_t order; /* the event at its location: of the send; where a receive was posted */
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

/* Sends stand in the order of their events. */
void push_send(struct queue *q, struct message m);
struct message pop_send(struct queue *q);

/* The send of an event did not take place. False: it was matched. */
bool cancel_send(struct queue *q, uint64_t event);

/* Receives may be complete in any order: the one that was posted first comes out first. */
void push_receive(struct queue *q, struct message m);
struct message pop_receive(struct queue *q);

void free_queue(struct queue *q);

#endif
