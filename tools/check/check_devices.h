/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about devices, for those who read their events and attributes. */
#ifndef CHECK_CHECK_DEVICES_H
#define CHECK_CHECK_DEVICES_H

#include "tools/check/check.h"

void devices_begin(struct check *c);
void devices_finish(struct check *c);

/* What the definitions say that is missing; once for an archive. */
void devices_missing(struct check *c);

/* An attribute of the next event of a location. */
void device_attribute(const struct check *c, struct location *at, uint64_t attribute,
                      OTF2_AttributeValue value);
/* An event of a stream; before it is judged as any other. */
void device_event(struct check *c, struct location *at, enum otf2_evt_index event, event_data e);
/* A parameter of a call. */
void device_parameter(struct check *c, struct location *at, uint32_t parameter, uint64_t value);

/* The open call has given its number, and is left now. */
void device_call_is_over(struct check *c, struct location *at);

#endif
