/* SPDX-License-Identifier: BSD-3-Clause */
/* What is given to devices: kernels, copies and fills. */
#include "wrappers/device/device_marks.h"
#include "wrappers/levelzero/levelzero.h"

enum { NAME_BYTES = 512, NAME_MOST = 1 << 16 };

/* ---- kernels ---- */

uint32_t levelzero_Kernel_Create(struct spur_loc *loc, void *module, void *how, void *kernel)
{
    uint32_t result = next_Kernel_Create(module, how, kernel);
    (void)loc;
    if (result == LEVELZERO_SUCCESS)
        (void)levelzero_made(LEVELZERO_KERNEL, *(void **)kernel);
    return result;
}

uint32_t levelzero_Kernel_SetGroupSize(struct spur_loc *loc, void *kernel, uint32_t x, uint32_t y,
                                       uint32_t z)
{
    uint32_t result = next_Kernel_SetGroupSize(kernel, x, y, z);
    struct levelzero_kernel *k = levelzero_find(LEVELZERO_KERNEL, kernel);
    (void)loc;
    if (k && result == LEVELZERO_SUCCESS)
        k->group = (uint64_t)x * y * z;
    return result;
}

static OTF2_RegionRef define(const char *name)
{
    return device_region(SPUR_FAMILY_LEVELZERO, name, DEVICE_KERNEL);
}

/* Names of kernels in templates may be long. */
static OTF2_RegionRef define_long(void *kernel, size_t bytes)
{
    char *name = bytes <= NAME_MOST ? spur_mem_new(bytes + 1) : NULL;
    size_t room = bytes;
    if (!name || next_Kernel_GetName(kernel, &room, name) != LEVELZERO_SUCCESS)
        name = NULL;
    OTF2_RegionRef region = define(name ? name : "kernel");
    if (name)
        spur_mem_free(name, bytes + 1);
    return region;
}

static OTF2_RegionRef define_kernel(void *kernel)
{
    char name[NAME_BYTES] = "";
    size_t bytes = 0;
    if (!levelzero_next[LEVELZERO_Kernel_GetName] ||
        next_Kernel_GetName(kernel, &bytes, NULL) != LEVELZERO_SUCCESS || bytes < 2)
        return define("kernel");
    if (bytes > sizeof name)
        return define_long(kernel, bytes);
    if (next_Kernel_GetName(kernel, &bytes, name) != LEVELZERO_SUCCESS)
        return define("kernel");
    name[sizeof name - 1] = '\0';
    return define(name);
}

struct device_work levelzero_kernel(void *kernel, const struct levelzero_groups *groups)
{
    const struct levelzero_kernel *k = levelzero_find(LEVELZERO_KERNEL, kernel);
    const uint64_t n = groups ? (uint64_t)groups->x * groups->y * groups->z : 0;
    const uint64_t group = k ? k->group : 0;
    return (struct device_work){.region = define_kernel(kernel),
                                .items = n * (group ? group : 1),
                                .group_items = group};
}

struct device_work levelzero_kernels(void)
{
    return (struct device_work){.region = define("several kernels")};
}

/* ---- copies ---- */

static struct device_work work_of(const char *name, enum device_way way, uint64_t bytes)
{
    return (struct device_work){.region = device_region(SPUR_FAMILY_LEVELZERO, name, DEVICE_COPY),
                                .way = way,
                                .bytes = bytes};
}

struct device_work levelzero_fill(uint64_t bytes)
{
    return work_of("fill", DEVICE_FILL, bytes);
}

static enum levelzero_memory memory_at(void *context, void *at)
{
    struct levelzero_memory_properties is = {.kind = LEVELZERO_MEMORY_PROPERTIES};
    uint32_t result = next_Mem_GetAllocProperties(context, at, &is, NULL);
    return result == LEVELZERO_SUCCESS ? (enum levelzero_memory)is.type : LEVELZERO_MEMORY_UNKNOWN;
}

static bool is_host(enum levelzero_memory memory)
{
    return memory == LEVELZERO_MEMORY_UNKNOWN || memory == LEVELZERO_MEMORY_HOST;
}

