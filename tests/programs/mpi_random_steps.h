/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of mpi_random.c, each with the expected records. */
#ifndef TESTS_MPI_RANDOM_STEPS_H
#define TESTS_MPI_RANDOM_STEPS_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { KEPT = 64, BATCH = 12, BYTES = 256, WINDOW = 64, TRIES = 10 };
enum kind { SENT, RECEIVED, COLLECTIVE };

/* A request, and the record of its end. */
struct open {
    MPI_Request request;
    enum kind kind;
    char comm[16], text[64];
};

struct worker {
    uint64_t random;
    int number, rank, size, world_rank;
    char name[16];
    FILE *log;
    MPI_Comm comm;
    MPI_Win win, own_win;
    struct open kept[KEPT];
    int n_kept, tag;
    char in[BATCH][BYTES], out[BYTES];
    char later[KEPT][BYTES]; /* received when the thread has gone */
    int sums[2];
};

static int draw(struct worker *w, int n)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((w->random >> 33) % (uint64_t)n);
}

/* ---- requests are complete ---- */

static void ended(struct worker *w, const struct open *open, const MPI_Status *status)
{
    int bytes = 0;
    if (open->kind == SENT) {
        fprintf(w->log, "sent\n");
    } else if (open->kind == COLLECTIVE) {
        fprintf(w->log, "collective %s %s\n", open->comm, open->text);
    } else {
        MPI_Get_count(status, MPI_CHAR, &bytes);
        fprintf(w->log, "received %s %d %d %d\n", open->comm, status->MPI_SOURCE, status->MPI_TAG,
                bytes);
    }
}

static void complete_some(struct worker *w, struct open *open, MPI_Request *requests, int n)
{
    MPI_Status statuses[KEPT];
    int indices[KEPT], done = 0;
    do {
        MPI_Waitsome(n, requests, &done, indices, statuses);
        for (int i = 0; done != MPI_UNDEFINED && i < done; i++)
            ended(w, &open[indices[i]], &statuses[i]);
    } while (done != MPI_UNDEFINED);
}

static void complete_each(struct worker *w, struct open *open, MPI_Request *requests, int n)
{
    MPI_Status status;
    for (int left = n; left > 0; left--) {
        int index = n - left, flag = 0;
        if (left % 2) {
            MPI_Waitany(n, requests, &index, &status);
        } else {
            for (int tries = 0; !flag && tries < TRIES; tries++)
                MPI_Testany(n, requests, &index, &flag, &status);
            if (!flag)
                MPI_Waitany(n, requests, &index, &status);
        }
        if (index != MPI_UNDEFINED)
            ended(w, &open[index], &status);
    }
}

/* By a random way of completion. The ranks draw the way together. */
static void complete_requests(struct worker *w, struct open *open, int n)
{
    MPI_Request requests[KEPT];
    MPI_Status statuses[KEPT];
    int how = draw(w, 4), flag = 0;
    for (int i = 0; i < n; i++)
        requests[i] = open[i].request;
    if (how == 0) {
        complete_some(w, open, requests, n);
    } else if (how == 1) {
        complete_each(w, open, requests, n);
    } else {
        for (int tries = 0; how == 2 && !flag && tries < TRIES; tries++)
            MPI_Testall(n, requests, &flag, statuses);
        if (!flag)
            MPI_Waitall(n, requests, statuses);
        for (int i = 0; i < n; i++)
            ended(w, &open[i], &statuses[i]);
    }
}

/* ---- communicators ---- */

static void name_comm(struct worker *w, MPI_Comm comm, const char *name)
{
    MPI_Comm_set_name(comm, name);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    fprintf(w->log, "made %s\n", name);
}

/*
 * Two communicators of the same members. In half of the cases ranks begin with different ones. Open
 * MPI 4.1 hangs there at times, even without an agent, when other threads make communicators too:
 * with Open MPI all ranks begin alike, and comm_orders tries the other order.
 */
static void make_two(struct worker *w, MPI_Comm from, MPI_Comm *copy, MPI_Comm *made)
{
    MPI_Group group;
    MPI_Request request;
    MPI_Status status;
#ifdef OPEN_MPI
    int is_first = draw(w, 2);
#else
    int is_first = (draw(w, 2) + w->rank) % 2;
#endif
    MPI_Comm_group(from, &group);
    if (is_first) {
        MPI_Comm_idup(from, copy, &request);
        fprintf(w->log, "begun\n");
    }
    MPI_Comm_create_group(from, group, w->number, made);
    char name[32];
    snprintf(name, sizeof name, "%sg%d", w->name, w->tag);
    name_comm(w, *made, name);
    if (!is_first) {
        MPI_Comm_idup(from, copy, &request);
        fprintf(w->log, "begun\n");
    }
    MPI_Wait(&request, &status);
    snprintf(name, sizeof name, "%sc%d", w->name, w->tag++);
    name_comm(w, *copy, name);
    MPI_Group_free(&group);
}

