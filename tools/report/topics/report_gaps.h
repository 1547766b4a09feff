/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archives in which records are missing by declaration: recording was paused, old records were
 * dropped (a ring), calls that receive were left out. The n-th record of a channel, or of a
 * communicator, is then not its n-th message; which it is the process tells in marks
 * (wrappers/mpi/tables/mpi_marks.def), parameters in front of a record. What nobody tells is not
 * matched.
 */
#ifndef TOOLS_REPORT_GAPS_H
#define TOOLS_REPORT_GAPS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>
#include <otf2/OTF2_Reader.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;
struct stream;

#define GAPS_UNKNOWN UINT64_MAX /* a number that nobody knows */

/* What was said of the next record. */
struct gap {
    uint64_t missed;
    uint64_t ordinal; /* + 1; 0: was not said */
};

/* How far the two sides of a channel are, or those of a communicator's member. */
struct gap_count {
    uint64_t next[2];
};

struct gaps {
    bool are_there;
    bool has_all_messages; /* false: calls that send or receive were left out */
    LIST(struct gap_count) counts;
    struct map count_of;
};

/* When the definitions are read. */
void gaps_make(struct report *r, OTF2_Reader *reader);
void gaps_register(OTF2_GlobalEvtReaderCallbacks *c);

/*
 * The number of a record of this side of what (a, b) names. Where no records are missing it is 0:
 * the order of the records says all.
 */
uint64_t gaps_message(struct report *r, struct stream *s, uint64_t a, uint64_t b, int side);

/* The same of one that is the n-th of its order as far as the records tell. */
uint64_t gaps_collective(const struct report *r, struct stream *s, uint64_t n);

/* Whether two processes are known to have one clock. */
bool gaps_have_one_clock(const struct report *r, uint32_t process, uint32_t other);

#endif
