/* SPDX-License-Identifier: BSD-3-Clause */
/* Events and attribute lists from bytes. What is wrong with them was reported. */
#ifndef CHECK_DECODE_EVENT_H
#define CHECK_DECODE_EVENT_H

#include "format/attributes.h"
#include "tools/check/check.h"

/* False: the bytes do not form the record. */
bool event_decode(struct check *c, struct location *at, const struct otf2_record *record,
                  struct otf2_wire_source *s, union otf2_any_record *to);

/* The entries of the list that belongs to the event behind it. */
bool attributes_decode(struct check *c, struct location *at, struct otf2_wire_source *s);

#endif
