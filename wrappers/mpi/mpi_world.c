/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_world.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/spur_agent.h"
#include "wrappers/kit/wrapper_lock.h"

enum { NAME_BYTES = 256, LINE_BYTES = NAME_BYTES + 32, RANKS_MAX = 1 << 24 };

struct session {
    mpi_word handle; /* 0: free */
    struct session *next;
};

/* Another job, by the name of a process of the job. Never freed. */
struct job {
    char process[NAME_BYTES];
    uint32_t number;
    struct job *next;
};

/* Processes met before: the members of an MPI group, one by one. */
struct party {
    mpi_word group;
    int n;
    struct party *next;
    uint64_t member[];
};

static struct wrapper_lock lock;
static struct session *sessions;        /* under the lock */
static struct job *jobs;                /* under the lock */
static _Atomic(struct party *) parties; /* only added to, until the end */
static _Atomic(bool) had_session, rank_is_told;

/* ---- the own world ---- */

static bool has_comm_world(const struct mpi_library *lib)
{
    int is_initialised = 0;
    int is_finalised = 1;
    return lib->Initialized(&is_initialised) == 0 && is_initialised &&
           lib->Finalized(&is_finalised) == 0 && !is_finalised;
}

/* Any open session; 0: no session is open. */
static mpi_word open_session(void)
{
    mpi_word handle = 0;
    wrapper_lock_take(&lock);
    for (const struct session *s = sessions; s && !handle; s = s->next)
        handle = s->handle;
    wrapper_lock_give(&lock);
    return handle;
}

/* A group of all processes of the world, to be freed by the caller. */
static bool own_group(const struct mpi_library *lib, mpi_word *group)
{
    *group = 0;
    if (has_comm_world(lib))
        return lib->Comm_group(lib->layout.comm_world, group) == 0;
    mpi_word session = open_session();
    return session && lib->Group_from_session_pset &&
           lib->Group_from_session_pset(session, "mpi://WORLD", group) == 0;
}

bool mpi_world_is_known(const struct mpi_library *lib)
{
    mpi_word group;
    int rank = 0;
    int size = 0;
    if (atomic_load(&rank_is_told))
        return true;
    if (!own_group(lib, &group))
        return false;
    bool is_known = lib->Group_rank(group, &rank) == 0 && lib->Group_size(group, &size) == 0 &&
                    rank >= 0 && rank < size;
    lib->Group_free(&group);
    if (is_known && !atomic_exchange(&rank_is_told, true)) {
        const char *job = secure_getenv("PMIX_NAMESPACE");
        spur_process_rank((uint32_t)rank, (uint32_t)size);
        spur_process_job(job ? job : "");
    }
    return is_known;
}

void mpi_world_session_opened(mpi_word session)
{
    wrapper_lock_take(&lock);
    struct session *s = sessions;
    while (s && s->handle)
        s = s->next;
    if (!s && (s = spur_mem_new(sizeof *s))) {
        s->next = sessions;
        sessions = s;
    }
    if (s)
        s->handle = session;
    wrapper_lock_give(&lock);
    atomic_store(&had_session, true);
}

void mpi_world_session_closed(mpi_word session)
{
    wrapper_lock_take(&lock);
    struct session *s = sessions;
    while (s && s->handle != session)
        s = s->next;
    if (s)
        s->handle = 0;
    wrapper_lock_give(&lock);
}

bool mpi_world_had_session(void)
{
    return atomic_load(&had_session);
}

/* ---- members ---- */

enum { STRANGER = -1 };

/* Looks up the members that are strangers so far; returns the number of strangers left. */
static int find_in_party(const struct mpi_library *lib, const struct party *party, mpi_word group,
                         int n, int *room, uint64_t *members)
{
    int *found = room + n;
    int left = 0;
    bool is_done = lib->Group_translate_ranks(group, n, room, party->group, found) == 0;
    for (int i = 0; i < n; i++) {
        if (members[i] == (uint64_t)STRANGER && is_done && found[i] >= 0 && found[i] < party->n)
            members[i] = party->member[found[i]];
        left += members[i] == (uint64_t)STRANGER;
    }
    return left;
}

/* The number of strangers; -1: no world to compare with. */
static int identify(const struct mpi_library *lib, mpi_word group, int n, bool is_own, int *room,
                    uint64_t *members)
{
    int *found = room + n;
    int left = 0;
    mpi_word own;
    if (!own_group(lib, &own))
        return -1;
    for (int i = 0; i < n; i++)
        room[i] = i;
    bool is_done = lib->Group_translate_ranks(group, n, room, own, found) == 0;
    lib->Group_free(&own);
    for (int i = 0; i < n; i++) {
        members[i] = is_done && found[i] >= 0 ? (uint64_t)found[i] : (uint64_t)STRANGER;
        left += members[i] == (uint64_t)STRANGER;
    }
    for (const struct party *p = atomic_load(&parties); p && left && !is_own; p = p->next)
        left = find_in_party(lib, p, group, n, room, members);
    return left;
}

bool mpi_world_members(const struct mpi_library *lib, mpi_word group, int n, int *room,
                       uint64_t *members)
{
    return identify(lib, group, n, false, room, members) == 0;
}

