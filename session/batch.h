/* SPDX-License-Identifier: BSD-3-Clause */
/* The batch job of this process. */
#ifndef SPUR_BATCH_H
#define SPUR_BATCH_H

#include <stddef.h>

struct spur_batch {
    const char *system;                         /* NULL: no job */
    const char *job, *task, *nodes, *partition; /* NULL: unknown */
    const char *restart;                        /* NULL: the first start of the job */
};

/* The texts belong to the environment, or are the copies of spur_batch_keep(). */
struct spur_batch spur_batch_find(void);

/*
 * From now on spur_batch_find() returns the present job, with copies of the texts made by `keep`.
 * Necessary before calls while other threads change the environment, or from a signal handler.
 */
void spur_batch_keep(const char *(*keep)(const char *text));

enum { SPUR_BATCH_TAG_BYTES = 64 };

/*
 * The job as a part of a file's name, with a dash before the number: "-4711", "-4711_3" for the
 * third job of an array; "": no job. Parts unfit for a name are cut off: PBS has 4711.host.
 */
void spur_batch_tag(char tag[SPUR_BATCH_TAG_BYTES]);

enum { SPUR_BATCH_RESTART_BYTES = 24 };

/*
 * A further part of the name if the job was started before: "-restart2" at the third start,
 * "-restart" if the system does not count; "" at the first start.
 */
void spur_batch_restart(char tag[SPUR_BATCH_RESTART_BYTES]);

#endif
