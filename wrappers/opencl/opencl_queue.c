/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queues of the program, by their handles. An entry stays for good: if the library gives a
 * handle again, the handle has the same entry again. So the table is searched without a lock, also
 * in a child of fork(). An entry is filled in before the program gets the handle.
 */
#include <sched.h>
#include <stdlib.h>

#include "wrappers/device/device_names.h"
#include "wrappers/opencl/opencl.h"
#include "wrappers/opencl/opencl_api.h"

enum { CHAINS_BITS = 8, CHAINS = 1 << CHAINS_BITS, NAME_BYTES = 256 };

struct opencl_queue {
    struct opencl_queue *next; /* in the chain; never changes */
    const void *handle;
    struct opencl_made made;
    _Atomic uint32_t references; /* of the program */
    /* 2 * generation of the process of `stream`; + 1 while a thread makes the stream */
    _Atomic uint64_t ready;
    struct device_stream *_Atomic stream;
    _Atomic bool is_named; /* by the program: the queue shares no stream with queues before */
};

static struct opencl_queue *_Atomic chains[CHAINS];

static struct opencl_queue *_Atomic *chain_of(const void *handle)
{
    enum { SMALLEST = 4, WORD_BITS = 64 };
    uint64_t hash = ((uint64_t)(uintptr_t)handle >> SMALLEST) * 0x9e3779b97f4a7c15u;
    return &chains[hash >> (WORD_BITS - CHAINS_BITS)];
}

struct opencl_queue *opencl_queue_find(const void *queue)
{
    struct opencl_queue *q = atomic_load_explicit(chain_of(queue), memory_order_acquire);
    while (q && q->handle != queue)
        q = q->next;
    return q;
}

const struct opencl_made *opencl_queue_how(const struct opencl_queue *queue)
{
    return &queue->made;
}

static struct opencl_queue *add(const void *handle)
{
    struct opencl_queue *q = spur_mem_new(sizeof *q);
    if (!q)
        return NULL;
    q->handle = handle;
    q->next = atomic_load(chain_of(handle));
    while (!atomic_compare_exchange_weak(chain_of(handle), &q->next, q))
        ;
    return q;
}

/* Takes the program's name for a queue. */
static void name_opencl_queue(const void *handle, const char *name)
{
    struct opencl_queue *q = opencl_queue_find(handle);
    struct spur_loc *loc = q ? spur_begin(SPUR_FAMILY_OPENCL, true) : NULL;
    if (q)
        atomic_store(&q->is_named, true);
    struct device_stream *stream = loc ? opencl_queue_stream(q) : NULL;
    if (stream)
        device_stream_name(stream, name);
    if (loc)
        spur_end(loc);
}

__attribute__((constructor)) static void serve_names(void)
{
    device_namer_set(DEVICE_NAMED_OPENCL, name_opencl_queue);
}

/* Work still pending at the end of the process is looked at before the library tidies up. */
static void at_exit(void)
{
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_OPENCL, true);
    if (!loc)
        return;
    device_end();
    spur_end(loc);
}

void opencl_queue_made(void *queue, const struct opencl_made *made)
{
    static atomic_flag has_handler = ATOMIC_FLAG_INIT;
    struct opencl_queue *q = opencl_queue_find(queue);
    if (!q && !(q = add(queue)))
        return;
    q->made = *made;
    atomic_store(&q->is_named, false);
    atomic_store(&q->stream, NULL);
    atomic_store(&q->ready, 0);
    atomic_store(&q->references, 1);
    if (!atomic_flag_test_and_set(&has_handler))
        (void)atexit(at_exit);
}

/* ---- streams ---- */

static struct device_stream *take_stream(const struct opencl_made *made, bool is_named)
{
    char name[NAME_BYTES] = "OpenCL device";
    (void)opencl_next_clGetDeviceInfo(made->device, OPENCL_DEVICE_NAME, sizeof name, name, NULL);
    name[NAME_BYTES - 1] = '\0';
    struct device_context *context =
        device_context_of(&opencl_runtime, made->device, made->context, name);
    bool is_in_order = !(made->properties & OPENCL_QUEUE_OUT_OF_ORDER);
    if (!context)
        return NULL;
    return is_named ? device_stream_new(context, is_in_order)
                    : device_stream_take(context, is_in_order);
}

/*
 * The stream of a queue is made at the first work given to the queue, by one of the threads that
 * give work. All other threads wait, so that the queue has a single stream. A child of fork() makes
 * a stream of its own.
 */
struct device_stream *opencl_queue_stream(struct opencl_queue *queue)
{
    const uint64_t is_ready = 2 * (uint64_t)device_generation();
    if (queue->made.is_bare)
        return NULL;
    uint64_t ready = atomic_load(&queue->ready);
    while (ready != is_ready) {
        if (ready == is_ready + 1) {
            sched_yield();
            ready = atomic_load(&queue->ready);
        } else if (atomic_compare_exchange_weak(&queue->ready, &ready, is_ready + 1)) {
            atomic_store(&queue->stream, take_stream(&queue->made, atomic_load(&queue->is_named)));
            atomic_store(&queue->ready, is_ready);
            ready = is_ready;
        }
    }
    return atomic_load(&queue->stream);
}

void opencl_queue_switched(struct opencl_queue *queue, uint64_t properties, bool is_on)
{
    if (is_on)
        queue->made.properties |= properties;
    else
        queue->made.properties &= ~properties;
    if (properties & OPENCL_QUEUE_PROFILING)
        queue->made.is_bare = !is_on;
}

void opencl_queue_retained(struct opencl_queue *queue)
{
    atomic_fetch_add(&queue->references, 1);
}

void opencl_queue_released(struct opencl_queue *queue)
{
    if (atomic_fetch_sub(&queue->references, 1) != 1)
        return;
    struct device_stream *stream = atomic_exchange(&queue->stream, NULL);
    if (stream && atomic_load(&queue->ready) == 2 * (uint64_t)device_generation())
        device_stream_give(stream);
}
