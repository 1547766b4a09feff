/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes of different MPI jobs learn about each other: MPI_Comm_spawn, MPI_Comm_accept with
 * MPI_Comm_connect. Nothing is sent to the other side: the other side may be untraced and would
 * never answer. Both sides agree through notes of the session (spur_agent.h). Each side leaves a
 * note of its participation before the real call, so the note exists when the call has returned on
 * the other side. Only one side decides. A side that does not want to wait any longer decides "no",
 * by the same note, and the note can be made once. So both sides know of each other, or neither
 * does.
 *
 * The kinds of notes; JOB and RANK are the names given by their starter:
 *
 *   - the notes of mpi_muster.h: whether all processes of the spawned job are traced.
 *   - spawner-JOB.RANK: the spawning process is traced.
 *   - offer-KEY: "go JOB" and the roster of a spawned job; the key begins with the spawner.
 *   - server-KEY: a server waits at this port. poison-KEY: the pairs of the port cannot be told any
 *     more.
 *   - client-KEY-PROCESS.N: a client wants to connect. connected-...: "go SIZES" and the roster of
 *     a connected client.
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
    bool is_counted;   /* as a spawn under way */
    bool is_announced; /* by the root, with this key: */
    char key[MPI_NOTE_KEY_BYTES];
    size_t port_bytes; /* of the key: the part for the port */
};

/* Before the real call, arguments as the program passed them. */
void mpi_meet_begin(struct mpi_meet *meet, enum mpi_meet_kind kind, mpi_word port, int root,
                    mpi_word on);

/*
 * After the real call: the intercommunicator at `new_at`, NULL where the other side is not known.
 * Where all processes of `on` are known to be traced, collective over these processes; waits for a
 * bounded time. `is_recorded`: so is the intercommunicator's birth.
 */
struct mpi_comm *mpi_meet_end(struct mpi_meet *meet, int ret, mpi_word new_at, bool is_recorded);

/*
 * Around MPI_Init of a process that may have been spawned, within mpi_muster_begin() and behind
 * mpi_muster_end(); the intercommunicator to its parents.
 */
void mpi_meet_parents_begin(void);
struct mpi_comm *mpi_meet_parents_end(bool is_recorded);

#endif