/* The thread's own communicator: by tag, since all threads make communicators at once. */
static void make_comm(struct worker *w, MPI_Comm base)
{
    MPI_Group group;
    MPI_Comm_group(base, &group);
    MPI_Comm_create_group(base, group, w->number, &w->comm);
    MPI_Group_free(&group);
    name_comm(w, w->comm, w->name);
}

static void step_comms(struct worker *w)
{
    MPI_Comm copy, made, part;
    int value = 1, sum = 0;
    make_two(w, w->comm, &copy, &made);
    MPI_Comm_split(w->comm, w->rank % 2, 0, &part);
    char name[32];
    snprintf(name, sizeof name, "%sp%d.%d", w->name, w->tag, w->rank % 2);
    name_comm(w, part, name);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, made);
    fprintf(w->log, "collective %sg%d 11 none %d %d\n", w->name, w->tag - 1, 4 * w->size,
            4 * w->size);
    MPI_Barrier(copy);
    fprintf(w->log, "collective %sc%d 0 none 0 0\n", w->name, w->tag - 1);
    EXPECT(sum == w->size);
    MPI_Comm_free(draw(w, 2) ? &copy : &made);
    MPI_Comm_free(&part);
    if (copy != MPI_COMM_NULL)
        MPI_Comm_free(&copy);
    else
        MPI_Comm_free(&made);
}

/* ---- messages ---- */

static void send_one(struct worker *w, int dest, int tag, int bytes, struct open *open, int *n)
{
    int how = draw(w, 6);
    if (w->rank == dest && how < 2)
        how = 2; /* a send to itself would wait for a later receive */
    fprintf(w->log, "%s %s %d %d %d\n", how < 2 ? "send" : "isend", w->name, dest, tag, bytes);
    open->kind = SENT;
    if (how == 0)
        MPI_Send(w->out, bytes, MPI_CHAR, dest, tag, w->comm);
    else if (how == 1)
        MPI_Ssend(w->out, bytes, MPI_CHAR, dest, tag, w->comm);
    else if (how == 2)
        MPI_Issend(w->out, bytes, MPI_CHAR, dest, tag, w->comm, &open->request);
    else
        MPI_Isend(w->out, bytes, MPI_CHAR, dest, tag, w->comm, &open->request);
    *n += how >= 2;
}

/* All receives are posted before the first message is sent, and their places stay. */
static void step_messages(struct worker *w)
{
    struct {
        int from, to, tag, bytes, is_any, how;
    } message[BATCH];
    struct open open[BATCH * 2];
    int n = 1 + draw(w, BATCH), n_open = 0, is_kept = draw(w, 3) == 0;
    for (int i = 0; i < n; i++) {
        message[i].from = draw(w, w->size);
        message[i].to = draw(w, w->size);
        message[i].is_any = draw(w, 4) == 0;
        message[i].tag = message[i].is_any || is_kept ? 1000 + w->tag++ : draw(w, 3);
        message[i].bytes = draw(w, BYTES);
    }
    is_kept = is_kept && w->n_kept + 2 * n <= KEPT;
    for (int i = 0; i < n; i++) {
        if (message[i].to != w->rank)
            continue;
        struct open *o = &open[n_open];
        o->kind = RECEIVED;
        snprintf(o->comm, sizeof o->comm, "%s", w->name);
        MPI_Irecv(is_kept ? w->later[w->n_kept + n_open] : w->in[i], BYTES, MPI_CHAR,
                  message[i].is_any ? MPI_ANY_SOURCE : message[i].from, message[i].tag, w->comm,
                  &o->request);
        n_open++;
        fprintf(w->log, "irecv\n");
    }
    MPI_Barrier(w->comm);
    fprintf(w->log, "collective %s 0 none 0 0\n", w->name);
    for (int i = 0; i < n; i++) /* all ranks draw the same */
        if (message[i].from == w->rank)
            send_one(w, message[i].to, message[i].tag, message[i].bytes, &open[n_open], &n_open);
        else
            (void)draw(w, 6);
    if (!is_kept) {
        complete_requests(w, open, n_open);
        return;
    }
    (void)draw(w, 4);
    memcpy(&w->kept[w->n_kept], open, (size_t)n_open * sizeof *open);
    w->n_kept += n_open;
}

/* ---- collective operations ---- */

