/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finishing by a team: one process finishes the session, and gives the others parts of the steps
 * (struct spur_finish_team). A message has all that a step needs, so who gets it keeps nothing. Its
 * words are
 *
 *     digest of this program, step, number of processes, the session, the processes
 *
 * and those of an answer: result, number of processes, the processes. Both sides are one program,
 * on machines of one kind, or refuse each other by the digest.
 */
#ifndef SPUR_FINISH_TEAM_H
#define SPUR_FINISH_TEAM_H

#include "finish/state/finish_wire.h"

/* What programs have in common that understand each other. */
uint64_t finish_team_digest(void);

/* Is there a team? Only who has claimed the session has one. */
bool finish_team_may(const struct finish *f);

/* finish_each(), for all of the team. */
int finish_team_each(struct finish *f, const struct finish_step *step);

/*
 * Gives the same `n` processes to each other one, and calls `each` for each process in an answer:
 * its place there, and what it has become, which is not kept. 0 or -errno.
 */
int finish_team_all(struct finish *f, const struct finish_step *step,
                    struct finish_process *const *process, uint64_t n,
                    int (*each)(struct finish *f, uint64_t place,
                                const struct finish_process *other));

/* The processes of a message, or of an answer. */
void finish_team_put(struct spur_words *to, struct finish_process *const *process, uint64_t n,
                     unsigned columns);

#endif
