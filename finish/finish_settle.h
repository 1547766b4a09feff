/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a rank that makes its final files itself: see finish/find/finish_settled.h. */
#ifndef SPUR_FINISH_SETTLE_H
#define SPUR_FINISH_SETTLE_H

#include <stddef.h>

#include "session/segment.h"

struct spur_settling {
    const char *dir;                    /* of the session */
    const char *place, *name;           /* the process's own folder, PLACE/.spur/NAME */
    const struct spur_segment *segment; /* complete but for the status and time of the end */
    int32_t status;                     /* of the exit of the process */
    const void *map;                    /* contents of the file of the map; NULL: the file exists */
    size_t map_bytes;
};

/*
 * For a process that has closed everything, and records no more. 0: all is in the record, and the
 * process's folder is gone. -errno: the folder is as before, except for files already moved to
 * settled-WORLD; finishing does the rest. No message is printed. No other process may take the
 * process for ended before the return.
 */
int spur_finish_settle(const struct spur_settling *settling);

#endif
