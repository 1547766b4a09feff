/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between the members of a team: words. See finish/state/finish_team.h. */
#ifndef SPUR_FINISH_WIRE_H
#define SPUR_FINISH_WIRE_H

#include "finish/state/finish_each.h"

/* A received message. The message may be cut off: nothing is read beyond the end. */
struct finish_reading_words {
    const uint64_t *at;
    uint64_t n; /* words that are left */
};

/* Append to a message. If memory runs out, the mark `failed` of the message is set. */
void finish_put(struct spur_words *to, const void *from, uint64_t bytes);
/* The struct and the columns of `columns`. */
void finish_put_process(struct spur_words *to, const struct finish_process *p, unsigned columns);
/* The part of the session on which a step depends, and the columns of `columns`. */
void finish_put_session(struct spur_words *to, const struct finish *f, unsigned columns);
/* The counts and the faults of a step. */
void finish_put_result(struct spur_words *to, const struct finish *part, int err, uint64_t at);

/*
 * Read a part of a message as finish_put...() of the same name wrote the part. 0, -EPROTO: the
 * message ends too early, or -ENOMEM.
 */
int finish_get(struct finish_reading_words *from, void *to, uint64_t bytes);
/* Replaces the columns of `columns`; all other members of `p` stay. */
int finish_get_process(struct finish_reading_words *from, struct finish_process *p,
                       unsigned columns);
int finish_get_session(struct finish_reading_words *from, struct finish *f, unsigned columns);
int finish_get_result(struct finish_reading_words *from, struct finish *part, int *err,
                      uint64_t *at);

#endif
