/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The LOCAL part of what a report knows of devices: what a stream does, and what the threads do
 * that may give it something to do. A function that returns true has an event to tell; the caller
 * adds when and where.
 */
#ifndef TOOLS_REPORT_DEVICE_WATCH_H
#define TOOLS_REPORT_DEVICE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/defs.h"
#include "tools/report/devices/device_event.h"

enum watched { WATCH_NOTHING, WATCH_HOST, WATCH_STREAM, WATCH_MEMORY };

/* A location while its events are read. */
struct device_watch {
    uint8_t what;  /* enum watched */
    uint8_t cause; /* of a thread: what it does */
    uint8_t kind;  /* of a stream: what is open */
    bool is_open;
    bool has_worked; /* of a stream */
    uint32_t region;
    uint32_t device; /* of a stream or memory: location group */
    size_t depth;    /* of the frame that is open, or that `cause` is about */
    uint64_t begin;
    uint64_t id;
    uint64_t bytes;
    uint64_t items;
};

/* By location, to be freed: enum watched. NULL: there are no devices. */
uint8_t *watch_all(const struct defs *d);

/*
 * The group that counts as the device of a stream. Unified memory is of no context: it counts with
 * the first one of its device.
 */
uint32_t watch_device(const struct defs *d, uint32_t location);

/* A region was entered; `depth` frames are open then. And: the innermost one was left. */
bool watch_enter(struct device_watch *w, const struct defs *d, uint32_t region, size_t depth,
                 struct device_event *e);
bool watch_leave(struct device_watch *w, size_t depth, struct device_event *e);

/* The same of a stream; what the attributes of its Enter say. */
bool watch_begin(struct device_watch *w, const struct defs *d, uint32_t region, size_t depth,
                 uint64_t time, const OTF2_AttributeList *attributes, struct device_event *e);
/* Memory of that kind is held. */
bool watch_hold(const struct device_watch *w, uint8_t kind, uint64_t bytes, struct device_event *e);
/* What is open copies bytes; `peer` is the process, or device, at the other end; NIL: not known. */
bool watch_copy(struct device_watch *w, const struct defs *d, bool is_put, uint32_t peer,
                uint64_t bytes, struct device_event *e);

#endif
