/* SPDX-License-Identifier: BSD-3-Clause */
/* What is appended and handed over; kernels, memory and images. Part of fake_driver.c. */
#ifndef TESTS_FAKE_WORKS_H
#define TESTS_FAKE_WORKS_H

#include "fake_objects.h"

/* ---- what is given ---- */

static void run(struct queue *queue, const struct command *command)
{
    const uint64_t given = now();
    uint64_t begin = given;
    uint64_t after =
        queue->is_in_order || (command->kind != WORK && !command->n) ? queue->last : queue->barrier;
    begin = begin > after ? begin : after;
    for (uint32_t i = 0; i < command->n; i++)
        if (command->waits[i]->end != UINT64_MAX && command->waits[i]->end > begin)
            begin = command->waits[i]->end;
    uint64_t end = begin + command->took;
    if (command->kind == WORK)
        tell_truth(&(struct truth){.kind = command->what,
                                   .device = queue->device,
                                   .begin = begin,
                                   .end = end,
                                   .given = given,
                                   .bytes = command->bytes,
                                   .items = command->items,
                                   .name = command->name[0] ? command->name : NULL});
    if (command->kind == BARRIER)
        queue->barrier = end;
    if (command->kind == RESET)
        command->event->reset = end;
    else
        signal_event(command->event, begin, end);
    queue->last = end > queue->last ? end : queue->last;
    if (command->from)
        memcpy(command->to, command->from, command->bytes);
}

