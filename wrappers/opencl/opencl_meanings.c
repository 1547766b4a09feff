/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls with a meaning for spur. Queues get profiling, and answer as if without profiling. The
 * finished work of devices is recorded where the program waits for the work.
 */
#include "wrappers/opencl/opencl.h"
#include "wrappers/opencl/opencl_api.h"

/* ---- new queues ---- */

static void *make_plain(const struct opencl_made *made, uint64_t more, void *code)
{
    return opencl_next_clCreateCommandQueue(made->context, made->device, made->properties | more,
                                            code);
}

/* The program's list with more properties. `words`, of the program's list, is not 0. */
static void *make_listed(const struct opencl_made *made, uint64_t more, void *code)
{
    enum { PAIR = 2 };
    uint64_t list[OPENCL_LIST_WORDS + PAIR];
    uint32_t n = 0;
    bool has_properties = false;
    for (; n + 1 < made->words; n += PAIR) {
        bool is_it = made->list[n] == OPENCL_QUEUE_PROPERTIES;
        list[n] = made->list[n];
        list[n + 1] = made->list[n + 1] | (is_it ? more : 0);
        has_properties |= is_it;
    }
    if (!has_properties) {
        list[n++] = OPENCL_QUEUE_PROPERTIES;
        list[n++] = more;
    }
    list[n] = 0;
    return opencl_next_clCreateCommandQueueWithProperties(made->context, made->device, list, code);
}

/* False: the list is longer than any known list, and left alone. */
static bool read_list(struct opencl_made *made, const uint64_t *list)
{
    enum { PAIR = 2 };
    uint32_t n = 0;
    for (; list && list[n]; n += PAIR) {
        if (n + PAIR >= OPENCL_LIST_WORDS)
            return false;
        made->list[n] = list[n];
        made->list[n + 1] = list[n + 1];
        if (list[n] == OPENCL_QUEUE_PROPERTIES)
            made->properties = list[n + 1];
    }
    made->list[n] = 0;
    made->words = list ? n + 1 : 0;
    return true;
}

void *opencl_clCreateCommandQueue(struct spur_loc *loc, void *context, void *device,
                                  uint64_t properties, void *code)
{
    struct opencl_made made = {.context = context, .device = device, .properties = properties};
    int32_t result = OPENCL_SUCCESS;
    (void)loc;
    void *queue = make_plain(&made, OPENCL_QUEUE_PROFILING, &result);
    made.is_bare = !queue;
    if (!queue)
        queue = make_plain(&made, 0, &result);
    if (queue)
        opencl_queue_made(queue, &made);
    if (code)
        *(int32_t *)code = result;
    return queue;
}

void *opencl_clCreateCommandQueueWithProperties(struct spur_loc *loc, void *context, void *device,
                                                void *properties, void *code)
{
    struct opencl_made made = {.context = context, .device = device, .has_list = true};
    int32_t result = OPENCL_SUCCESS;
    (void)loc;
    bool is_known = read_list(&made, properties) && !(made.properties & OPENCL_QUEUE_ON_DEVICE);
    if (!is_known)
        return opencl_next_clCreateCommandQueueWithProperties(context, device, properties, code);
    void *queue = make_listed(&made, OPENCL_QUEUE_PROFILING, &result);
    made.is_bare = !queue;
    if (!queue)
        queue =
            opencl_next_clCreateCommandQueueWithProperties(context, device, properties, &result);
    if (queue)
        opencl_queue_made(queue, &made);
    if (code)
        *(int32_t *)code = result;
    return queue;
}

/* ---- questions about queues ---- */

/*
 * Events held by nobody but spur count as references of their queue and context. So finished events
 * are let go of before the library counts, also while nothing is recorded.
 */
static void let_go(struct spur_loc *loc)
{
    struct spur_loc *own = loc ? NULL : spur_begin(SPUR_FAMILY_OPENCL, true);
    if (loc || own)
        device_settle_all();
    if (own)
        spur_end(own);
}

int32_t opencl_clGetContextInfo(struct spur_loc *loc, void *context, uint32_t what, size_t size,
                                void *value, void *size_ret)
{
    if (what == OPENCL_CONTEXT_REFERENCE_COUNT)
        let_go(loc);
    return opencl_next_clGetContextInfo(context, what, size, value, size_ret);
}

/* Does the library know the lists of queues? Libraries before OpenCL 3.0 do not. */
static bool knows_lists(void *queue)
{
    size_t bytes;
    return opencl_next_clGetCommandQueueInfo(queue, OPENCL_QUEUE_PROPERTIES_ARRAY, 0, NULL,
                                             &bytes) == OPENCL_SUCCESS;
}

/*
 * Answers like the library: with the size if the caller asks for the size, and an error if the room
 * is too small.
 */
static int32_t answer_list(const struct opencl_made *made, size_t size, void *value,
                           size_t *size_ret)
{
    size_t bytes = made->words * sizeof made->list[0];
    if (value && size < bytes)
        return OPENCL_INVALID_VALUE;
    if (value && bytes)
        memcpy(value, made->list, bytes);
    if (size_ret)
        *size_ret = bytes;
    return OPENCL_SUCCESS;
}

