/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks in communicators and windows, shown as "rank (location)". */
#ifndef PRINT_RANKS_H
#define PRINT_RANKS_H

#include <stdbool.h>

#include "tools/print/print_definitions.h"

/*
 * What takes part in communication under this paradigm: group COMM_LOCATIONS, or since 3.2
 * COMM_LOCATION_GROUPS.
 */
const struct group *ranks_of(OTF2_Paradigm paradigm);
void ranks_set(OTF2_Paradigm paradigm, const struct group *group);
/* The kind of the members of such a group: enum otf2_ref. */
unsigned ranks_kind(const struct group *ranks);

/* `base` is a communicator, or a window. A root may be none of the ranks. */
void put_rank(OTF2_LocationRef location, uint64_t base, uint32_t rank, bool is_of_window,
              bool is_root);
/* In a communicator that may be NULL. */
void put_rank_in(OTF2_LocationRef location, const struct definition *comm, uint32_t rank);

#endif
