/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finishing by a team: one process finishes the session, and gives parts of the steps to the other
 * members (struct spur_finish_team). A message contains everything that a step needs, so a member
 * keeps nothing between messages. The words of a message are
 *
 *     digest of this program, step, number of processes, the session, the processes
 *
 * The words of an answer are: result, number of processes, the processes. Both sides must be the
 * same program on machines of the same kind, or refuse each other by the digest.
 */
#ifndef SPUR_FINISH_TEAM_H
#define SPUR_FINISH_TEAM_H

#include "finish/state/finish_wire.h"

/* The digest: equal only for programs that understand each other's messages. */
uint64_t finish_team_digest(void);

/* Is there a team? Only the process that claimed the session has a team. */
bool finish_team_may(const struct finish *f);

/* finish_each(), shared out to the whole team. */
int finish_team_each(struct finish *f, const struct finish_step *step);

/*
 * Gives the same `n` processes to every other member, and calls `each` for each process in an
 * answer: with the place in the answer, and the changed process. The changed process is not kept. 0
 * or -errno.
 */
int finish_team_all(struct finish *f, const struct finish_step *step,
                    struct finish_process *const *process, uint64_t n,
                    int (*each)(struct finish *f, uint64_t place,
                                const struct finish_process *other));

/* Append the processes of a message, or of an answer. */
void finish_team_put(struct spur_words *to, struct finish_process *const *process, uint64_t n,
                     unsigned columns);

#endif
