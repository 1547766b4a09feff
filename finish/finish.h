/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finishing: from the files of a session's processes in DIR/.spur/ to the archive in DIR. Run by
 * the program spur-finish, or by the last process of a session inside that process. Takes nothing
 * from the host's heap, closes every descriptor, never exits; at most one finisher works on a
 * directory at a time. The contents of the files are checked: a file may be cut off or broken.
 */
#ifndef SPUR_FINISH_H
#define SPUR_FINISH_H

#include <stdbool.h>

#include "finish/state/finish_options.h"

/*
 * Finish the session in `dir`. 0, or -errno after a line with the reason:
 *   -ENOENT  nothing was recorded there
 *   -EBUSY   processes of the session still run, or another finisher is at work
 *   -EEXIST  there is an archive already
 *
 * Files that cannot be used for the archive are left in DIR/.spur for another try.
 */
int spur_finish(const char *dir, const struct spur_finish_options *options);

/*
 * For a member of a team (struct spur_finish_team): carries out the order in the message, in the
 * session in `dir`, with threads of the member's own. `message` has `n` words. 0: the answer is
 * added to `answer`, even if the work has failed. -errno: the team cannot go on; -EPROTO: the
 * message comes from another program.
 */
int spur_finish_serve(const char *dir, const uint64_t *message, uint64_t n,
                      const struct spur_finish_crew *crew, struct spur_words *answer);

/*
 * For a process that has just marked itself as ended: is the process the last of the session, and
 * must finish the session? True if no other process may still record, all ranks of the same MPI job
 * included.
 */
bool spur_finish_is_last(const char *dir);

/*
 * For a process that has just marked itself as ended and recorded in `place`
 * (session/local_place.h): move the process's directory, `name`, to `dir` (NULL: no directory). If
 * no other process may still record, move all other directories, too. 0: nothing is left in the
 * place. 1: other processes still record in the place. Or -errno.
 */
int spur_finish_gather(const char *dir, const char *place, const char *name);

#endif
