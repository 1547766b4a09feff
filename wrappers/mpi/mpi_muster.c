/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_muster.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "agent/spur_agent.h"
#include "agent/spur_host_notes.h"
#include "wrappers/mpi/mpi_decision.h"

static char own_job[MPI_NOTE_KEY_BYTES];
static bool is_here, is_first;
static _Atomic(bool) is_complete;

static const char *variable(const char *const *names)
{
    const char *value = NULL;
    for (; *names && !value; names++)
        value = secure_getenv(*names);
    return value;
}

/*
 * The starter's name of the job. Hydra gives no name: jobs of Hydra are told apart by their size.
 * If jobs of the same size follow each other, the later jobs find their places taken. A process
 * spawned by Hydra has no place.
 */
static bool name_job(char *job)
{
    static const char *const spaces[] = {"PMIX_NAMESPACE", NULL};
    static const char *const sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", NULL};
    const char *space = variable(spaces);
    const char *size = variable(sizes);
    int n = space ? snprintf(job, MPI_NOTE_KEY_BYTES, "%s", space)
                  : snprintf(job, MPI_NOTE_KEY_BYTES, "world-%s", size ? size : "");
    return n < MPI_NOTE_KEY_BYTES / 2 && !strchr(job, '/') &&
           (space || !secure_getenv("PMI_SPAWNED"));
}

static bool own_place(char *place)
{
    static const char *const ranks[] = {
#define RANK_VARIABLE(name, ...) name,
#include "session/rank_variables.def"
#undef RANK_VARIABLE
        NULL};
    const char *rank = variable(ranks);
    char *end = NULL;
    long number = rank ? strtol(rank, &end, 10) : -1;
    if (number < 0 || end == rank || *end != '\0')
        return false;
    snprintf(place, MPI_NOTE_KEY_BYTES, "%.128s.%ld", own_job, number);
    return true;
}

static void answer(const char *job, bool is_yes)
{
    (void)mpi_note_put("whole", job, is_yes ? "yes" : "no");
}

/* -1: no answer yet. */
static int answered(const char *kind, const char *job)
{
    size_t room;
    char *text = mpi_note_get(kind, job, &room);
    int is_yes = text ? strcmp(text, "yes") == 0 : -1;
    if (text)
        spur_mem_free(text, room);
    return is_yes;
}

/* Counts the notes with a prefix whose ranks are below `size`. */
struct count {
    size_t prefix;
    long size;
    long n;
};

static void count_place(void *data, const char *name)
{
    struct count *count = data;
    char *end;
    long number = strtol(name + count->prefix, &end, 10);
    count->n += *end == '\0' && number >= 0 && number < count->size;
}

static long count_here(const char *kind, const char *job, long size)
{
    char prefix[MPI_NOTE_NAME_BYTES];
    struct count count = {.size = size};
    count.prefix = (size_t)snprintf(prefix, sizeof prefix, "%s-%.128s.", kind, job);
    spur_note_each(prefix, &count, count_place);
    return count.n;
}

/*
 * A host with all ranks traced has one note with the number of ranks, in place of a note for each
 * rank.
 */
static void add_host(void *data, const char *name)
{
    size_t room;
    char *text = spur_note_get(name, &room);
    if (text)
        *(long *)data += strtol(text, NULL, 10);
    if (text)
        spur_mem_free(text, room);
}

static long count_hosts(const char *job)
{
    char prefix[MPI_NOTE_NAME_BYTES];
    long n = 0;
    snprintf(prefix, sizeof prefix, "all-%.128s.", job);
    spur_note_each(prefix, &n, add_host);
    return n;
}

bool mpi_muster_of(const char *job, int size)
{
    int known = answered("whole", job);
    if (known >= 0)
        return known;
    answer(job, size > 0 && count_here("here", job, size) + count_hosts(job) == size);
    return answered("whole", job) == 1;
}

/* The first process of this host asks for all processes of the host, and passes the answer on. */
static bool ask(const char *job, int size)
{
    bool is_whole = mpi_muster_of(job, size);
    if (spur_host_notes_are_apart())
        (void)mpi_note_put(SPUR_HOST_NOTE "-whole", job, is_whole ? "yes" : "no");
    return is_whole;
}

static bool await(const char *job)
{
    const char *kind = spur_host_notes_are_apart() ? SPUR_HOST_NOTE "-whole" : "whole";
    uint64_t end = spur_now_ms() + MPI_NOTE_PATIENCE_MS;
    int ms = MPI_NOTE_NAP_MS;
    int known;
    while ((known = answered(kind, job)) < 0 && spur_now_ms() < end)
        mpi_note_nap(&ms);
    if (known < 0)
        answer(job, false);
    return (known < 0 ? answered("whole", job) : known) == 1;
}

/*
 * The number of ranks of the job on this host, by the starter's variables; -1: no variable is set.
 */
static long ranks_here(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
    const char *size = variable(sizes);
    return size ? strtol(size, NULL, 10) : -1;
}

/*
 * Reports before MPI_Init that this rank is traced. Behind MPI_Init all ranks have reported. With
 * SPUR_LOCAL a rank reports on its host, and the last rank of the host reports for all ranks of the
 * host.
 */
static bool report(const char *place, const char *host)
{
    enum { DIGITS = 24 };
    const long n = spur_host_notes_are_apart() ? ranks_here() : -1;
    char number[DIGITS];
    if (n < 1)
        return mpi_note_put("here", place, "");
    snprintf(number, sizeof number, "%ld", n);
    if (!mpi_note_put(SPUR_HOST_NOTE "-here", place, ""))
        return false;
    if (count_here(SPUR_HOST_NOTE "-here", own_job, LONG_MAX) == n &&
        mpi_note_put(SPUR_HOST_NOTE "-all", host, "")) /* several ranks may see the full number */
        (void)mpi_note_put("all", host, number);
    return true;
}

void mpi_muster_begin(void)
{
    char place[MPI_NOTE_KEY_BYTES], host[MPI_NOTE_KEY_BYTES];
    struct utsname system = {0};
    if (is_here || !name_job(own_job) || !own_place(place))
        return;
    uname(&system);
    snprintf(host, sizeof host, "%.128s.%.64s", own_job, system.nodename);
    is_here = report(place, host);
    if (!is_here) {
        answer(own_job, false);
        return;
    }
    is_first = !mpi_note_is_there(SPUR_HOST_NOTE "-first", host) &&
               mpi_note_put(SPUR_HOST_NOTE "-first", host, "");
}

void mpi_muster_end(int size)
{
    if (size == 1)
        atomic_store(&is_complete, true);
    else if (is_here)
        atomic_store(&is_complete, is_first ? ask(own_job, size) : await(own_job));
}

bool mpi_muster_is_complete(void)
{
    return atomic_load(&is_complete);
}
