/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps what a definition says for the records that refer to it, and warns of what is wrong in it.
 */
#ifndef PRINT_DEFINE_H
#define PRINT_DEFINE_H

#include "format/record.h"

struct print_location {
    OTF2_LocationRef id;
    uint64_t n_events;
};

/* The locations of the trace in the order of their definitions. */
extern struct print_location *locations;
extern uint64_t nlocations;

/* `data` is the struct of that record. Comes before the definition is printed. */
void define(enum otf2_def_index record, const void *data);

#endif
