/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments, and the notes by which the end of a process is told (agent/process/death.h). */
#ifndef SPUR_STAMP_H
#define SPUR_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* A moment by every clock that events may be timed by. */
struct spur_stamp {
    uint64_t realtime, monotonic; /* ns */
    uint64_t tsc;                 /* 0: the machine has none */
};

struct spur_death {
    int status; /* as wait(2) gives it */
    struct spur_stamp at;
};

/* In DIR/.spur: the processes by their numbers. */
#define SPUR_PIDS_FOLDER "pids"

/* A note: its file, its greatest size, and its text. */
#define SPUR_DEATH_FILE "death"
enum { SPUR_DEATH_BYTES = 128 };

/* Empty: a host that could see the process has seen that it is dead. */
#define SPUR_GONE_FILE "gone"

struct spur_stamp spur_stamp_now(void);

/*
 * The time by an event clock of this machine, `clock` of a segment; 0: it is not known, since the
 * process has another processor than this program.
 */
uint64_t spur_stamp_ticks(const struct spur_stamp *stamp, uint32_t clock);

/* The text of a note; false: it is none. */
bool spur_death_parse(const char *text, struct spur_death *death);

#endif
