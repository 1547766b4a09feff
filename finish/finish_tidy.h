/* SPDX-License-Identifier: BSD-3-Clause */
/* The claim of the one finisher, and cleaning up afterwards. Part of finish/. */
#ifndef SPUR_FINISH_TIDY_H
#define SPUR_FINISH_TIDY_H

#include "finish/state/finish_each.h"

/* Become the one finisher of the session. -EBUSY (said, unless quiet): another one is at work. */
int finish_claim(struct finish *f);

/* After success the claim has gone with everything else. */
void finish_unclaim(struct finish *f, int err);

/*
 * Before the archive is opened. An earlier attempt may have been killed: put its files aside, where
 * they are looked for. -EEXIST: somebody else's files are in the way.
 */
int finish_tidy_attempt(struct finish *f);

/* It is an attempt: without an anchor file, which says to newcomers that the session is over. */
int finish_tidy_take_back(const struct finish *f);

/*
 * Remove what the archive has made superfluous, and only what is known. Begins with a mark, so that
 * it is carried on when it is cut off.
 */
void finish_tidy(struct finish *f);

extern const struct finish_step finish_tidy_step;

/* Remove the folder of a process. */
void finish_tidy_process(struct finish *f, const struct finish_process *p);

/* Name what stays because its segment cannot be read, in one line. False: there is nothing like it.
 */
bool finish_tidy_say_left(const struct finish *f);

#endif
