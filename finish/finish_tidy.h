/* SPDX-License-Identifier: BSD-3-Clause */
/* The claim of the single finisher, and cleaning up afterwards. Part of finish/. */
#ifndef SPUR_FINISH_TIDY_H
#define SPUR_FINISH_TIDY_H

#include "finish/state/finish_each.h"

/*
 * Become the only finisher of the session. -EBUSY: another finisher is at work (a message says so,
 * unless quiet).
 */
int finish_claim(struct finish *f);

/* Give up the claim. After success the claim has gone together with the session's other files. */
void finish_unclaim(struct finish *f, int err);

/*
 * Called before the archive is opened. If an earlier attempt was killed, put the files of the
 * attempt aside, in the folder where finishing looks for them. -EEXIST: somebody else's files are
 * in the way.
 */
int finish_tidy_attempt(struct finish *f);

/*
 * Make the archive an attempt again: remove the anchor file, which tells newcomers that the session
 * is over.
 */
int finish_tidy_take_back(const struct finish *f);

/*
 * Remove the files that the archive has made superfluous, and only known files. A mark comes first,
 * so that an interrupted removal is carried on.
 */
void finish_tidy(struct finish *f);

extern const struct finish_step finish_tidy_step;

/* Remove the folder of a process. */
void finish_tidy_process(struct finish *f, const struct finish_process *p);

/*
 * Name in one line the folders that stay because their segments cannot be read. False: all could be
 * read.
 */
bool finish_tidy_say_left(const struct finish *f);

#endif
