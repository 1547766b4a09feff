/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_meet.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrappers/mpi/mpi_init.h"
#include "wrappers/mpi/mpi_muster.h"
#include "wrappers/mpi/mpi_world.h"

/* ---- the other side is known ---- */

static struct mpi_comm *introduce(const struct mpi_library *lib, mpi_word comm,
                                  const char *decision, bool is_recorded)
{
    const char *roster = mpi_decision_roster(decision);
    mpi_word group = 0;
    int n = 0;
    if (!roster || lib->Comm_remote_size(comm, &n) != 0 || mpi_world_count(roster) != n ||
        lib->Comm_remote_group(comm, &group) != 0)
        return NULL;
    if (!mpi_world_met(group, n, roster)) {
        lib->Group_free(&group);
        return NULL;
    }
    return mpi_comm_created(comm, NULL, is_recorded, "");
}

/* ---- a spawned job ---- */

static _Atomic(bool) is_spawned;

static const char *variable(const char *name)
{
    return secure_getenv(name);
}

/* JOB.RANK: the name of this process, given by the starter of the process. */
static bool own_id(char *id)
{
    const char *job = variable("PMIX_NAMESPACE");
    const char *rank = variable("PMIX_RANK");
    return job && rank &&
           snprintf(id, MPI_NOTE_KEY_BYTES, "%s.%s", job, rank) < MPI_NOTE_KEY_BYTES / 2;
}

/*
 * The part before the ':' in the name of a port of Open MPI: the process that has opened the port.
 */
static bool id_of_port(const char *port, char *id)
{
    const char *colon = strchr(port, ':');
    if (!colon || colon - port >= MPI_NOTE_KEY_BYTES / 2)
        return false;
    snprintf(id, MPI_NOTE_KEY_BYTES, "%.*s", (int)(colon - port), port);
    return true;
}

/*
 * JOB.RANK: the beginning of the name of the port that a spawned job gets. Up to Open MPI 4, JOB is
 * the starter's name of the job. Since Open MPI 5 the starter's name is no number, but JOB is a
 * number. The name of any other port of this process tells the number: opening a port is local.
 */
static bool spawner_id(char *id)
{
    enum { PORT_BYTES = 1024 }; /* the largest MPI_MAX_PORT_NAME */
    const struct mpi_library *lib = mpi_library();
    const char *job = variable("PMIX_NAMESPACE");
    char port[PORT_BYTES];
    if (!job || !lib->Open_port || !lib->Close_port || job[strspn(job, "0123456789")] == '\0')
        return own_id(id);
    if (lib->Open_port(lib->layout.info_null, port) != 0)
        return false;
    bool is_known = id_of_port(port, id);
    (void)lib->Close_port(port);
    return is_known;
}

static void note_here(int size)
{
    char id[MPI_NOTE_KEY_BYTES], key[MPI_NOTE_KEY_BYTES], text[MPI_NOTE_NAME_BYTES];
    const char *port = variable("OMPI_PARENT_PORT");
    const char *rank = variable("PMIX_RANK");
    if (!port || !own_id(id) || !mpi_note_is_there("here", id))
        return;
    mpi_note_key(key, port);
    if (strcmp(rank, "0") != 0)
        return;
    int n = snprintf(text, sizeof text, "go %s\n", variable("PMIX_NAMESPACE"));
    mpi_world_own_roster(size, text + n, sizeof text - (size_t)n);
    mpi_note_put("offer", key, text);
}

void mpi_meet_parents_begin(void)
{
    const char *size = variable("OMPI_COMM_WORLD_SIZE");
    if (!variable("OMPI_PARENT_PORT"))
        return;
    atomic_store(&is_spawned, true);
    if (size)
        note_here((int)strtol(size, NULL, 10));
}

/* Is the process traced whose spawn has made this job? */
static bool has_spawner(const char *port)
{
    char id[MPI_NOTE_KEY_BYTES];
    return id_of_port(port, id) && mpi_note_is_there("spawner", id);
}

