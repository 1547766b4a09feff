/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finishing: from what the processes of a session left in DIR/.spur/ to the archive in DIR. Run by
 * the program spur-finish, or by the last process of a session inside that process. Takes nothing
 * from the host's heap, closes every descriptor, never exits; at most one finisher works on a
 * directory at a time. What the files say is checked: they may be cut off or broken.
 */
#ifndef SPUR_FINISH_H
#define SPUR_FINISH_H

#include <stdbool.h>

#include "finish/state/finish_options.h"

/*
 * Finish the session in `dir`. 0, or -errno, and then one line has said why:
 *   -ENOENT  nothing was recorded there
 *   -EBUSY   processes of the session still run, or another finisher is at work
 *   -EEXIST  there is an archive already
 * What cannot be used for the archive is left in DIR/.spur for another try.
 */
int spur_finish(const char *dir, const struct spur_finish_options *options);

/*
 * For one of a team (struct spur_finish_team): does what the message asks for, in the session in
 * `dir`, with threads of its own. `message` has `n` words. 0, and the answer is added to `answer`,
 * also if the work has failed. Or -errno, and the team cannot go on: -EPROTO: the message is that
 * of another program.
 */
int spur_finish_serve(const char *dir, const uint64_t *message, uint64_t n,
                      const struct spur_finish_crew *crew, struct spur_words *answer);

/*
 * For a process that has just marked itself as ended: is it the last of the session, so that it
 * has to finish it? True if no other process may still record, all ranks of its MPI job included.
 */
bool spur_finish_is_last(const char *dir);

/*
 * For a process that has just marked itself as ended and recorded in `place`
 * (session/local_place.h): move its directory, `name`, to `dir` (NULL: it has none), and those of
 * the others if none of them may still record. 0: nothing is left in the place. 1: others still
 * record there. Or -errno.
 */
int spur_finish_gather(const char *dir, const char *place, const char *name);

#endif
