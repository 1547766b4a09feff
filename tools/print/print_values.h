/* SPDX-License-Identifier: BSD-3-Clause */
/* Times, typed values and the attributes of an event. */
#ifndef PRINT_VALUES_H
#define PRINT_VALUES_H

#include <otf2/otf2.h>

/* What is subtracted from all times, 0 but with --timestamps=offset. */
extern uint64_t time_origin;

/* Aligned to the right in `width` columns. */
void put_time(OTF2_TimeStamp time, unsigned width);
void put_value(OTF2_Type type, OTF2_AttributeValue value);
/* The kind of definition that values of this type refer to, -1 for numbers. */
int value_reference(OTF2_Type type);
/* The line of an event's attributes; nothing without any. */
void put_attributes(const OTF2_AttributeList *list);

#endif
