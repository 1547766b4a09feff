/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification at the end of an MPI job, without MPI: ranks are threads that pass messages through
 * memory. Prints for 2, 4, ... ranks what the tree costs rank 0, a leaf and all ranks, and what
 * rank 0 had to do without the tree: CPU milliseconds, and bytes received.
 * Usage: bench-unify [MOST_RANKS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "finish/unify/unify_tree.h"

enum { STACK_BYTES = 128 << 10 };

struct message {
    struct message *next;
    uint32_t from;
    size_t bytes;
    char payload[];
};

struct rank {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    struct message *inbox;
    struct spur_words journal;
    struct spur_unify_tree tree;
    uint64_t sent, received;
    double cpu_ms;
};

static struct rank *ranks;
static uint32_t size;

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int send_bytes(const struct spur_transport *t, uint32_t to, const void *bytes, uint64_t n)
{
    struct rank *rank = &ranks[to];
    struct message *message = malloc(sizeof *message + n);
    if (!message)
        abort();
    message->next = NULL;
    message->from = t->rank;
    message->bytes = n;
    memcpy(message->payload, bytes, n);
    pthread_mutex_lock(&rank->mutex);
    struct message **end = &rank->inbox;
    while (*end)
        end = &(*end)->next;
    *end = message;
    pthread_cond_signal(&rank->arrived);
    pthread_mutex_unlock(&rank->mutex);
    ranks[t->rank].sent += n;
    return 0;
}

static struct message *take(struct rank *rank, uint32_t from)
{
    for (struct message **at = &rank->inbox; *at; at = &(*at)->next)
        if ((*at)->from == from) {
            struct message *message = *at;
            *at = message->next;
            return message;
        }
    return NULL;
}

static int receive_bytes(const struct spur_transport *t, uint32_t from, void *bytes, uint64_t n)
{
    struct rank *rank = &ranks[t->rank];
    struct message *message;
    pthread_mutex_lock(&rank->mutex);
    while (!(message = take(rank, from)))
        pthread_cond_wait(&rank->arrived, &rank->mutex);
    pthread_mutex_unlock(&rank->mutex);
    if (bytes)
        memcpy(bytes, message->payload, n);
    free(message);
    rank->received += n;
    return 0;
}

static void define_string(struct spur_words *journal, const char *text)
{
    const struct spur_cell cells[] = {{strlen(text), text}};
    (void)spur_words_define(journal, SPUR_DEFINITION_String, cells);
}

/* `shared` regions that all ranks have, and `own` strings that nobody else has. */
static void define_rank(struct spur_words *journal, uint32_t rank, int shared, int own)
{
    char text[64];
    define_string(journal, "");
    for (int i = 0; i < shared; i++) {
        snprintf(text, sizeof text, "MPI_Function_%d", i);
        define_string(journal, text);
        const uint64_t name = (uint64_t)i + 1;
        const struct spur_cell cells[] = {
            {name, NULL}, {name, NULL}, {0, NULL}, {1, NULL}, {OTF2_PARADIGM_MPI, NULL},
            {0, NULL},    {0, NULL},    {0, NULL}, {0, NULL}};
        (void)spur_words_define(journal, SPUR_DEFINITION_Region, cells);
    }
    for (int i = 0; i < own; i++) {
        snprintf(text, sizeof text, "/scratch/output/rank-%08u/file-%d", rank, i);
        define_string(journal, text);
    }
}

static void *run(void *argument)
{
    struct rank *rank = argument;
    const struct spur_transport t = {(uint32_t)(rank - ranks), size, send_bytes, receive_bytes,
                                     NULL};
    const struct spur_unify_input own = {rank->journal.at, 8 * rank->journal.n, t.rank, 0, NULL, 0};
    double from = cpu_ms();
    if (spur_unify_tree(&t, &own, &rank->tree) != 0)
        abort();
    rank->cpu_ms = cpu_ms() - from;
    return NULL;
}

/* What rank 0 did when it unified all journals itself. */
static double flat_ms(uint64_t *received)
{
    double from = cpu_ms();
    struct spur_unify *unify = spur_unify_new();
    *received = 0;
    for (uint32_t i = 0; i < size; i++) {
        struct spur_map map = {0};
        const struct spur_unify_input input = {
            ranks[i].journal.at, 8 * ranks[i].journal.n, i, 0, NULL, 0};
        *received += i ? input.bytes : 0;
        if (spur_unify_add(unify, &input, &map) != 0)
            abort();
        spur_map_free(&map);
    }
    spur_unify_free(unify);
    return cpu_ms() - from;
}

static void print_row(const char *what)
{
    double all_ms = 0;
    uint64_t received, most = 0;
    for (uint32_t i = 0; i < size; i++) {
        all_ms += ranks[i].cpu_ms;
        most = ranks[i].received > most ? ranks[i].received : most;
    }
    double flat = flat_ms(&received);
    uint64_t leaf = ranks[1].sent + ranks[1].received;
    printf("%-5s %6u %9.2f %9.3f %9.1f %10llu %10llu %10llu %9.2f %10llu\n", what, size,
           ranks[0].cpu_ms, ranks[1].cpu_ms, all_ms, (unsigned long long)most,
           (unsigned long long)leaf, 8ULL * ranks[0].tree.result.n, flat,
           (unsigned long long)received);
    fflush(stdout);
}

static void measure(const char *what, int shared, int own)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    ranks = calloc(size, sizeof *ranks);
    for (uint32_t i = 0; i < size; i++) {
        pthread_mutex_init(&ranks[i].mutex, NULL);
        pthread_cond_init(&ranks[i].arrived, NULL);
        define_rank(&ranks[i].journal, i, shared, own);
    }
    for (uint32_t i = 0; i < size; i++)
        if (pthread_create(&ranks[i].thread, &attributes, run, &ranks[i]) != 0)
            abort();
    for (uint32_t i = 0; i < size; i++)
        pthread_join(ranks[i].thread, NULL);
    print_row(what);
    for (uint32_t i = 0; i < size; i++) {
        spur_unify_tree_free(&ranks[i].tree);
        spur_words_free(&ranks[i].journal);
    }
    free(ranks);
    pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int shared, own;
    } jobs[] = {{"few", 20, 1}, {"many", 200, 100}};
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 64;
    printf("%-5s %6s %9s %9s %9s %10s %10s %10s %9s %10s\n", "defs", "ranks", "root ms", "leaf ms",
           "all ms", "root recv", "leaf bytes", "result", "flat ms", "flat recv");
    for (size_t job = 0; job < sizeof jobs / sizeof jobs[0]; job++)
        for (size = 2; size <= most; size *= 2)
            measure(jobs[job].name, jobs[job].shared, jobs[job].own);
    return 0;
}
