/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sentences of a report are made of. The texts live to the end of the process. */
#ifndef TOOLS_REPORT_WORDS_H
#define TOOLS_REPORT_WORDS_H

#include <stdint.h>

struct loop;
struct report;

const char *words_time(const struct report *r, double ticks);
const char *words_percent(const struct report *r, double ticks); /* of the time of all threads */
const char *words_count(uint64_t n);
const char *words_plural(uint64_t n, const char *noun); /* "1 call", "12 calls" */

/* The name of a region, cut if it is long and the user has not asked for whole names. */
const char *words_region(const struct report *r, uint32_t region);

/* ", mostly at solver.c:118"; "" if the site is not known. */
const char *words_mostly_at(const struct report *r, uint32_t site);

/* What an iteration of a loop ends with: "MPI_Barrier at solver.c:118". */
const char *words_loop_end(const struct report *r, const struct loop *loop);

#endif
