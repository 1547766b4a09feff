/* SPDX-License-Identifier: BSD-3-Clause */
/* Why those whose waiting is a finding had to wait. */
#ifndef TOOLS_REPORT_BECAUSE_H
#define TOOLS_REPORT_BECAUSE_H

#include "tools/report/causes/causes.h"

struct report;

/* The main cause of a node's waiting; of that in all calls of a region in collective operations. */
struct because because_of_node(struct report *r, uint32_t node);
struct because because_of_region(struct report *r, uint32_t region);

/*
 * A sentence behind those that have `waited` for so many ticks; "" where nothing is known. It
 * begins with a space.
 */
const char *because_text(const struct report *r, const struct because *because, double waited);

/*
 * Two sentences: how long ranks wait for each other, and the main cause; they begin with a space.
 * "" where that is not known, or worth no sentence.
 */
const char *because_of_all(struct report *r, uint64_t cpus);

/* "compute_flux", or "its own code after MPI_Recv at solver.c:90". */
const char *because_what(const struct report *r, const struct cause *cause);

#endif
