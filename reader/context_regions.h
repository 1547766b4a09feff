/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region of each calling context that was read, for programs that know of neither and only set
 * callbacks for regions. One thread adds, and sorts before others look.
 */
#ifndef READER_CONTEXT_REGIONS_H
#define READER_CONTEXT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <otf2/OTF2_GeneralDefinitions.h>

struct otf2_context_region {
    OTF2_CallingContextRef context;
    OTF2_RegionRef region;
};

struct otf2_context_regions {
    struct otf2_context_region *pairs; /* by contexts, of equal ones the later one behind */
    size_t n;
    size_t room;
    bool is_unsorted;
};

/* False: there is no memory, and nothing was added. */
bool otf2_context_regions_add(struct otf2_context_regions *c, OTF2_CallingContextRef context,
                              OTF2_RegionRef region);

/* To be called after adding. False: there is no memory. */
bool otf2_context_regions_sort(struct otf2_context_regions *c);

/* The region that was added last for a context. False: there is none. */
bool otf2_context_regions_find(const struct otf2_context_regions *c, OTF2_CallingContextRef context,
                               OTF2_RegionRef *region);

void otf2_context_regions_fini(struct otf2_context_regions *c);

#endif
