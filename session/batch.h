/* SPDX-License-Identifier: BSD-3-Clause */
/* The job of a batch system that this process is part of. */
#ifndef SPUR_BATCH_H
#define SPUR_BATCH_H

#include <stddef.h>

struct spur_batch {
    const char *system;                         /* NULL: no job */
    const char *job, *task, *nodes, *partition; /* NULL: not told */
    const char *restart;                        /* NULL: this is its first start */
};

/* The texts belong to the environment, or are those that were kept. */
struct spur_batch spur_batch_find(void);

/*
 * From now on spur_batch_find() returns the present job, with copies of its texts that `keep`
 * makes. Necessary before calls while other threads change the environment, or from a signal
 * handler.
 */
void spur_batch_keep(const char *(*keep)(const char *text));

enum { SPUR_BATCH_TAG_BYTES = 64 };

/*
 * The job as a part of a file's name, with a dash before it: "-4711", "-4711_3" for the third of an
 * array; "" where there is none. What does not belong into a name is cut off: PBS has 4711.host.
 */
void spur_batch_tag(char tag[SPUR_BATCH_TAG_BYTES]);

enum { SPUR_BATCH_RESTART_BYTES = 24 };

/*
 * What comes behind it if the job was started before: "-restart2" at its third start, "-restart"
 * where the system does not count; "" at the first start.
 */
void spur_batch_restart(char tag[SPUR_BATCH_RESTART_BYTES]);

#endif