/* What only moves on the host has bytes and no partner, as a fill. */
static struct device_work copy_of(enum levelzero_memory to, enum levelzero_memory from,
                                  uint64_t bytes)
{
    const bool is_pageable = (to == LEVELZERO_MEMORY_UNKNOWN) != (from == LEVELZERO_MEMORY_UNKNOWN);
    if (is_host(to) && is_host(from))
        return work_of("copy on host", DEVICE_FILL, bytes);
    if (is_host(to))
        return work_of(is_pageable ? "copy to host" DEVICE_PAGEABLE : "copy to host",
                       DEVICE_TO_HOST, bytes);
    if (is_host(from))
        return work_of(is_pageable ? "copy to device" DEVICE_PAGEABLE : "copy to device",
                       DEVICE_TO_DEVICE, bytes);
    return work_of("copy on device", DEVICE_ON_DEVICE, bytes);
}

static void *context_of(const void *list)
{
    const struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    return l && l->queue.context ? l->queue.context->object.handle : NULL;
}

struct device_work levelzero_copy_from(void *list, void *to, void *context, void *from,
                                       uint64_t bytes)
{
    return copy_of(memory_at(context_of(list), to), memory_at(context, from), bytes);
}

struct device_work levelzero_copy(void *list, void *to, void *from, uint64_t bytes)
{
    return levelzero_copy_from(list, to, context_of(list), from, bytes);
}

/* A plane may have a depth of 0. */
uint64_t levelzero_volume(const struct levelzero_region *region)
{
    uint64_t height = region->height ? region->height : 1,
             depth = region->depth ? region->depth : 1;
    return region->width * height * depth;
}

/* ---- images ---- */

static uint64_t pixel_of(uint32_t layout)
{
    static const uint8_t bytes_of[] = {
#define LAYOUT(number, bytes) [number] = bytes,
        LEVELZERO_LAYOUTS(LAYOUT)
#undef LAYOUT
    };
    return layout < sizeof bytes_of ? bytes_of[layout] : 0;
}

static uint64_t pixels_of(const struct levelzero_image_desc *desc)
{
    uint64_t n = desc->width;
    if (desc->type >= LEVELZERO_IMAGE_2D && desc->type <= LEVELZERO_IMAGE_3D)
        n *= desc->height;
    if (desc->type == LEVELZERO_IMAGE_3D)
        n *= desc->depth;
    if (desc->type == LEVELZERO_IMAGE_1D_ARRAY || desc->type == LEVELZERO_IMAGE_2D_ARRAY)
        n *= desc->levels;
    return n;
}

uint32_t levelzero_Image_Create(struct spur_loc *loc, void *context, void *device, void *how,
                                void *image)
{
    uint32_t result = next_Image_Create(context, device, how, image);
    struct levelzero_image *i =
        result == LEVELZERO_SUCCESS ? levelzero_made(LEVELZERO_IMAGE, *(void **)image) : NULL;
    const struct levelzero_image_desc *desc = how;
    (void)loc;
    if (i) {
        i->pixel = pixel_of(desc->layout);
        i->pixels = pixels_of(desc);
    }
    return result;
}

static uint64_t image_bytes(void *image, const struct levelzero_region *region)
{
    const struct levelzero_image *i = levelzero_find(LEVELZERO_IMAGE, image);
    if (!i)
        return 0;
    return i->pixel * (region ? levelzero_volume(region) : i->pixels);
}

struct device_work levelzero_image_copy(void *image, const struct levelzero_region *region)
{
    return work_of("copy image", DEVICE_ON_DEVICE, image_bytes(image, region));
}

struct device_work levelzero_image_read(void *list, void *to, void *image,
                                        const struct levelzero_region *region)
{
    return copy_of(memory_at(context_of(list), to), LEVELZERO_MEMORY_DEVICE,
                   image_bytes(image, region));
}

struct device_work levelzero_image_write(void *list, void *image, void *from,
                                         const struct levelzero_region *region)
{
    return copy_of(LEVELZERO_MEMORY_DEVICE, memory_at(context_of(list), from),
                   image_bytes(image, region));
}
