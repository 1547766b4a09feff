/* SPDX-License-Identifier: BSD-3-Clause */
/* The filter of this process: read once, before anything is recorded. */
#ifndef SPUR_FILTER_LOAD_H
#define SPUR_FILTER_LOAD_H

#include <stdbool.h>

#include "settings/filter.h"

/* Read the file that SPUR_FILTER names. NULL, or the line to complain by, which stays. */
const char *spur_filter_load(const char *path);

/* Is it to be left out? Counts and remembers those that are, for the end. Thread-safe. */
bool spur_filtered(const struct spur_filter_subject *subject);

/* What was left out becomes a property of the process. */
void spur_filter_tell(void);

/* In a child of fork(): it counts for itself. */
void spur_filter_after_fork(void);

#endif