static ze_result_t append(ze_command_list_handle_t list, struct command command, uint32_t n,
                          ze_event_handle_t *waits)
{
    struct list *l = (struct list *)list;
    if (n > 4 || (!l->is_immediate && (l->n == 256 || l->is_closed)))
        return ZE_RESULT_ERROR_INVALID_SIZE;
    command.n = n;
    for (uint32_t i = 0; i < n; i++)
        command.waits[i] = (struct event *)waits[i];
    pthread_mutex_lock(&lock);
    if (l->is_immediate)
        run(&l->queue, &command);
    else
        l->command[l->n++] = command;
    pthread_mutex_unlock(&lock);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t execute(ze_command_queue_handle_t queue, uint32_t n,
                           ze_command_list_handle_t *lists, ze_fence_handle_t fence)
{
    struct queue *q = (struct queue *)queue;
    for (uint32_t i = 0; i < n; i++)
        if (!((struct list *)lists[i])->is_closed)
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < n; i++) {
        const struct list *l = (const struct list *)lists[i];
        q->barrier = q->last;
        for (unsigned c = 0; c < l->n; c++)
            run(q, &l->command[c]);
    }
    if (fence)
        ((struct fence *)fence)->end = q->last;
    pthread_mutex_unlock(&lock);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t wait_queue(ze_command_queue_handle_t queue, uint64_t timeout)
{
    (void)timeout;
    sleep_until(((struct queue *)queue)->last);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t make_fence(ze_command_queue_handle_t queue, const ze_fence_desc_t *how,
                              ze_fence_handle_t *fence)
{
    struct fence *f = new_object(NULL, sizeof *f, fence);
    (void)how;
    f->queue = (struct queue *)queue;
    f->end = UINT64_MAX;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_fence(ze_fence_handle_t fence)
{
    return end_object(NULL, fence);
}

static ze_result_t wait_fence(ze_fence_handle_t fence, uint64_t timeout)
{
    (void)timeout;
    sleep_until(((struct fence *)fence)->end);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t query_fence(ze_fence_handle_t fence)
{
    return ((struct fence *)fence)->end <= now() ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static ze_result_t reset_fence(ze_fence_handle_t fence)
{
    ((struct fence *)fence)->end = UINT64_MAX;
    return ZE_RESULT_SUCCESS;
}

#define EVENTS ze_event_handle_t event, uint32_t n, ze_event_handle_t *waits

static ze_result_t append_barrier(ze_command_list_handle_t list, EVENTS)
{
    return append(list, (struct command){.kind = BARRIER, .event = (struct event *)event}, n,
                  waits);
}

static ze_result_t append_reset(ze_command_list_handle_t list, ze_event_handle_t event)
{
    return append(list, (struct command){.kind = RESET, .event = (struct event *)event}, 0, NULL);
}

static ze_result_t append_signal(ze_command_list_handle_t list, ze_event_handle_t event)
{
    return append(list, (struct command){.kind = SIGNAL, .event = (struct event *)event}, 0, NULL);
}

static ze_result_t append_wait(ze_command_list_handle_t list, uint32_t n, ze_event_handle_t *waits)
{
    return append(list, (struct command){.kind = BARRIER}, n, waits);
}

/* ---- memory ---- */

static struct {
    char *at;
    size_t bytes;
    ze_memory_type_t type;
} blocks[64];

static ze_memory_type_t type_of(const void *at)
{
    ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < 64; i++)
        if (blocks[i].at && (const char *)at >= blocks[i].at &&
            (const char *)at < blocks[i].at + blocks[i].bytes)
            type = blocks[i].type;
    pthread_mutex_unlock(&lock);
    return type;
}

/* From one kind of memory to another one. */
static struct command copy_of(void *to, const void *from, ze_event_handle_t event)
{
    struct command command = {.what = COPY, .event = (struct event *)event};
    snprintf(command.name, sizeof command.name, "%d %d", (int)type_of(from), (int)type_of(to));
    return command;
}

static uint64_t copying(size_t bytes)
{
    return bytes + 5000;
}

static ze_result_t append_copy(ze_command_list_handle_t list, void *to, const void *from,
                               size_t bytes, EVENTS)
{
    struct command command = copy_of(to, from, event);
    command.took = copying(bytes);
    command.to = to;
    command.from = from;
    command.bytes = bytes;
    return append(list, command, n, waits);
}

static ze_result_t append_copy_from(ze_command_list_handle_t list, void *to,
                                    ze_context_handle_t context, const void *from, size_t bytes,
                                    EVENTS)
{
    (void)context;
    return append_copy(list, to, from, bytes, event, n, waits);
}

static ze_result_t append_fill(ze_command_list_handle_t list, void *to, const void *pattern,
                               size_t pattern_bytes, size_t bytes, EVENTS)
{
    if (pattern_bytes == 1)
        memset(to, *(const unsigned char *)pattern, bytes);
    return append(list,
                  (struct command){.what = FILLING,
                                   .took = copying(bytes),
                                   .bytes = bytes,
                                   .event = (struct event *)event},
                  n, waits);
}

static ze_result_t append_region(ze_command_list_handle_t list, void *to,
                                 const ze_copy_region_t *region, uint32_t pitch, uint32_t slice,
                                 const void *from, const ze_copy_region_t *from_region,
                                 uint32_t from_pitch, uint32_t from_slice, EVENTS)
{
    struct command command = copy_of(to, from, event);
    (void)pitch, (void)slice, (void)from_region, (void)from_pitch, (void)from_slice;
    command.took = copying(1);
    command.bytes = (size_t)region->width * region->height;
    return append(list, command, n, waits);
}

/* Named by what it is from and to. */
static ze_result_t append_image(ze_command_list_handle_t list, const char *name, size_t bytes,
                                EVENTS)
{
    struct command command = {.what = OF_IMAGE,
                              .took = copying(2),
                              .bytes = bytes,
                              .event = (struct event *)event};
    snprintf(command.name, sizeof command.name, "%s", name);
    return append(list, command, n, waits);
}

static ze_result_t append_image_copy(ze_command_list_handle_t list, ze_image_handle_t to,
                                     ze_image_handle_t from, EVENTS)
{
    (void)to;
    return append_image(list, "image image", ((struct image *)from)->bytes, event, n, waits);
}

static size_t bytes_of(ze_image_handle_t image, const ze_image_region_t *region)
{
    return region ? (size_t)region->width * region->height * region->depth * PIXEL_BYTES
                  : ((struct image *)image)->bytes;
}

static ze_result_t append_image_read(ze_command_list_handle_t list, void *to,
                                     ze_image_handle_t image, const ze_image_region_t *region,
                                     EVENTS)
{
    (void)to;
    return append_image(list, "image 0", bytes_of(image, region), event, n, waits);
}

static ze_result_t append_image_write(ze_command_list_handle_t list, ze_image_handle_t image,
                                      const void *from, const ze_image_region_t *region, EVENTS)
{
    (void)from;
    return append_image(list, "0 image", bytes_of(image, region), event, n, waits);
}

static ze_result_t append_kernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                 const ze_group_count_t *groups, EVENTS)
{
    if (groups->groupCountX == 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    const struct kernel *k = (const struct kernel *)kernel;
    struct command command = {.what = KERNEL,
                              .items = groups->groupCountX * groups->groupCountY *
                                       groups->groupCountZ * k->items,
                              .took = k->took,
                              .event = (struct event *)event};
    memcpy(command.name, k->name, sizeof command.name);
    return append(list, command, n, waits);
}

/* ---- modules, kernels, memory, images ---- */

static ze_result_t make_module(ze_context_handle_t context, ze_device_handle_t device,
                               const ze_module_desc_t *how, ze_module_handle_t *module,
                               ze_module_build_log_handle_t *log)
{
    (void)context, (void)device, (void)how, (void)log;
    new_object(NULL, sizeof(struct module), module);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_module(ze_module_handle_t module)
{
    return end_object(NULL, module);
}

/* A name may end in the time that it takes: "_5000us". */
static ze_result_t make_kernel(ze_module_handle_t module, const ze_kernel_desc_t *how,
                               ze_kernel_handle_t *kernel)
{
    struct kernel *k = new_object(NULL, sizeof *k, kernel);
    const char *time = strrchr(how->pKernelName, '_');
    (void)module;
    snprintf(k->name, sizeof k->name, "%s", how->pKernelName);
    k->items = 1;
    k->took = time && strstr(time, "us") ? strtoull(time + 1, NULL, 10) * 1000 : 20000;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_kernel(ze_kernel_handle_t kernel)
{
    return end_object(NULL, kernel);
}

static ze_result_t set_group_size(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
    ((struct kernel *)kernel)->items = x * y * z;
    return x && y && z ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
}

static ze_result_t get_name(ze_kernel_handle_t kernel, size_t *size, char *name)
{
    const struct kernel *k = (const struct kernel *)kernel;
    if (name)
        snprintf(name, *size, "%s", k->name);
    else
        *size = strlen(k->name) + 1;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t take(ze_memory_type_t type, size_t bytes, void **at)
{
    unsigned i = 0;
    pthread_mutex_lock(&lock);
    while (blocks[i].at)
        i++;
    blocks[i].at = *at = calloc(1, bytes);
    blocks[i].bytes = bytes;
    blocks[i].type = type;
    pthread_mutex_unlock(&lock);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t take_shared(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *how,
                               const ze_host_mem_alloc_desc_t *host, size_t bytes, size_t alignment,
                               ze_device_handle_t device, void **at)
{
    (void)context, (void)how, (void)host, (void)alignment, (void)device;
    return take(ZE_MEMORY_TYPE_SHARED, bytes, at);
}

static ze_result_t take_device(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *how,
                               size_t bytes, size_t alignment, ze_device_handle_t device, void **at)
{
    (void)context, (void)how, (void)alignment, (void)device;
    return take(ZE_MEMORY_TYPE_DEVICE, bytes, at);
}

static ze_result_t take_host(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *how,
                             size_t bytes, size_t alignment, void **at)
{
    (void)context, (void)how, (void)alignment;
    return take(ZE_MEMORY_TYPE_HOST, bytes, at);
}

static ze_result_t give_memory(ze_context_handle_t context, void *at)
{
    (void)context;
    for (unsigned i = 0; i < 64; i++)
        if (blocks[i].at == at)
            blocks[i].at = NULL;
    free(at);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t get_memory(ze_context_handle_t context, const void *at,
                              ze_memory_allocation_properties_t *is, ze_device_handle_t *device)
{
    (void)context, (void)device;
    is->type = type_of(at);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t make_image(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_image_desc_t *how, ze_image_handle_t *image)
{
    struct image *made = new_object(NULL, sizeof *made, image);
    (void)context, (void)device;
    made->bytes = (size_t)how->width * how->height * PIXEL_BYTES;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_image(ze_image_handle_t image)
{
    return end_object(NULL, image);
}

#endif