static void step_collectives(struct worker *w)
{
    struct open open[2] = {{.kind = COLLECTIVE}, {.kind = COLLECTIVE}};
    int root = draw(w, w->size), bytes = draw(w, BYTES), is_root = w->rank == root;
    for (int i = 0; i < 2; i++)
        snprintf(open[i].comm, sizeof open[i].comm, "%s", w->name);
    snprintf(open[0].text, sizeof open[0].text, "1 %d %d %d", root, is_root ? w->size * bytes : 0,
             bytes);
    snprintf(open[1].text, sizeof open[1].text, "11 none %d %d", 4 * w->size, 4 * w->size);
    if (draw(w, 2)) {
        MPI_Bcast(w->out, bytes, MPI_CHAR, root, w->comm);
        ended(w, &open[0], NULL);
        return;
    }
    w->sums[0] = 1;
    MPI_Ibcast(w->out, bytes, MPI_CHAR, root, w->comm, &open[0].request);
    MPI_Iallreduce(&w->sums[0], &w->sums[1], 1, MPI_INT, MPI_SUM, w->comm, &open[1].request);
    fprintf(w->log, "begun\nbegun\n");
    complete_requests(w, open, 2);
    EXPECT(w->sums[1] == w->size);
}

#if MPI_VERSION >= 4
/* Each rank starts the requests in an order of its own. */
static void step_persistent(struct worker *w)
{
    struct open open[2] = {{.kind = COLLECTIVE}, {.kind = COLLECTIVE}};
    MPI_Request request[2];
    int one = 1, sum = 0, value = w->rank, first = (w->rank + draw(w, 2)) % 2;
    for (int i = 0; i < 2; i++)
        snprintf(open[i].comm, sizeof open[i].comm, "%s", w->name);
    snprintf(open[0].text, sizeof open[0].text, "1 0 %d 4", w->rank ? 0 : 4 * w->size);
    snprintf(open[1].text, sizeof open[1].text, "11 none %d %d", 4 * w->size, 4 * w->size);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, w->comm, MPI_INFO_NULL, &request[0]);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, w->comm, MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&request[first]);
        MPI_Start(&request[!first]);
        fprintf(w->log, "begun\nbegun\n");
        open[0].request = request[0];
        open[1].request = request[1];
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        ended(w, &open[0], NULL);
        ended(w, &open[1], NULL);
        EXPECT(value == 0 && sum == w->size);
        first = !first;
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}
#endif

/* ---- failing calls, and one-sided communication ---- */

static void step_errors(struct worker *w)
{
    int who = draw(w, w->size), from = draw(w, w->size), to = (from + 1) % w->size;
    MPI_Status status;
    if (w->rank == who) {
        EXPECT(MPI_Bcast(w->out, -1, MPI_CHAR, 0, w->comm) != MPI_SUCCESS);
        fprintf(w->log, "failed MPI_COMM_SELF 1 0 0 0\n");
    }
    int tag = 1000 + w->tag++;
    if (w->rank == from) {
        fprintf(w->log, "send %s %d %d 40\nsend %s %d %d 7\n", w->name, to, tag, w->name, to, tag);
        MPI_Send(w->out, 40, MPI_CHAR, to, tag, w->comm);
        MPI_Send(w->out, 7, MPI_CHAR, to, tag, w->comm);
    } else if (w->rank == to) {
        EXPECT(MPI_Recv(w->in[0], 10, MPI_CHAR, from, tag, w->comm, &status) != MPI_SUCCESS);
        EXPECT(MPI_Recv(w->in[0], 10, MPI_CHAR, from, tag, w->comm, &status) == MPI_SUCCESS);
        fprintf(w->log, "too_long %s %d %d\nrecv %s %d %d 7\n", w->name, from, tag, w->name, from,
                tag);
    }
}

/* Each thread has a part of the window. A flush of any thread is a flush for all threads. */
static void step_window(struct worker *w)
{
    static _Thread_local long value[WINDOW];
    int n = 1 + draw(w, 8);
    for (int i = 0; i < n; i++) {
        int target = draw(w, w->size), how = draw(w, 3), at = w->number * 8 + i;
        fprintf(w->log, "%s %d 8\n", how == 1 ? "get" : "atomic", target);
        if (how == 1)
            MPI_Get(&value[WINDOW - 1 - at], 1, MPI_LONG, target, WINDOW - 1 - at, 1, MPI_LONG,
                    w->win);
        else
            MPI_Accumulate(&value[at], 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_SUM, w->win);
    }
    if (draw(w, 2))
        MPI_Win_flush_all(w->win);
    else
        MPI_Win_flush(draw(w, w->size), w->win);
}

#endif
