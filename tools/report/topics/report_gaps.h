/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archives in which records are missing by declaration: recording was paused, old records were
 * dropped (a ring), or calls that receive were left out. The n-th record of a channel, or of a
 * communicator, is then not its n-th message. The process tells the number of the message in marks
 * (wrappers/mpi/tables/mpi_marks.def), parameters in front of a record. A record without a known
 * number is not matched.
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

#define GAPS_UNKNOWN UINT64_MAX /* a number that is not known */

/* Facts about the next record, from the marks. */
struct gap {
    uint64_t missed;
    uint64_t ordinal; /* number + 1; 0: no mark */
};

/* Next numbers of the two sides of a channel, or of a communicator's member. */
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
 * The number of the stream's present record in the channel (a, b), on the given side. Where no
 * records are missing the number is 0: the order of the records is enough.
 */
uint64_t gaps_message(struct report *r, struct stream *s, uint64_t a, uint64_t b, int side);

/* The same for the n-th record of a collective order, as counted in the records. */
uint64_t gaps_collective(const struct report *r, struct stream *s, uint64_t n);

/* Whether two processes are known to have the same clock. */
bool gaps_have_one_clock(const struct report *r, uint32_t process, uint32_t other);

#endif
