/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices: their names, their streams, and their clocks, which count in few bits. */
#include <sched.h>
#include <stdio.h>

#include "wrappers/levelzero/levelzero.h"

enum { NAME_BYTES = 320, NS = 1000000000 };

/* So old may a reading of the clock be when an event is asked. */
enum { READING_NS = 100000000 };

/* ---- devices ---- */

static void name_device(const struct levelzero_device *device, const char *called, char *name)
{
    if (device->part)
        (void)snprintf(name, NAME_BYTES, "%s (device %u, part %u)", called, device->number - 1,
                       device->part - 1);
    else if (device->number)
        (void)snprintf(name, NAME_BYTES, "%s (device %u)", called, device->number - 1);
    else
        (void)snprintf(name, NAME_BYTES, "%s", called);
}

static uint64_t mask_of(uint32_t bits)
{
    enum { WORD_BITS = 64 };
    return bits && bits < WORD_BITS ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Drivers before 1.2 know the older kind only. */
static bool ask(struct levelzero_device *device, struct levelzero_device_properties *is)
{
    *is = (struct levelzero_device_properties){.kind = LEVELZERO_DEVICE_PROPERTIES_1_2};
    bool is_new = next_Device_GetProperties(device->object.handle, is) == LEVELZERO_SUCCESS;
    if (!is_new) {
        *is = (struct levelzero_device_properties){.kind = LEVELZERO_DEVICE_PROPERTIES};
        if (next_Device_GetProperties(device->object.handle, is) != LEVELZERO_SUCCESS)
            return false;
    }
    is->name[LEVELZERO_DEVICE_NAME - 1] = '\0';
    device->numerator = is_new ? NS : is->timer;
    device->denominator = is_new ? is->timer : 1;
    device->has_clock = is->timer;
    device->mask = mask_of(is->clock_bits);
    device->kernel_mask = mask_of(is->kernel_clock_bits) & device->mask;
    return true;
}

static void make_context(void *data)
{
    struct levelzero_device *device = data;
    struct levelzero_device_properties is;
    char name[NAME_BYTES];
    bool is_known = ask(device, &is);
    name_device(device, is_known && is.name[0] ? is.name : "Level Zero device", name);
    atomic_store(&device->context,
                 device_context_of(&levelzero_runtime, device->object.handle, NULL, name));
}

struct device_context *levelzero_device_context(struct levelzero_device *device)
{
    if (!atomic_load(&device->context))
        spur_on_own_stack(make_context, device);
    return atomic_load(&device->context);
}

/* ---- streams ---- */

static struct device_stream *take_stream(const struct levelzero_queue *queue)
{
    struct device_context *context = levelzero_device_context(queue->device);
    return context ? device_stream_take(context, queue->is_in_order) : NULL;
}

/* Made by one of the threads that first give work to it; the others wait. */
struct device_stream *levelzero_stream(struct levelzero_queue *queue)
{
    const uint64_t is_ready = 2 * (uint64_t)device_generation();
    uint64_t ready = atomic_load(&queue->ready);
    while (ready != is_ready) {
        if (ready == is_ready + 1) {
            sched_yield();
            ready = atomic_load(&queue->ready);
        } else if (atomic_compare_exchange_weak(&queue->ready, &ready, is_ready + 1)) {
            atomic_store(&queue->stream, take_stream(queue));
            atomic_store(&queue->ready, is_ready);
            ready = is_ready;
        }
    }
    return atomic_load(&queue->stream);
}

void levelzero_stream_end(struct levelzero_queue *queue)
{
    struct device_stream *stream = atomic_exchange(&queue->stream, NULL);
    if (stream)
        device_stream_give(stream);
}

/* ---- the clock ---- */

static uint64_t ns_of(const struct levelzero_device *device, uint64_t cycles)
{
    uint64_t whole = cycles / device->denominator, rest = cycles % device->denominator;
    return whole * device->numerator + rest * device->numerator / device->denominator;
}

static uint64_t cycles_of(const struct levelzero_device *device, uint64_t ns)
{
    uint64_t whole = ns / device->numerator, rest = ns % device->numerator;
    return whole * device->denominator + rest * device->denominator / device->numerator;
}

/*
 * The clock may have gone round since the last reading, more than once: the host's clock says how
 * often. Bits beyond the mask say nothing.
 */
static uint64_t without_end(const struct levelzero_device *device, uint64_t cycles, uint64_t now)
{
    if (!device->read)
        return cycles & device->mask;
    uint64_t expected = device->cycles + cycles_of(device, now - device->read);
    uint64_t ahead = (cycles - expected) & device->mask;
    bool is_behind = ahead > device->mask / 2;
    return is_behind ? expected - (device->mask - ahead + 1) : expected + ahead;
}

static bool read_clock(struct levelzero_device *device)
{
    uint64_t host = 0, cycles = 0;
    uint64_t least = device_host_ns();
    if (device->read && least - device->read < READING_NS)
        return true;
    if (next_Device_GetGlobalTimestamps(device->object.handle, &host, &cycles) != LEVELZERO_SUCCESS)
        return false;
    uint64_t most = device_host_ns();
    device->cycles = without_end(device, cycles, most);
    device->read = most;
    device_clock_told(atomic_load(&device->context), ns_of(device, device->cycles), least, most);
    return true;
}

/* Times of events have fewer bits; they lie before the last reading, or shortly after it. */
bool levelzero_device_times(struct levelzero_device *device, const struct levelzero_times *cycles,
                            struct device_times *times)
{
    enum { PARTS = 16 };
    if (!device->has_clock || !read_clock(device))
        return false;
    const uint64_t mask = device->kernel_mask;
    uint64_t ahead = (cycles->end - device->cycles) & mask;
    uint64_t end = ahead < mask / PARTS ? device->cycles + ahead
                                        : device->cycles - ((device->cycles - cycles->end) & mask);
    times->queued = 0;
    times->end = ns_of(device, end);
    times->begin = ns_of(device, end - ((cycles->end - cycles->begin) & mask));
    return true;
}
