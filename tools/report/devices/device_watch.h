/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The LOCAL part of a report's knowledge of devices: the work of streams, and the activity of the
 * threads that may give work. A function that returns true has filled an event to be told; the
 * caller adds time and place.
 */
#ifndef TOOLS_REPORT_DEVICE_WATCH_H
#define TOOLS_REPORT_DEVICE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/defs.h"
#include "tools/report/devices/device_event.h"

enum watched { WATCH_NOTHING, WATCH_HOST, WATCH_STREAM, WATCH_MEMORY };

/* State of a location while its events are read. */
struct device_watch {
    uint8_t what;  /* enum watched */
    uint8_t cause; /* of a thread: its activity */
    uint8_t kind;  /* of a stream: kind of the open work */
    bool is_open;
    bool has_worked; /* of a stream */
    uint32_t region;
    uint32_t device; /* of a stream or memory: location group */
    size_t depth;    /* depth of the open frame, or of the frame that set `cause` */
    uint64_t begin;
    uint64_t id;
    uint64_t bytes;
    uint64_t items;
};

/* By location, to be freed: enum watched. NULL: the run used no devices. */
uint8_t *watch_all(const struct defs *d);

/*
 * The group that counts as the device of a stream. Unified memory belongs to no context, and so
 * counts with the first context of its device.
 */
uint32_t watch_device(const struct defs *d, uint32_t location);

/*
 * A region was entered; `depth` frames are open then. watch_leave(): the innermost region was left.
 */
bool watch_enter(struct device_watch *w, const struct defs *d, uint32_t region, size_t depth,
                 struct device_event *e);
bool watch_leave(struct device_watch *w, size_t depth, struct device_event *e);

/* The same for the begin of work on a stream, with the facts from the attributes of its Enter. */
bool watch_begin(struct device_watch *w, const struct defs *d, uint32_t region, size_t depth,
                 uint64_t time, const OTF2_AttributeList *attributes, struct device_event *e);
/* Memory of the given kind is held. */
bool watch_hold(const struct device_watch *w, uint8_t kind, uint64_t bytes, struct device_event *e);
/*
 * The open work copies bytes; `peer` is the process, or device, at the other end; NIL: not known.
 */
bool watch_copy(struct device_watch *w, const struct defs *d, bool is_put, uint32_t peer,
                uint64_t bytes, struct device_event *e);

#endif
