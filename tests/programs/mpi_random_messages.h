/* SPDX-License-Identifier: BSD-3-Clause */
/* More steps of mpi_random.c: other ways of sending and receiving. */
#ifndef TESTS_MPI_RANDOM_MESSAGES_H
#define TESTS_MPI_RANDOM_MESSAGES_H

#include "mpi_random_steps.h"

static void told_send(struct worker *w, const char *how, int dest, int tag, int bytes)
{
    fprintf(w->log, "%s %s %d %d %d\n", how, w->name, dest, tag, bytes);
}

static void step_sendrecv(struct worker *w)
{
    int away = draw(w, w->size), tag = 1000 + w->tag++, bytes = draw(w, BYTES);
    int to = (w->rank + away) % w->size, from = (w->rank + w->size - away) % w->size;
    told_send(w, "send", to, tag, bytes);
    if (draw(w, 2))
        MPI_Sendrecv(w->out, bytes, MPI_CHAR, to, tag, w->in[0], BYTES, MPI_CHAR, from, tag,
                     w->comm, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv_replace(w->out, bytes, MPI_CHAR, to, tag, from, tag, w->comm,
                             MPI_STATUS_IGNORE);
    told_send(w, "recv", from, tag, bytes);
}

/* Received as it was probed, with the message in hand or without. */
static void receive_probed(struct worker *w, int how, int from, int tag)
{
    struct open open = {.kind = RECEIVED};
    MPI_Message message;
    MPI_Status status;
    int bytes = 0, is_there = 0;
    snprintf(open.comm, sizeof open.comm, "%s", w->name);
    if (how < 2) {
        MPI_Mprobe(from, tag, w->comm, &message, &status);
    } else if (how == 2) {
        MPI_Probe(from, tag, w->comm, &status);
    } else {
        for (int tries = 0; !is_there && tries < TRIES; tries++)
            MPI_Iprobe(from, tag, w->comm, &is_there, &status);
        if (!is_there)
            MPI_Probe(from, tag, w->comm, &status);
    }
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    if (how == 0) {
        MPI_Mrecv(w->in[0], bytes, MPI_CHAR, &message, &status);
        told_send(w, "recv", status.MPI_SOURCE, tag, bytes);
    } else if (how == 1) {
        MPI_Imrecv(w->in[0], bytes, MPI_CHAR, &message, &open.request);
        fprintf(w->log, "irecv\n");
        MPI_Wait(&open.request, &status);
        ended(w, &open, &status);
    } else {
        MPI_Recv(w->in[0], bytes, MPI_CHAR, status.MPI_SOURCE, tag, w->comm, &status);
        told_send(w, "recv", status.MPI_SOURCE, tag, bytes);
    }
}

static void step_probes(struct worker *w)
{
    int away = draw(w, w->size), tag = 1000 + w->tag++, bytes = draw(w, BYTES), how = draw(w, 4);
    int to = (w->rank + away) % w->size, from = (w->rank + w->size - away) % w->size;
    struct open open = {.kind = SENT};
    MPI_Status status;
    told_send(w, "isend", to, tag, bytes);
    MPI_Isend(w->out, bytes, MPI_CHAR, to, tag, w->comm, &open.request);
    receive_probed(w, how, draw(w, 2) ? MPI_ANY_SOURCE : from, tag);
    MPI_Wait(&open.request, &status);
    ended(w, &open, &status);
}

/* Nobody sends with that tag. */
static void step_cancel(struct worker *w)
{
    MPI_Request request;
    MPI_Status status;
    int is_cancelled = 0;
    MPI_Irecv(w->in[0], BYTES, MPI_CHAR, draw(w, 2) ? MPI_ANY_SOURCE : 0, 1000 + w->tag++, w->comm,
              &request);
    fprintf(w->log, "irecv\n");
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    EXPECT(is_cancelled);
    fprintf(w->log, "cancelled\n");
}

static void start_and_complete(struct worker *w, struct open open[2], MPI_Request request[2],
                               int how)
{
    MPI_Status status[2];
    if (how & 1) {
        MPI_Startall(2, request);
    } else {
        MPI_Start(&request[0]);
        MPI_Start(&request[1]);
    }
    if (how & 2) {
        MPI_Waitall(2, request, status);
    } else {
        MPI_Wait(&request[0], &status[0]);
        MPI_Wait(&request[1], &status[1]);
    }
    ended(w, &open[0], &status[0]);
    ended(w, &open[1], &status[1]);
}

static void step_persistent_messages(struct worker *w)
{
    int away = draw(w, w->size), tag = 1000 + w->tag++, bytes = draw(w, BYTES), how = draw(w, 3);
    int to = (w->rank + away) % w->size, from = (w->rank + w->size - away) % w->size;
    int rounds = 1 + draw(w, 3);
    struct open open[2] = {{.kind = RECEIVED}, {.kind = SENT}};
    MPI_Request request[2];
    snprintf(open[0].comm, sizeof open[0].comm, "%s", w->name);
    MPI_Recv_init(w->in[0], BYTES, MPI_CHAR, from, tag, w->comm, &request[0]);
    if (how == 0)
        MPI_Send_init(w->out, bytes, MPI_CHAR, to, tag, w->comm, &request[1]);
    else
        MPI_Ssend_init(w->out, bytes, MPI_CHAR, to, tag, w->comm, &request[1]);
    for (int i = 0; i < rounds; i++) {
        fprintf(w->log, "irecv\n");
        told_send(w, "isend", to, tag, bytes);
        start_and_complete(w, open, request, draw(w, 4));
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

#if MPI_VERSION >= 4
/* The parts become ready in an order of each rank's own. */
static void step_partitioned(struct worker *w)
{
    enum { PARTS = 4, PART = 8 };
    int tag = 1000 + w->tag++, to = (w->rank + 1) % w->size, from = (to + w->size - 2) % w->size;
    struct open open[2] = {{.kind = RECEIVED}, {.kind = SENT}};
    MPI_Request request[2];
    MPI_Status status[2];
    snprintf(open[0].comm, sizeof open[0].comm, "%s", w->name);
    MPI_Precv_init(w->in[0], PARTS, PART, MPI_CHAR, from, tag, w->comm, MPI_INFO_NULL, &request[0]);
    MPI_Psend_init(w->out, PARTS, PART, MPI_CHAR, to, tag, w->comm, MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < 2; round++) {
        int first = draw(w, PARTS) + w->rank, has_arrived = 0;
        fprintf(w->log, "irecv\n");
        told_send(w, "isend", to, tag, PARTS * PART);
        MPI_Startall(2, request);
        for (int i = 0; i < PARTS; i++)
            MPI_Pready((first + i) % PARTS, request[1]);
        MPI_Parrived(request[0], first % PARTS, &has_arrived);
        MPI_Waitall(2, request, status);
        fprintf(w->log, "received %s %d %d %d\n", w->name, from, tag, PARTS * PART);
        ended(w, &open[1], &status[1]);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}
#endif

/*
 * Between the ranks with an even number and those with an odd one. In one thread only: the agent
 * tells intercommunicators of the same groups apart by the order in which they are made, see
 * docs/mpi.md.
 */
static void step_intercomm(struct worker *w)
{
    if (w->number > 0) {
        step_comms(w);
        return;
    }
    MPI_Comm half, both;
    MPI_Status status;
    char name[32];
    int is_odd = w->rank % 2, own = 0, others = 0, tag = w->tag++, got = -1;
    MPI_Comm_split(w->comm, is_odd, 0, &half);
    snprintf(name, sizeof name, "%sh%d.%d", w->name, tag, is_odd);
    name_comm(w, half, name);
    MPI_Comm_rank(half, &own);
    MPI_Intercomm_create(half, 0, w->comm, !is_odd, 1000 + tag, &both);
    snprintf(name, sizeof name, "%si%d", w->name, tag);
    name_comm(w, both, name);
    MPI_Comm_remote_size(both, &others);
    int other = own % others;
    if (own == 0) { /* the first ones of both sides */
        fprintf(w->log, "send %s 0 5 4\n", name);
        MPI_Sendrecv(&w->rank, 1, MPI_INT, other, 5, &got, 1, MPI_INT, other, 5, both, &status);
        fprintf(w->log, "recv %s 0 5 4\n", name);
        EXPECT(got % 2 == !is_odd);
    }
    MPI_Barrier(both);
    fprintf(w->log, "collective %s 0 none 0 0\n", name);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

#endif