struct mpi_comm *mpi_meet_parents_end(bool is_recorded)
{
    const struct mpi_library *lib = mpi_library();
    const char *port = variable("OMPI_PARENT_PORT");
    char key[MPI_NOTE_KEY_BYTES], process[MPI_NOTE_KEY_BYTES];
    struct mpi_comm *made = NULL;
    mpi_word parent = 0;
    size_t room;
    if (atomic_load(&is_spawned) || variable("PMI_SPAWNED"))
        spur_process_is_spawned();
    if (!atomic_load(&is_spawned))
        return NULL;
    mpi_note_key(key, port);
    if (!mpi_muster_is_complete() || !lib->Comm_get_parent || lib->Comm_get_parent(&parent) != 0 ||
        mpi_handle(lib, parent) == lib->layout.comm_null) {
        mpi_decision_make(key, "no");
        return NULL;
    }
    char *decision = has_spawner(port) ? mpi_decision_await(key, NULL, &room) : NULL;
    if (!decision)
        return NULL;
    made = introduce(lib, mpi_handle(lib, parent), decision, is_recorded);
    if (made)
        spur_process_creator(mpi_decision_word(decision, process));
    spur_mem_free(decision, room);
    return made;
}

/* ---- the spawning side ---- */

/* In this process: the number of spawns at the same time; and: can jobs no longer be told apart? */
static _Atomic(int) spawns;
static _Atomic(bool) spawns_are_mixed;

/* The notes of the other side. */
struct offers {
    unsigned n;                   /* offers without a decision, */
    char key[MPI_NOTE_KEY_BYTES]; /* and the key of an offer, */
    bool is_connected;            /* the key is of a connected client, if there is any */
};

static void see_offer(void *data, const char *name)
{
    struct offers *offers = data;
    const char *key = strchr(name, '-') + 1;
    if (mpi_note_is_there("go", key))
        return;
    offers->n++;
    if (!offers->is_connected)
        snprintf(offers->key, sizeof offers->key, "%s", key);
    offers->is_connected |= mpi_note_is_there("connected", key);
}

static void refuse_offer(void *data, const char *name)
{
    (void)data;
    (void)mpi_decision_make(strchr(name, '-') + 1, "no");
}

static void look_at(const char *kind, const char *key, void *data,
                    void (*each)(void *data, const char *name))
{
    char prefix[MPI_NOTE_NAME_BYTES];
    snprintf(prefix, sizeof prefix, "%s-%s-", kind, key);
    spur_note_each(prefix, data, each);
}

/*
 * Take the offer if the offer is of n processes and the word of the offer is right for the caller.
 */
static char *take_offer(const char *kind, const char *key, const char *decision, int n,
                        bool (*is_right)(const char *word, const void *data), const void *data,
                        size_t *room)
{
    char word[MPI_NOTE_KEY_BYTES];
    char *offer = mpi_note_get(kind, key, room);
    if (!offer)
        return NULL;
    const char *roster = mpi_decision_roster(offer);
    if (roster && mpi_world_count(roster) == n && is_right(mpi_decision_word(offer, word), data) &&
        mpi_decision_make(key, decision))
        return offer;
    spur_mem_free(offer, *room);
    return NULL;
}

static bool is_whole_job(const char *job, const void *n)
{
    return mpi_muster_of(job, *(const int *)n);
}

/*
 * The offer of the job that this process has spawned. The offer was there before the spawn
 * returned, so there is nothing to wait for. NULL: no offer, or the right offer cannot be told.
 */
static char *spawned(const struct mpi_meet *meet, const char *decision, int n, size_t *room)
{
    struct offers offers = {0};
    char *offer = NULL;
    look_at("offer", meet->key, &offers, see_offer);
    if (offers.n == 1 && decision && !atomic_load(&spawns_are_mixed))
        offer = take_offer("offer", offers.key, decision, n, is_whole_job, &n, room);
    if (!offer)
        look_at("offer", meet->key, NULL, refuse_offer);
    return offer;
}

/* ---- accept and connect ---- */

/* Both sides see groups of the same sizes. */
static void write_sizes(char *word, int server, int client)
{
    snprintf(word, MPI_NOTE_KEY_BYTES, "%d.%d", server, client);
}

static bool is_same_word(const char *word, const void *other)
{
    return strcmp(word, other) == 0;
}

