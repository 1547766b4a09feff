/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has used of its machine (session/usage.h), as texts of properties. */
#ifndef SPUR_FINISH_USAGE_H
#define SPUR_FINISH_USAGE_H

#include <stddef.h>

#include "session/usage.h"

enum { FINISH_USAGE_BYTES = 4 << 10 };

/* "cores=0-3 seen=2 numa_nodes=0"; "" if it is not known. `text` has FINISH_USAGE_BYTES. */
void finish_usage_placement(const struct spur_usage *usage, char *text);

/* "user_us=1200 ... peak_kib=3400"; "" if the process was not seen again after its start. */
void finish_usage_counts(const struct spur_usage *usage, char *text);

#endif
