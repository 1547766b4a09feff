/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the archive of a session, when all is known of it. Part of finish/. */
#ifndef SPUR_FINISH_ARCHIVE_H
#define SPUR_FINISH_ARCHIVE_H

#include "finish/state/finish_each.h"

/* The anchor file comes last. 0, or -errno. */
int finish_write_archive(struct finish *f);

/* Open it in f->place, for the files of locations. */
OTF2_ErrorCode finish_open_archive(struct finish *f);

/* Where the plain archive is made, once it is known whether it becomes containers. */
void finish_place_archive(struct finish *f);

/* What is done for each process, by a team too. */
extern const struct finish_step finish_events_step;
extern const struct finish_step finish_read_step; /* finish/finish.c */

/* How many processes there are in that state. */
uint64_t finish_count(const struct finish *f, enum finish_state state);

#endif