/*
 * The client that has connected to this server. Clients that wait for a turn are not connected yet.
 * If the server has met an untraced client, no client becomes connected for a long time. Then the
 * port is given up, since the next client at the port would not be known.
 */
static char *accepted(const struct mpi_meet *meet, const char *decision, int own, int n,
                      size_t *room)
{
    char sizes[MPI_NOTE_KEY_BYTES];
    uint64_t end = spur_now_ms() + MPI_NOTE_PATIENCE_MS / 2;
    int ms = MPI_NOTE_NAP_MS;
    write_sizes(sizes, own, n);
    while (decision && !mpi_note_is_there("poison", meet->key)) {
        struct offers offers = {0};
        look_at("client", meet->key, &offers, see_offer);
        if (offers.is_connected)
            return take_offer("connected", offers.key, decision, n, is_same_word, sizes, room);
        if (offers.n == 0)
            return NULL;
        if (spur_now_ms() > end)
            break;
        mpi_note_nap(&ms);
    }
    mpi_note_put("poison", meet->key, "");
    return NULL;
}

static char *connected(const struct mpi_meet *meet, mpi_word on, int own, int n, bool is_eligible,
                       size_t *room)
{
    char word[MPI_NOTE_KEY_BYTES], port[MPI_NOTE_KEY_BYTES];
    size_t offer_room;
    write_sizes(word, n, own);
    char *offer =
        is_eligible ? mpi_decision_compose(mpi_library(), on, own, word, &offer_room) : NULL;
    bool is_offered = offer && mpi_note_put("connected", meet->key, offer);
    if (offer)
        spur_mem_free(offer, offer_room);
    /*
     * KEY-PROCESS.N: the name of a process has no '-', or the search would be for one more than
     * there is.
     */
    snprintf(port, sizeof port, "%.*s", (int)meet->port_bytes, meet->key);
    bool is_answered = mpi_note_is_there("server", port) || mpi_note_is_there("go", meet->key);
    if (is_offered && is_answered)
        return mpi_decision_await(meet->key, port, room);
    (void)mpi_decision_make(meet->key, "no");
    return NULL;
}

/* ---- a meeting ---- */

void mpi_meet_begin(struct mpi_meet *meet, enum mpi_meet_kind kind, mpi_word port, int root,
                    mpi_word on)
{
    static _Atomic(unsigned) clients;
    *meet = (struct mpi_meet){.kind = kind, .root = root, .on = on};
    const struct mpi_comm *comm = mpi_comm_of(on);
    if (!comm || mpi_comm_is_inter(comm) || comm->rank != root)
        return;
    if (kind == MPI_MEET_SPAWN) {
        if (atomic_fetch_add(&spawns, 1) > 0)
            atomic_store(&spawns_are_mixed, true);
        meet->is_counted = true;
        if (!spawner_id(meet->key))
            return;
        (void)mpi_note_put("spawner", meet->key, "");
        meet->is_announced = mpi_note_is_there("spawner", meet->key);
        return;
    }
    mpi_note_key(meet->key, mpi_address(port));
    meet->port_bytes = strlen(meet->key);
    if (kind == MPI_MEET_ACCEPT) {
        meet->is_announced = mpi_note_put("server", meet->key, "");
        if (!meet->is_announced) /* two servers at the same port: the pairs are not known */
            mpi_note_put("poison", meet->key, "");
        return;
    }
    snprintf(meet->key + meet->port_bytes, sizeof meet->key - meet->port_bytes, "-%.100s.%u",
             spur_process_name(), atomic_fetch_add(&clients, 1));
    meet->is_announced = mpi_note_put("client", meet->key, "");
}

/* The root's part: the roster of the other side, NULL if the roster is not known. */
static char *negotiate(const struct mpi_meet *meet, bool is_eligible, int own, int n, size_t *room)
{
    size_t decision_room;
    char *roster = NULL;
    char *decision = is_eligible && meet->kind != MPI_MEET_CONNECT
                         ? mpi_decision_compose(mpi_library(), meet->on, own, spur_process_name(),
                                                &decision_room)
                         : NULL;
    if (meet->kind == MPI_MEET_SPAWN)
        roster = spawned(meet, decision, n, room);
    else if (meet->kind == MPI_MEET_ACCEPT)
        roster = accepted(meet, decision, own, n, room);
    else
        roster = connected(meet, meet->on, own, n, is_eligible, room);
    if (decision)
        spur_mem_free(decision, decision_room);
    return roster;
}

