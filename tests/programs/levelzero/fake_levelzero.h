/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the driver share; they are one file to the compiler. See fake_driver.c. */
#ifndef TESTS_FAKE_LEVELZERO_H
#define TESTS_FAKE_LEVELZERO_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include "../device_truth.h"

#define NS UINT64_C(1000000000)
#define HZ UINT64_C(19200000)
#define OLD_NS_CYCLE UINT64_C(52)
enum { CLOCK_BITS = 36, KERNEL_BITS = 28, DEVICES = 2, PARTS = 2, POOL_FLAG_IN_ORDER = 2 };
enum { NAME_BYTES = 2048, PIXEL_BYTES = 4 };
#define SOON (NS / 4)

struct context {
    int objects; /* pools, events, queues, lists */
};

struct device {
    unsigned number, part;
};

struct pool {
    struct context *context;
    uint32_t flags, n;
    int events;
};

struct event {
    struct pool *pool;
    uint64_t begin, end; /* signalled from `end` on, by the host's clock; UINT64_MAX: not */
    uint64_t reset;      /* until then */
};

/* What is done, as the truth says it (../device_truth.h). */
enum { KERNEL, COPY, FILLING, OF_IMAGE };

struct command {
    enum { WORK, BARRIER, RESET, SIGNAL } kind;
    int what;
    unsigned items;
    char name[NAME_BYTES]; /* of the kernel, or the kinds of memory */
    uint64_t took;
    void *to;
    const void *from;
    size_t bytes;
    struct event *event;
    uint32_t n;
    struct event *waits[4];
};

struct queue {
    struct context *context;
    unsigned device;
    bool is_in_order;
    uint64_t barrier, last;
};

struct list {
    struct queue queue;
    bool is_immediate, is_closed;
    unsigned n;
    struct command command[256];
};

struct fence {
    struct queue *queue;
    uint64_t end;
};

struct module {
    struct context *context;
};

struct kernel {
    char name[NAME_BYTES];
    unsigned items; /* of a group */
    uint64_t took;
};

struct image {
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device devices[DEVICES] = {{0, 0}, {1, 0}};
static struct device parts[PARTS] = {{1, 1}, {1, 2}};
static char driver;
static uint64_t first;

static bool has(const char *word)
{
    const char *text = getenv("FAKE_LEVELZERO");
    return text && strstr(text, word);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / NS), (long)(ns % NS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        ;
}

#endif
