/* SPDX-License-Identifier: BSD-3-Clause */
/* What is given to devices, and what becomes of it. */
#include "wrappers/opencl/opencl.h"
#include "wrappers/opencl/opencl_api.h"

enum { NAME_BYTES = 512, DIMENSIONS = 3 };

/* ---- what it is ---- */

struct device_work opencl_work(const char *name, enum device_way way, uint64_t bytes)
{
    const enum device_kind kind = way == DEVICE_NOWHERE ? DEVICE_OTHER : DEVICE_COPY;
    return (struct device_work){.region = device_region(SPUR_FAMILY_OPENCL, name, kind),
                                .way = way,
                                .bytes = bytes};
}

static uint64_t product(const void *list, uint32_t n)
{
    const size_t *number = list;
    uint64_t whole = 1;
    for (uint32_t i = 0; i < n; i++)
        whole *= number[i];
    return whole;
}

struct device_work opencl_kernel(void *kernel, uint32_t dimensions, const void *global,
                                 const void *local)
{
    char name[NAME_BYTES] = "";
    int32_t result =
        opencl_next_clGetKernelInfo(kernel, OPENCL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    name[NAME_BYTES - 1] = '\0';
    const char *called = result == OPENCL_SUCCESS && *name ? name : "kernel";
    return (struct device_work){.region = device_region(SPUR_FAMILY_OPENCL, called, DEVICE_KERNEL),
                                .items = global ? product(global, dimensions) : 1,
                                .group_items = local ? product(local, dimensions) : 0};
}

uint64_t opencl_volume(const void *region)
{
    return product(region, DIMENSIONS);
}

uint64_t opencl_image_bytes(void *image, const void *region)
{
    size_t bytes = 0;
    (void)opencl_next_clGetImageInfo(image, OPENCL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, NULL);
    return bytes * opencl_volume(region);
}

uint64_t opencl_memory_bytes(const void *list, uint32_t n)
{
    void *const *memory = list;
    uint64_t whole = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = 0;
        (void)opencl_next_clGetMemObjectInfo(memory[i], OPENCL_MEM_SIZE, sizeof bytes, &bytes,
                                             NULL);
        whole += bytes;
    }
    return whole;
}

/* Memory that is mapped to be overwritten is not copied. */
enum device_way opencl_maps(uint64_t flags)
{
    return flags & OPENCL_MAP_READ ? DEVICE_TO_HOST : DEVICE_NOWHERE;
}

enum device_way opencl_migrates(uint64_t flags)
{
    if (flags & OPENCL_MIGRATE_UNDEFINED)
        return DEVICE_NOWHERE;
    return flags & OPENCL_MIGRATE_TO_HOST ? DEVICE_TO_HOST : DEVICE_TO_DEVICE;
}

/* ---- the call ---- */

void *opencl_give_begin(struct opencl_given *given, struct spur_loc *loc, const void *queue,
                        void *event)
{
    *given = (struct opencl_given){.stream = NULL};
    struct opencl_queue *q = loc ? opencl_queue_find(queue) : NULL;
    if (q)
        given->stream = opencl_queue_stream(q);
    if (!given->stream)
        return event;
    given->launch = device_launch_begin(loc);
    return event ? event : &given->own;
}

/* The program's event gets one reference more, which is given back when it is done. */
void opencl_give_end(struct opencl_given *given, void *const *event, const struct device_work *work)
{
    if (event != &given->own && opencl_next_clRetainEvent(*event) != OPENCL_SUCCESS)
        return;
    device_launch_end(&given->launch, given->stream, *event, work);
    if (device_is_long(given->stream))
        device_collect(given->stream);
}

/* ---- what becomes of it ---- */

static bool ask_time(void *event, uint32_t what, uint64_t *ns)
{
    return opencl_next_clGetEventProfilingInfo(event, what, sizeof *ns, ns, NULL) == OPENCL_SUCCESS;
}

static enum device_state look(void *event, struct device_times *times)
{
    int32_t status = OPENCL_COMPLETE;
    if (opencl_next_clGetEventInfo(event, OPENCL_EVENT_STATUS, sizeof status, &status, NULL) !=
            OPENCL_SUCCESS ||
        status < OPENCL_COMPLETE)
        return DEVICE_FAILED;
    if (status > OPENCL_COMPLETE)
        return DEVICE_PENDING;
    bool has_times = ask_time(event, OPENCL_PROFILING_QUEUED, &times->queued) &&
                     ask_time(event, OPENCL_PROFILING_START, &times->begin) &&
                     ask_time(event, OPENCL_PROFILING_END, &times->end);
    return has_times ? DEVICE_DONE : DEVICE_FAILED;
}

static void drop(void *event)
{
    (void)opencl_next_clReleaseEvent(event);
}

const struct device_runtime opencl_runtime = {.family = SPUR_FAMILY_OPENCL,
                                              .paradigm = OTF2_PARADIGM_OPENCL,
                                              .stream = "Queue",
                                              .look = look,
                                              .drop = drop};
