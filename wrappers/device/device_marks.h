/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks in records of devices: attributes of an Enter on a stream. docs/devices.md. */
#ifndef WRAPPERS_DEVICE_MARKS_H
#define WRAPPERS_DEVICE_MARKS_H

/* Also a parameter in the call that gave the work to the device. */
#define DEVICE_CORRELATION "Device Correlation"
#define DEVICE_BYTES "Device Bytes"
#define DEVICE_ITEMS "Device Work Items"
#define DEVICE_GROUP_ITEMS "Device Work Group Size"
#define DEVICE_REGISTERS "Device Registers"
#define DEVICE_SHARED "Device Shared Memory"
#define DEVICE_GRAPH "Device Graph"
#define DEVICE_GRAPH_NODE "Device Graph Node"

/* The ending of the name of a copy of host memory without pinning. */
#define DEVICE_PAGEABLE " (pageable)"

/* A location, in the group `NAME (device 0)`; a context's group is `NAME (device 0, context 1)`. */
#define DEVICE_UNIFIED "Unified Memory"

/* Properties of the process: work unfinished at the end, and records lost by the runtime. */
#define DEVICE_UNFINISHED "DEVICE_UNFINISHED"
#define DEVICE_LOST "DEVICE_LOST"
/* The call by which the program took the source of spur's knowledge about devices. */
#define DEVICE_TAKEN "CUPTI_TAKEN"

/* The region of waiting for all work of a context. */
#define DEVICE_WAIT_FOR_ALL "wait for context"

/* Memory of a context: metrics, by their names in the table. */
enum device_memory_kind {
#define HELD(KIND, name, description) DEVICE_MEMORY_##KIND,
#include "wrappers/device/device_memory.def"
#undef HELD
    DEVICE_MEMORY_KINDS
};

#endif
