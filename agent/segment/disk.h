/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the disk has room for the recording. Without SPUR_LIMIT a share of the disk stays free:
 * the 20th part, but never more than half of the room that a process finds free at its first look.
 * A process looks after each further step of recorded bytes: the first MiB, then the 64th part of
 * the disk, or 64 MiB if the 64th part is larger. One system call for each look; no look at an
 * event.
 */
#ifndef SPUR_DISK_H
#define SPUR_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "session/segment.h"

/* For the process that records into `dir`. `keeps`: the share is kept free. */
void spur_disk_open(bool keeps);

/* In a child of fork(). */
void spur_disk_forget(void);

/*
 * A thread has got `bytes` more bytes for events. SPUR_STOP_SHARE: there is too little room for
 * more. Prints one line for the session when the disk will be full within minutes. Thread-safe.
 */
enum spur_stop spur_disk_take(uint64_t bytes);

/* The basis of a judgement; zero before the first look. For tests. */
struct spur_disk_state {
    uint64_t keep;                 /* bytes that stay free, 0: no share is kept */
    uint64_t step;                 /* bytes until the next look */
    uint64_t first_free, first_ms; /* at the first look */
    bool has_warned;
};

enum spur_disk_word { SPUR_DISK_HAS_ROOM, SPUR_DISK_FILLS, SPUR_DISK_IS_FULL };

/* `seconds`: until the room is used up, if the answer is SPUR_DISK_FILLS. */
enum spur_disk_word spur_disk_judge(struct spur_disk_state *disk, bool keeps, uint64_t size,
                                    uint64_t free, uint64_t now_ms, uint64_t *seconds);

#endif
