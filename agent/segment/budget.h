/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much is recorded at most: SPUR_LIMIT. Counted by chunks of events, when a thread gets one,
 * so a limit is kept to a chunk per thread. What all processes of a host have taken is counted in
 * the session's file DIR/.spur/bytes, which all of them map; on a file system that does not keep
 * the mappings of several hosts alike, each host counts for itself.
 */
#ifndef SPUR_BUDGET_H
#define SPUR_BUDGET_H

#include <stdint.h>

#include "session/segment.h"
#include "settings/config.h"

/* For the process that records into the session directory `dir`. 0 or -errno. */
int spur_budget_open(const char *dir, struct spur_limit limit);

/* In a child of fork(). */
void spur_budget_forget(void);

/* Take so many bytes. SPUR_STOP_NOT, or which limit is reached. Thread-safe. */
enum spur_stop spur_budget_take(uint64_t bytes);

#endif
