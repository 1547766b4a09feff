/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is made for containers and lies nowhere else: events of killed processes, local definitions.
 * One file in DIR/.spur/plain for all that a process makes, FINISH_STORE with a number of its own:
 * several may finish a session together. Any worker may add to it. Functions return 0 or -errno.
 */
#ifndef SPUR_FINISH_STORE_H
#define SPUR_FINISH_STORE_H

#include <stdint.h>

#include "base/lock.h"
#include "finish/state/finish_state.h"

struct finish_store {
    struct spur_lock lock;
    int fd;          /* -1: nothing is there yet */
    uint32_t number; /* of the file */
    uint64_t end;
};

#define FINISH_STORE "made." /* and a number */

/* Copies all of an open file, which has so many bytes. Says where they lie: *source is of it. */
int finish_store_add(struct finish *f, int from, uint64_t bytes, struct finish_source *source);

/* The path of the file. */
char *finish_store_path(const struct finish *f, uint32_t number, char path[SPUR_FILE_PATH_BYTES]);

/* NULL: no memory. */
struct finish_store *finish_store_new(void);
void finish_store_free(struct finish_store *store);

#endif
