/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments, and the notes about the end of a process (agent/process/death.h). */
#ifndef SPUR_STAMP_H
#define SPUR_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* A moment by every clock that may time events. */
struct spur_stamp {
    uint64_t realtime, monotonic; /* ns */
    uint64_t tsc;                 /* 0: a machine without TSC */
};

struct spur_death {
    int status; /* as wait(2) returns the status */
    struct spur_stamp at;
};

/* In DIR/.spur: the processes by their numbers. */
#define SPUR_PIDS_FOLDER "pids"

/* A note about a death: the file, the greatest size, and the text. */
#define SPUR_DEATH_FILE "death"
enum { SPUR_DEATH_BYTES = 128 };

/* Empty file: a host on which the process was visible has seen the process dead. */
#define SPUR_GONE_FILE "gone"

struct spur_stamp spur_stamp_now(void);

/*
 * The time by an event clock of this machine, `clock` of a segment. 0: not known, since the process
 * has another kind of processor than this program.
 */
uint64_t spur_stamp_ticks(const struct spur_stamp *stamp, uint32_t clock);

/* Parse the text of a note; false: the text is no note. */
bool spur_death_parse(const char *text, struct spur_death *death);

#endif
