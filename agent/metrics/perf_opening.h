/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock for opening events of perf_event_open(2). PAPI does not tell its descriptors; with the
 * lock, the descriptors that appear while PAPI opens a set belong to the set.
 */
#ifndef SPUR_PERF_OPENING_H
#define SPUR_PERF_OPENING_H

#include "base/lock.h"

extern struct spur_lock spur_perf_opening;

#endif
