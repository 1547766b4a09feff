/* SPDX-License-Identifier: BSD-3-Clause */
/* What the members of a team send to each other: words, see finish/state/finish_team.h. */
#ifndef SPUR_FINISH_WIRE_H
#define SPUR_FINISH_WIRE_H

#include "finish/state/finish_each.h"

/* A message that is read. It may be cut off: nothing is taken from behind its end. */
struct finish_reading_words {
    const uint64_t *at;
    uint64_t n; /* words that are left */
};

/* Add to a message. Memory that runs out is seen by its mark `failed`. */
void finish_put(struct spur_words *to, const void *from, uint64_t bytes);
/* The struct and these columns of it. */
void finish_put_process(struct spur_words *to, const struct finish_process *p, unsigned columns);
/* What a step depends on, and these columns of the session. */
void finish_put_session(struct spur_words *to, const struct finish *f, unsigned columns);
/* What a step has counted, and what went wrong. */
void finish_put_result(struct spur_words *to, const struct finish *part, int err, uint64_t at);

/* Take from it what the same function has put. 0, -EPROTO: it ends before, or -ENOMEM. */
int finish_get(struct finish_reading_words *from, void *to, uint64_t bytes);
/* What belongs to `p` stays, but for these columns. */
int finish_get_process(struct finish_reading_words *from, struct finish_process *p,
                       unsigned columns);
int finish_get_session(struct finish_reading_words *from, struct finish *f, unsigned columns);
int finish_get_result(struct finish_reading_words *from, struct finish *part, int *err,
                      uint64_t *at);

#endif
