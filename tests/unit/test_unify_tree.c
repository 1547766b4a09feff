/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
/*
 * The tree of every size against unifying process after process: journals and maps, byte for byte.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "finish/unify/unify_file.h"
#include "finish/unify/unify_tree.h"
#include "tests/unit/journal_build.h"

enum { MOST = 33, NOBODY = MOST };

/* ---- ranks are threads, messages go through lists ---- */

struct message {
    struct message *next;
    size_t bytes;
    char payload[];
};

static struct job {
    uint32_t size;
    uint32_t failing; /* rank without a journal */
    uint32_t deaf;    /* rank whose received messages are errors */
    uint64_t sent[MOST], received[MOST];
    struct message *first[MOST][MOST];
    struct spur_words journal[MOST];
    struct spur_unify_tree tree[MOST];
    int err[MOST];
} job;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;

static int fake_send(const struct spur_transport *t, uint32_t to, const void *bytes, uint64_t size)
{
    struct message *message = malloc(sizeof *message + size);
    message->next = NULL;
    message->bytes = size;
    memcpy(message->payload, bytes, size);
    pthread_mutex_lock(&mutex);
    struct message **end = &job.first[t->rank][to];
    while (*end)
        end = &(*end)->next;
    *end = message;
    job.sent[t->rank] += size;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int fake_receive(const struct spur_transport *t, uint32_t from, void *bytes, uint64_t size)
{
    pthread_mutex_lock(&mutex);
    while (!job.first[from][t->rank])
        pthread_cond_wait(&arrived, &mutex);
    struct message *message = job.first[from][t->rank];
    job.first[from][t->rank] = message->next;
    job.received[t->rank] += size;
    pthread_mutex_unlock(&mutex);
    bool fits = message->bytes == size;
    if (bytes && fits)
        memcpy(bytes, message->payload, size);
    free(message);
    cr_assert(fits, "as long as what was sent");
    return t->rank == job.deaf ? -EIO : 0;
}

static void *run_rank(void *argument)
{
    uint32_t rank = (uint32_t)(uintptr_t)argument;
    const struct spur_transport t = {rank, job.size, fake_send, fake_receive, NULL};
    const struct spur_words *journal = &job.journal[rank];
    const struct spur_unify_input own = {journal->at, journal_bytes(journal), rank, 0};
    job.err[rank] = spur_unify_tree(&t, rank == job.failing ? NULL : &own, &job.tree[rank]);
    return NULL;
}

/* Modules that all processes have, in an order and at paths of their own. */
static void define_code(struct spur_words *journal, uint64_t number)
{
    char identity[24], path[24];
    for (uint64_t i = 0; i < 3; i++) {
        snprintf(identity, sizeof identity, "%02d", (int)((number + i) % 4));
        snprintf(path, sizeof path, "/%d/%s", (int)(number % 2), identity);
        BUILD(journal, Module, {strlen(identity), identity});
        BUILD(journal, ModuleFile, {i}, {strlen(path), path}, {0}, {0});
        BUILD(journal, Code, {i}, {16 * (number % 3)});
        BUILD(journal, RegionAt, {8, "parallel"}, {8, "parallel"}, {OTF2_REGION_ROLE_PARALLEL},
              {OTF2_PARADIGM_OPENMP}, {i}, {OTF2_UNDEFINED_UINT32});
    }
}

/* The definitions of a process depend on its number: new parts, known parts, in changing order. */
static void define(struct spur_words *journal, uint64_t number, uint64_t size)
{
    char text[24];
    uint64_t all[MOST], half[MOST], n = 0;
    for (uint64_t i = 0; i < size; i++) {
        all[i] = i;
        if (i % 2 == number % 2)
            half[n++] = i;
    }
    build_string(journal, "");
    for (uint64_t i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "region %d", (int)((number * 5 + i * number) % 23));
        build_string(journal, text);
        BUILD(journal, Region, {i + 1}, {i + 1}, {0}, {1}, {OTF2_PARADIGM_MPI}, {0},
              {OTF2_UNDEFINED_STRING}, {0}, {0});
    }
    define_code(journal, number);
    BUILD(journal, Group, {0}, {OTF2_GROUP_TYPE_COMM_GROUP}, {OTF2_PARADIGM_MPI}, {0}, {size, all});
    BUILD(journal, Group, {0}, {OTF2_GROUP_TYPE_COMM_GROUP}, {OTF2_PARADIGM_MPI}, {0}, {n, half});
    BUILD(journal, Group, {0}, {OTF2_GROUP_TYPE_COMM_GROUP}, {OTF2_PARADIGM_PTHREAD}, {0},
          {0, NULL});
    BUILD(journal, Comm, {OTF2_UNDEFINED_STRING}, {0}, {OTF2_UNDEFINED_COMM}, {1});
    for (uint64_t i = 0; i < 3; i++)
        BUILD(journal, Comm, {OTF2_UNDEFINED_STRING}, {1}, {0}, {1});
    BUILD(journal, Comm, {OTF2_UNDEFINED_STRING}, {2}, {OTF2_UNDEFINED_COMM}, {0});
    BUILD(journal, RmaWin, {OTF2_UNDEFINED_STRING}, {number % 2 ? 2 : 1}, {1});
    BUILD(journal, CommName, {number % 3 + 1}, {number % 5 + 1});
    BUILD(journal, RmaWinName, {0}, {2});
}