/* The end of the meeting that the root has announced. */
static void conclude(const struct mpi_meet *meet, bool is_made)
{
    char name[MPI_NOTE_NAME_BYTES];
    if (meet->is_counted)
        atomic_fetch_sub(&spawns, 1);
    /*
     * After a failed spawn, processes of the spawn may come later: the late processes do not belong
     * to the next spawn.
     */
    if (meet->kind == MPI_MEET_SPAWN && meet->is_counted && !is_made)
        atomic_store(&spawns_are_mixed, true);
    if (!meet->is_announced)
        return;
    if (meet->kind == MPI_MEET_ACCEPT) {
        mpi_note_name(name, "server", meet->key);
        spur_note_remove(name);
    } else if (meet->kind == MPI_MEET_CONNECT) {
        (void)mpi_decision_make(meet->key, "no"); /* unless already decided */
    }
}

/*
 * Gives the root's text to all processes of the root's side. Agent memory, or NULL. In small
 * pieces, so a process without memory takes part as well.
 */
static char *share(const struct mpi_library *lib, const struct mpi_meet *meet, bool is_root,
                   char *text, size_t *room)
{
    char piece[1024];
    uint64_t bytes = text ? strlen(text) + 1 : 0;
    spur_inside_begin();
    (void)lib->Bcast(&bytes, sizeof bytes, lib->layout.byte, meet->root, meet->on);
    if (bytes && !is_root) {
        *room = bytes;
        text = spur_mem_new(bytes);
    }
    for (uint64_t at = 0; at < bytes; at += sizeof piece) {
        uint64_t n = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        if (is_root && text)
            memcpy(piece, text + at, n);
        (void)lib->Bcast(piece, (int)n, lib->layout.byte, meet->root, meet->on);
        if (!is_root && text)
            memcpy(text + at, piece, n);
    }
    spur_inside_end();
    return text;
}

static bool is_of_own_job(const struct mpi_library *lib, mpi_word comm, int n)
{
    mpi_word group = 0;
    if (lib->Comm_remote_group(comm, &group) != 0)
        return false;
    bool is_own = mpi_world_knows(lib, group, n, true);
    lib->Group_free(&group);
    return is_own;
}

static bool knows_side(const struct mpi_library *lib, mpi_word comm, int n)
{
    mpi_word group = 0;
    if (n == 1)
        return true;
    if (!mpi_job_is_traced() || lib->Comm_group(comm, &group) != 0)
        return false;
    bool knows = mpi_world_knows(lib, group, n, false);
    lib->Group_free(&group);
    return knows;
}

struct mpi_comm *mpi_meet_end(struct mpi_meet *meet, int ret, mpi_word new_at, bool is_recorded)
{
    const struct mpi_library *lib = mpi_library();
    mpi_word new = ret == 0 ? mpi_handle_at(lib, new_at, 0) : lib->layout.comm_null;
    struct mpi_comm *made = NULL;
    char *text = NULL;
    size_t room = 0;
    int size = 0, rank = 0, n = 0;
    if (new == lib->layout.comm_null || lib->Comm_remote_size(new, &n) != 0 || n == 0 ||
        lib->Comm_size(meet->on, &size) != 0 || lib->Comm_rank(meet->on, &rank) != 0) {
        conclude(meet, false);
        return NULL;
    }
    if (is_of_own_job(lib, new, n)) {
        conclude(meet, true);
        return mpi_comm_created(new, NULL, is_recorded, "");
    }
    bool is_eligible = knows_side(lib, meet->on, size);
    if (meet->is_counted)
        spur_process_spawns((uint32_t)n);
    if (meet->is_announced)
        text = negotiate(meet, is_eligible, size, n, &room);
    conclude(meet, true);
    if (size > 1 && is_eligible)
        text = share(lib, meet, rank == meet->root, text, &room);
    if (text) {
        made = introduce(lib, new, text, is_recorded);
        spur_mem_free(text, room);
    }
    return made;
}
