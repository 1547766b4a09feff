/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes of different MPI jobs learn who the others are: MPI_Comm_spawn, MPI_Comm_accept
 * with MPI_Comm_connect. Nothing is sent to the other side, which may be one without us that would
 * never answer. The two sides agree through notes of the session (spur_agent.h): each says before
 * the real call that it takes part, so the note is there when the call has returned on the other
 * side. One side decides. A side that does not want to wait any longer decides that there is
 * nothing, by the same note, which can be made once. So both sides know of each other, or neither
 * does.
 *
 * The kinds of notes; a JOB and a RANK in it are called as by their starter:
 *
 *   - those of mpi_muster.h: whether all processes of the spawned job are traced.
 *   - spawner-JOB.RANK: this process, which spawns, is traced.
 *   - offer-KEY: "go JOB" and the roster of a spawned job; the key begins with the spawner.
 *   - server-KEY: a server waits at this port. poison-KEY: nobody can tell who meets whom any more.
 *   - client-KEY-PROCESS.N: a client wants to connect. connected-...: "go SIZES" and the roster of
 *     one that has.
 *   - go-...: the decision, see mpi_decision.h.
 */
#ifndef MPI_MEET_H
#define MPI_MEET_H

#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_decision.h"

enum mpi_meet_kind { MPI_MEET_SPAWN, MPI_MEET_ACCEPT, MPI_MEET_CONNECT };

struct mpi_meet {
    enum mpi_meet_kind kind;
    int root;
    mpi_word on;       /* the communicator of this side */
    bool is_counted;   /* among the spawns that are under way */
    bool is_announced; /* by the root, with this key: */
    char key[MPI_NOTE_KEY_BYTES];
    size_t port_bytes; /* of the key: what stands for the port */
};

/* Before the real call, arguments as the program passed them. */
void mpi_meet_begin(struct mpi_meet *meet, enum mpi_meet_kind kind, mpi_word port, int root,
                    mpi_word on);

/*
 * After it: the intercommunicator at `new_at`, NULL where the other side is not known. Where all
 * processes of `on` are known to be traced, collective over them; waits for a bounded time.
 * `is_recorded`: so is its birth.
 */
struct mpi_comm *mpi_meet_end(struct mpi_meet *meet, int ret, mpi_word new_at, bool is_recorded);

/*
 * Around MPI_Init of a process that may have been spawned, within mpi_muster_begin() and behind
 * mpi_muster_end(); the intercommunicator to its parents.
 */
void mpi_meet_parents_begin(void);
struct mpi_comm *mpi_meet_parents_end(bool is_recorded);

#endif
