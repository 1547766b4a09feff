/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values and structs of Level Zero's interface that spur needs, by its specification. The test
 * levelzero/layout compares them with the installed headers.
 */
#ifndef WRAPPERS_LEVELZERO_API_H
#define WRAPPERS_LEVELZERO_API_H

#include <stdint.h>

enum {
    LEVELZERO_SUCCESS = 0,
    LEVELZERO_NOT_READY = 1,
    LEVELZERO_UNSUPPORTED_VERSION = 0x78000002,
};
enum { LEVELZERO_MAJOR = 1, LEVELZERO_VERSION_BITS = 16 }; /* of a version: the minor one */

/* Kinds of structs. */
enum {
    LEVELZERO_DEVICE_PROPERTIES = 0x3,
    LEVELZERO_POOL_DESC = 0x10,
    LEVELZERO_EVENT_DESC = 0x11,
    LEVELZERO_MEMORY_PROPERTIES = 0x17,
    LEVELZERO_DEVICE_PROPERTIES_1_2 = 0x20006, /* the clock is in cycles a second, not ns a cycle */
};

/* Flags. */
enum {
    LEVELZERO_POOL_HOST_VISIBLE = 1,
    LEVELZERO_POOL_IPC = 2,
    LEVELZERO_POOL_TIMESTAMP = 4,
    LEVELZERO_POOL_MAPPED_TIMESTAMP = 8, /* times of the host's clock, since 1.7 */
    LEVELZERO_SCOPE_HOST = 4,
    LEVELZERO_QUEUE_IN_ORDER = 2, /* since 1.7 */
};

enum levelzero_memory {
    LEVELZERO_MEMORY_UNKNOWN, /* the program's own */
    LEVELZERO_MEMORY_HOST,
    LEVELZERO_MEMORY_DEVICE,
    LEVELZERO_MEMORY_SHARED,
};

/* Layouts of images that are no media: LAYOUT(number, bytes of a pixel). */
#define LEVELZERO_LAYOUTS(LAYOUT)                                                                  \
    LAYOUT(0, 1)                                                                                   \
    LAYOUT(1, 2)                                                                                   \
    LAYOUT(2, 4)                                                                                   \
    LAYOUT(3, 2)                                                                                   \
    LAYOUT(4, 4)                                                                                   \
    LAYOUT(5, 4)                                                                                   \
    LAYOUT(6, 8)                                                                                   \
    LAYOUT(7, 8)                                                                                   \
    LAYOUT(8, 16)                                                                                  \
    LAYOUT(9, 4)                                                                                   \
    LAYOUT(10, 4)                                                                                  \
    LAYOUT(11, 2)                                                                                  \
    LAYOUT(12, 2)                                                                                  \
    LAYOUT(13, 2)
enum { LEVELZERO_LAYOUT_LAST = 13 };
enum {
    LEVELZERO_IMAGE_1D_ARRAY = 1,
    LEVELZERO_IMAGE_2D = 2,
    LEVELZERO_IMAGE_2D_ARRAY = 3,
    LEVELZERO_IMAGE_3D = 4,
};

struct levelzero_pool_desc {
    uint32_t kind;
    const void *next;
    uint32_t flags;
    uint32_t n;
};

struct levelzero_event_desc {
    uint32_t kind;
    const void *next;
    uint32_t index;
    uint32_t signal_scope, wait_scope;
};

struct levelzero_queue_desc {
    uint32_t kind;
    const void *next;
    uint32_t ordinal, index;
    uint32_t flags;
    uint32_t mode, priority;
};

struct levelzero_image_desc {
    uint32_t kind;
    const void *next;
    uint32_t flags, type;
    uint32_t layout, format, swizzle[4];
    uint64_t width;
    uint32_t height, depth, levels, maps;
};

enum { LEVELZERO_UUID = 16, LEVELZERO_DEVICE_NAME = 256 };
struct levelzero_device_properties {
    uint32_t kind;
    void *next;
    uint32_t type, vendor, device, flags, part, clock_rate;
    uint64_t memory_most;
    uint32_t contexts_most, priority_most, threads, width, units, slices_part, slices;
    uint64_t timer; /* see the kinds */
    uint32_t clock_bits, kernel_clock_bits;
    uint8_t uuid[LEVELZERO_UUID];
    char name[LEVELZERO_DEVICE_NAME];
};

struct levelzero_memory_properties {
    uint32_t kind;
    void *next;
    uint32_t type;
    uint64_t id, page;
};

/* In cycles of the device. */
struct levelzero_times {
    uint64_t begin, end;
    uint64_t active_begin, active_end;
};

struct levelzero_groups {
    uint32_t x, y, z;
};

/* Of memory, in bytes, and of an image, in pixels. */
struct levelzero_region {
    uint32_t x, y, z;
    uint32_t width, height, depth;
};

#endif
