/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is made for containers and lies nowhere else: events of killed processes, local definitions.
 * One file in DIR/.spur for all of it, which has no name: it is gone with the process that
 * finishes. Any worker may add to it. Functions return 0 or -errno.
 */
#ifndef SPUR_FINISH_STORE_H
#define SPUR_FINISH_STORE_H

#include <stdint.h>

#include "base/lock.h"

struct finish_store {
    struct spur_lock lock;
    int fd; /* -1: nothing is there yet */
    uint64_t end;
};

/*
 * Copies all of an open file, which has so many bytes. *at: where they lie then. `folder`:
 * DIR/.spur
 */
int finish_store_add(struct finish_store *store, const char *folder, int from, uint64_t bytes,
                     uint64_t *at);

/* For spur_file_read(); it belongs to the store. */
int finish_store_file(const struct finish_store *store);

/* NULL: no memory. */
struct finish_store *finish_store_new(void);
void finish_store_free(struct finish_store *store);

#endif
