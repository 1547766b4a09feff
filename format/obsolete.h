/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes that the API no longer has but which are still written for old readers, and what new
 * attributes are when an old record lacks them. Pure functions of a record's struct.
 */
#ifndef FORMAT_OBSOLETE_H
#define FORMAT_OBSOLETE_H

#include "format/record.h"

/* The encoding of an obsolete attribute. */
static inline enum otf2_wire otf2_obsolete_wire(enum otf2_obsolete which)
{
    bool is_type =
        which == OTF2_OBSOLETE_Region_regionType || which == OTF2_OBSOLETE_Group_groupTypePre12;
    return is_type ? OTF2_WIRE_U8 : OTF2_WIRE_VAR32;
}

/* The value to write for an obsolete attribute, from the others in *data. */
uint64_t otf2_obsolete_value(enum otf2_obsolete which, const void *data);

/*
 * Sets the attributes in *data that an older version did not have: those that the layout of `def`
 * says are newer than the record. What it had is in *data already; `old` is the obsolete attribute
 * among it, 0 if it has none.
 */
void otf2_obsolete_complete(enum otf2_def_index def, uint64_t old, void *data);

#endif