int32_t opencl_clGetCommandQueueInfo(struct spur_loc *loc, void *queue, uint32_t what, size_t size,
                                     void *value, void *size_ret)
{
    const struct opencl_queue *q = opencl_queue_find(queue);
    const struct opencl_made *made = q ? opencl_queue_how(q) : NULL;
    if (what == OPENCL_QUEUE_REFERENCE_COUNT)
        let_go(loc);
    bool is_changed = made && !made->is_bare;
    if (is_changed && what == OPENCL_QUEUE_PROPERTIES_ARRAY && made->has_list && knows_lists(queue))
        return answer_list(made, size, value, size_ret);
    int32_t result = opencl_next_clGetCommandQueueInfo(queue, what, size, value, size_ret);
    if (is_changed && what == OPENCL_QUEUE_PROPERTIES && result == OPENCL_SUCCESS && value &&
        !(made->properties & OPENCL_QUEUE_PROFILING))
        *(uint64_t *)value &= ~(uint64_t)OPENCL_QUEUE_PROFILING;
    return result;
}

int32_t opencl_clSetCommandQueueProperty(struct spur_loc *loc, void *queue, uint64_t properties,
                                         uint32_t enable, void *old_properties)
{
    struct opencl_queue *q = opencl_queue_find(queue);
    uint64_t before = q ? opencl_queue_how(q)->properties : 0;
    (void)loc;
    int32_t result =
        opencl_next_clSetCommandQueueProperty(queue, properties, enable, old_properties);
    if (q && result == OPENCL_SUCCESS) {
        opencl_queue_switched(q, properties, enable);
        if (old_properties)
            *(uint64_t *)old_properties = before;
    }
    return result;
}

int32_t opencl_clRetainCommandQueue(struct spur_loc *loc, void *queue)
{
    int32_t result = opencl_next_clRetainCommandQueue(queue);
    struct opencl_queue *q = result == OPENCL_SUCCESS ? opencl_queue_find(queue) : NULL;
    (void)loc;
    if (q)
        opencl_queue_retained(q);
    return result;
}

/* Afterwards the handle may mean another queue at once. */
int32_t opencl_clReleaseCommandQueue(struct spur_loc *loc, void *queue)
{
    struct opencl_queue *q = opencl_queue_find(queue);
    struct device_stream *stream = loc && q ? opencl_queue_stream(q) : NULL;
    if (stream)
        device_collect(stream);
    if (q)
        opencl_queue_released(q);
    return opencl_next_clReleaseCommandQueue(queue);
}

/* ---- events ---- */

/* A pending event has one reference of spur's. */
int32_t opencl_clGetEventInfo(struct spur_loc *loc, void *event, uint32_t what, size_t size,
                              void *value, void *size_ret)
{
    if (what == OPENCL_EVENT_REFERENCE_COUNT && loc)
        device_collect_all();
    int32_t result = opencl_next_clGetEventInfo(event, what, size, value, size_ret);
    if (result != OPENCL_SUCCESS || !value)
        return result;
    if (what == OPENCL_EVENT_REFERENCE_COUNT && device_holds(event))
        *(uint32_t *)value -= 1;
    if (what == OPENCL_EVENT_STATUS && loc && *(const int32_t *)value == OPENCL_COMPLETE)
        device_collect_all();
    return result;
}

static bool is_unprofiled(void *event)
{
    void *queue = NULL;
    (void)opencl_next_clGetEventInfo(event, OPENCL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
    const struct opencl_queue *q = queue ? opencl_queue_find(queue) : NULL;
    const struct opencl_made *made = q ? opencl_queue_how(q) : NULL;
    return made && !made->is_bare && !(made->properties & OPENCL_QUEUE_PROFILING);
}

int32_t opencl_clGetEventProfilingInfo(struct spur_loc *loc, void *event, uint32_t what,
                                       size_t size, void *value, void *size_ret)
{
    (void)loc;
    if (event && is_unprofiled(event))
        return OPENCL_PROFILING_NOT_AVAILABLE;
    return opencl_next_clGetEventProfilingInfo(event, what, size, value, size_ret);
}

/* ---- where the program waits ---- */

int32_t opencl_clFinish(struct spur_loc *loc, void *queue)
{
    int32_t result = opencl_next_clFinish(queue);
    struct opencl_queue *q = loc ? opencl_queue_find(queue) : NULL;
    struct device_stream *stream = q ? opencl_queue_stream(q) : NULL;
    if (stream)
        device_collect(stream);
    return result;
}

int32_t opencl_clWaitForEvents(struct spur_loc *loc, uint32_t n, void *list)
{
    int32_t result = opencl_next_clWaitForEvents(n, list);
    if (loc)
        device_collect_all();
    return result;
}

int32_t opencl_clReleaseContext(struct spur_loc *loc, void *context)
{
    if (loc)
        device_collect_all();
    return opencl_next_clReleaseContext(context);
}
