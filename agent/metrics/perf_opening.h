/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who opens events of perf_event_open(2) holds this. PAPI does not tell its descriptors; with the
 * lock, those that appear while it opens a set are the set's own.
 */
#ifndef SPUR_PERF_OPENING_H
#define SPUR_PERF_OPENING_H

#include "base/lock.h"

extern struct spur_lock spur_perf_opening;

#endif