bool mpi_world_knows(const struct mpi_library *lib, mpi_word group, int n, bool is_own)
{
    size_t bytes = (size_t)n * (2 * sizeof(int) + sizeof(uint64_t));
    uint64_t *members = n > 0 ? spur_mem_new(bytes) : NULL;
    bool knows = members && identify(lib, group, n, is_own, (int *)(members + n), members) == 0;
    if (members)
        spur_mem_free(members, bytes);
    return knows;
}

/* ---- rosters ---- */

/* The number of the job of a process; 0: the own job. */
static uint32_t number_of(const char *process)
{
    uint32_t number = 0;
    if (strcmp(process, spur_process_name()) == 0)
        return 0;
    wrapper_lock_take(&lock);
    struct job *job = jobs;
    while (job && strcmp(job->process, process) != 0)
        job = job->next;
    if (!job && (job = spur_mem_new(sizeof *job))) {
        snprintf(job->process, sizeof job->process, "%s", process);
        job->number = jobs ? jobs->number + 1 : 1;
        job->next = jobs;
        jobs = job;
        spur_def_world(job->number, process);
    }
    if (job)
        number = job->number;
    wrapper_lock_give(&lock);
    return number;
}

static const char *process_of(uint32_t number)
{
    if (number == 0)
        return spur_process_name();
    wrapper_lock_take(&lock);
    const struct job *job = jobs;
    while (job && job->number != number)
        job = job->next;
    wrapper_lock_give(&lock);
    return job ? job->process : "";
}

void mpi_world_own_roster(int size, char *text, size_t room)
{
    snprintf(text, room, "%s 0 %d\n", spur_process_name(), size);
}

static char *write_roster(const uint64_t *members, int n, size_t *room)
{
    int runs = 1;
    for (int i = 1; i < n; i++)
        runs += members[i] != members[i - 1] + 1;
    *room = (size_t)runs * LINE_BYTES;
    char *text = spur_mem_new(*room);
    size_t at = 0;
    for (int i = 0, first = 0; text && i < n; i++) {
        if (i + 1 < n && members[i + 1] == members[i] + 1)
            continue;
        at += (size_t)snprintf(text + at, *room - at, "%s %u %d\n",
                               process_of((uint32_t)(members[first] >> 32)),
                               (uint32_t)members[first], i + 1 - first);
        first = i + 1;
    }
    return text;
}

char *mpi_world_roster(const struct mpi_library *lib, mpi_word group, int n, size_t *room)
{
    size_t bytes = (size_t)n * (2 * sizeof(int) + sizeof(uint64_t));
    uint64_t *members = n > 0 ? spur_mem_new(bytes) : NULL;
    char *text = NULL;
    if (members && mpi_world_members(lib, group, n, (int *)(members + n), members))
        text = write_roster(members, n, room);
    if (members)
        spur_mem_free(members, bytes);
    return text;
}

/*
 * Reads the line at *text, and moves *text behind the line. False at the end, and where no line is
 * found.
 */
static bool next_line(const char **text, char *process, uint32_t *first, int *count)
{
    const char *space = strchr(*text, ' ');
    char *end;
    if (!space || space == *text || space - *text >= NAME_BYTES)
        return false;
    memcpy(process, *text, (size_t)(space - *text));
    process[space - *text] = '\0';
    unsigned long rank = strtoul(space + 1, &end, 10);
    long n = *end == ' ' ? strtol(end + 1, &end, 10) : 0;
    if (rank > RANKS_MAX || n <= 0 || n > RANKS_MAX || *end != '\n')
        return false;
    *first = (uint32_t)rank;
    *count = (int)n;
    *text = end + 1;
    return true;
}

int mpi_world_count(const char *roster)
{
    char process[NAME_BYTES];
    uint32_t first;
    int count;
    int n = 0;
    while (next_line(&roster, process, &first, &count) && n <= RANKS_MAX)
        n += count;
    return *roster || n > RANKS_MAX ? -1 : n;
}

bool mpi_world_met(mpi_word group, int n, const char *roster)
{
    char process[NAME_BYTES];
    uint32_t first;
    int count;
    int at = 0;
    if (n <= 0 || mpi_world_count(roster) != n)
        return false;
    struct party *party = spur_mem_new(sizeof *party + (size_t)n * sizeof party->member[0]);
    if (!party)
        return false;
    party->group = group;
    party->n = n;
    while (next_line(&roster, process, &first, &count)) {
        uint64_t base = (uint64_t)number_of(process) << 32 | first;
        for (int i = 0; i < count; i++)
            party->member[at++] = base + (uint64_t)i;
    }
    wrapper_lock_take(&lock);
    party->next = atomic_load(&parties);
    atomic_store(&parties, party);
    wrapper_lock_give(&lock);
    return true;
}

void mpi_world_finalize(void)
{
    const struct mpi_library *lib = mpi_library();
    struct party *next = atomic_exchange(&parties, NULL);
    while (next) {
        struct party *party = next;
        next = party->next;
        lib->Group_free(&party->group);
        spur_mem_free(party, sizeof *party + (size_t)party->n * sizeof party->member[0]);
    }
}
