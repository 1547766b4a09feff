/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a rank that makes its files itself: see finish/find/finish_settled.h. */
#ifndef SPUR_FINISH_SETTLE_H
#define SPUR_FINISH_SETTLE_H

#include <stddef.h>

#include "session/segment.h"

struct spur_settling {
    const char *dir;                    /* of the session */
    const char *place, *name;           /* the process's own folder, PLACE/.spur/NAME */
    const struct spur_segment *segment; /* which says all but that, and how, it has ended */
    int32_t status;                     /* of its exit */
    const void *map;                    /* what its map's file would hold; NULL: it is there */
    size_t map_bytes;
};

/*
 * For a process that has closed everything, and records no more. 0: all is told, and its folder
 * gone. -errno: the folder is there as before but for files that are in settled-WORLD; finishing
 * does the rest. Nothing is said. Nobody may take it for ended before.
 */
int spur_finish_settle(const struct spur_settling *settling);

#endif