static void run_job(uint32_t size, uint32_t failing, uint32_t deaf)
{
    pthread_t thread[MOST];
    memset(&job, 0, sizeof job);
    job.size = size;
    job.failing = failing;
    job.deaf = deaf;
    for (uintptr_t i = 0; i < size; i++) {
        define(&job.journal[i], i, size);
        cr_assert(pthread_create(&thread[i], NULL, run_rank, (void *)i) == 0);
    }
    for (uint32_t i = 0; i < size; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t k = 0; k < size; k++)
            cr_assert(!job.first[i][k] || k == deaf, "everything that was sent was received");
}

static void end_job(void)
{
    for (uint32_t i = 0; i < job.size; i++)
        for (uint32_t k = 0; k < job.size; k++)
            for (struct message *message = job.first[i][k], *next; message; message = next) {
                next = message->next;
                free(message);
            }
    for (uint32_t i = 0; i < job.size; i++) {
        spur_unify_tree_free(&job.tree[i]);
        spur_words_free(&job.journal[i]);
    }
}

static bool same_words(const struct spur_words *a, const struct spur_words *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

Test(unify_tree, every_size_gives_the_bytes_of_one_after_the_other)
{
    for (uint32_t size = 1; size <= MOST; size++) {
        struct spur_unify *unify = spur_unify_new();
        struct spur_words whole = {0};
        struct spur_map map[MOST] = {0};
        run_job(size, NOBODY, NOBODY);
        for (uint32_t i = 0; i < size; i++) {
            const struct spur_unify_input input = {job.journal[i].at,
                                                   journal_bytes(&job.journal[i]), i, 0};
            cr_assert(spur_unify_add(unify, &input, &map[i]) == 0);
        }
        cr_assert(spur_unify_journal(unify, &whole) == 0);
        cr_assert(same_words(&whole, &job.tree[0].result), "journal of %u", size);
        for (uint32_t i = 0; i < size; i++) {
            cr_assert(job.err[i] == 0 &&
                      job.tree[i].stamp == spur_unify_stamp(size, whole.at, whole.n));
            for (int space = 0; space < SPUR_SPACES; space++)
                cr_assert(same_words(&map[i].of[space], &job.tree[i].map.of[space]),
                          "map of %u in %u", i, size);
            spur_map_free(&map[i]);
        }
        spur_words_free(&whole);
        spur_unify_free(unify);
        end_job();
    }
}

/* The messages of a leaf do not depend on the number of processes. */
Test(unify_tree, a_leaf_does_not_see_the_size)
{
    enum { LEAF = 1, FEW = 4 };
    run_job(FEW, NOBODY, NOBODY);
    uint64_t sent = job.sent[LEAF], received = job.received[LEAF];
    end_job();
    for (uint32_t size = FEW; size <= MOST; size++) {
        run_job(size, NOBODY, NOBODY);
        /* The group of the odd ranks is a growing list of runs: 16 bytes for two ranks. */
        cr_assert(job.sent[LEAF] <= sent + 8 * (size - FEW + 1));
        cr_assert(job.received[LEAF] == received);
        end_job();
    }
}

Test(unify_tree, a_rank_without_a_journal_leaves_nobody_waiting)
{
    static const uint32_t sizes[] = {1, 2, 5, 8, 13, MOST};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (uint32_t failing = 0; failing < sizes[s]; failing++) {
            run_job(sizes[s], failing, NOBODY);
            for (uint32_t i = 0; i < sizes[s]; i++)
                cr_assert(job.err[i] != 0 && job.tree[i].result.n == 0, "%u of %u", i, sizes[s]);
            end_job();
        }
}

Test(unify_tree, errors_of_the_transport_leave_nobody_waiting)
{
    static const uint32_t sizes[] = {2, 5, 16, MOST};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (uint32_t deaf = 0; deaf < sizes[s]; deaf++) {
            run_job(sizes[s], NOBODY, deaf);
            cr_assert(job.err[deaf] == -EIO);
            end_job();
        }
}
