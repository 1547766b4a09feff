/* SPDX-License-Identifier: BSD-3-Clause */
/* A CUPTI of the tests' own (fake_cuda.h): libcupti.so.13. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fake_driver.h"

enum { MOST = 1 << 20, DOMAINS = 4, NUMBERS = 64, RECORD_BYTES = 160, SMALL = 4 };
enum { KERNEL = 10, DEVICE = 8, MOVE = 25, MEMORY = 49, THRASHING = 5 };
enum { MOVE_KINDS = 16, MOVE_DEVICES = 4, HAS_STARTED = 5, NOT_READY = 13 };

typedef void callback(void *data, int domain, uint32_t number, const void *call);
typedef void request(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    callback *call;
    request *request;
    complete *complete;
    uint64_t (*clock)(void);
    char is_on[DOMAINS][NUMBERS];
    char has_kind[64];
    char has_move[MOVE_DEVICES][MOVE_KINDS];
    struct fake_work *work; /* not yet handed over */
    unsigned n, made;
    size_t dropped;
    pthread_t worker;
    int has_worker, has_started;
    uint8_t *next; /* the next buffer, if requested ahead */
    size_t next_bytes;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static int is(const char *word)
{
    const char *list = getenv("FAKE_CUPTI");
    return list && strstr(list, word);
}

static uint64_t ns_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t own_now(void)
{
    return all.clock ? all.clock() : ns_of(CLOCK_REALTIME);
}

/* ---- records ---- */

static void put(uint8_t *record, size_t at, const void *value, size_t bytes)
{
    memcpy(record + at, value, bytes);
}

#define PUT(at, type, value)                                                                       \
    do {                                                                                           \
        type put_ = (type)(value);                                                                 \
        put(r, at, &put_, sizeof put_);                                                            \
    } while (0)

static void put_where(uint8_t *r, size_t at, const struct fake_work *w, size_t correlation)
{
    PUT(at, uint32_t, w->device);
    PUT(at + 4, uint32_t, w->context);
    PUT(at + 8, uint32_t, w->stream);
    PUT(correlation, uint32_t, w->correlation);
}

static void put_times(uint8_t *r, size_t at, const struct fake_work *w, int64_t shift)
{
    if (w->end > ns_of(CLOCK_MONOTONIC))
        return; /* the work goes on */
    PUT(at, uint64_t, w->begin + (uint64_t)shift);
    PUT(at + 8, uint64_t, w->end + (uint64_t)shift);
}

static void put_graph(uint8_t *r, size_t node, size_t graph, const struct fake_work *w)
{
    PUT(node, uint64_t, w->node);
    PUT(graph, uint32_t, w->graph);
}

static void put_kernel(uint8_t *r, const struct fake_work *w)
{
    PUT(6, uint16_t, 42);
    put_where(r, 40, w, 92);
    for (int i = 0; i < 3; i++) {
        PUT(52 + 4 * i, int32_t, i ? 1 : w->grid);
        PUT(64 + 4 * i, int32_t, i ? 1 : w->block);
    }
    PUT(80, int32_t, w->shared);
    PUT(104, const char *, w->name);
    put_graph(r, 144, 156, w);
}

static void make_record(uint8_t *r, const struct fake_work *w, int64_t shift)
{
    memset(r, 0, RECORD_BYTES);
    PUT(0, uint32_t, w->kind);
    switch (w->kind) {
    case KERNEL:
        put_times(r, 16, w, shift);
        put_kernel(r, w);
        break;
    case 1:
    case 22:
        put_times(r, 16, w, shift);
        PUT(4, uint8_t, w->copy);
        PUT(5, uint8_t, w->is_pageable ? 1 : 2);
        PUT(6, uint8_t, 3);
        PUT(8, uint64_t, w->bytes);
        put_where(r, 32, w, w->kind == 1 ? 44 : 60);
        put_graph(r, w->kind == 1 ? 64 : 72, w->kind == 1 ? 72 : 80, w);
        break;
    case 2:
        put_times(r, 16, w, shift);
        PUT(8, uint64_t, w->bytes);
        put_where(r, 32, w, 44);
        put_graph(r, 64, 72, w);
        break;
    case 38:
        put_times(r, 8, w, shift);
        PUT(4, uint32_t, w->copy);
        PUT(24, uint32_t, w->correlation);
        PUT(28, uint32_t, w->context);
        break;
    case MOVE:
        put_times(r, 16, w, shift);
        PUT(4, uint32_t, w->copy);
        PUT(8, uint64_t, w->bytes);
        PUT(40, uint32_t, w->device);
        PUT(44, uint32_t, w->context);
        PUT(52, uint32_t, w->stream);
        break;
    case MEMORY:
        PUT(4, uint32_t, w->copy + 1);
        PUT(8, uint32_t, w->is_pageable);
        PUT(12, uint32_t, w->correlation);
        PUT(16, uint64_t, w->node);
        PUT(24, uint64_t, w->bytes);
        PUT(32, uint64_t, w->begin + (uint64_t)shift);
        PUT(52, uint32_t, w->device);
        PUT(56, uint32_t, w->context);
        break;
    case DEVICE:
        PUT(112, uint32_t, w->device);
        PUT(136, const char *, "Fake GPU");
        break;
    }
}

/* ---- handing over ---- */

/* Takes up to `room` pieces of work that are due. The lock is held. */
static unsigned take(struct fake_work *to, unsigned room, int is_last)
{
    const uint64_t now = ns_of(CLOCK_MONOTONIC);
    unsigned n = 0, kept = 0;
    for (unsigned i = 0; i < all.n; i++) {
        int is_late = is("late") && all.work[i].correlation % 5 == 0 &&
                      (all.work[i].kind == KERNEL || all.work[i].kind == MEMORY);
        if (n < room && (is_last || (all.work[i].end <= now && !is_late)))
            to[n++] = all.work[i];
        else
            all.work[kept++] = all.work[i];
    }
    all.n = kept;
    return n;
}

/*
 * The shift from the driver's clock to the records' clock. A reading that waited for its processor
 * tells little: the closest of a few readings counts, and only if it contradicts the known shift.
 * So the distances between works of a stream stay, whichever buffers carry the works.
 */
static int64_t known_shift(void)
{
    enum { TRIES = 16 };
    static int64_t shift;
    int64_t least = 0, most = 0;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = ns_of(CLOCK_MONOTONIC), now = own_now();
        const uint64_t after = ns_of(CLOCK_MONOTONIC);
        if (i == 0 || (int64_t)(after - before) < most - least) {
            least = (int64_t)(now - after);
            most = (int64_t)(now - before);
        }
    }
    if (shift < least || shift > most)
        shift = least + (most - least) / 2;
    return shift;
}

/* One thread at a time: a flush hands over all, also the records about to go by another thread. */
static void hand_over(int is_last)
{
    static pthread_mutex_t handing = PTHREAD_MUTEX_INITIALIZER;
    unsigned n = 0, room = 0;
    pthread_mutex_lock(&handing);
    if (is("alarm") && syscall(SYS_gettid) == getpid())
        raise(SIGALRM);
    do {
        uint8_t *buffer = NULL;
        size_t bytes = 0, most = 0;
        if (!all.request)
            break;
        if (all.next) {
            buffer = all.next;
            bytes = all.next_bytes;
            all.next = NULL;
        } else {
            all.request(&buffer, &bytes, &most);
        }
        room = (unsigned)(bytes / RECORD_BYTES);
        if (is("small") && room > SMALL)
            room = SMALL;
        struct fake_work *taken = calloc(room + 1, sizeof *taken);
        pthread_mutex_lock(&all.lock);
        n = take(taken, room, is_last);
        pthread_mutex_unlock(&all.lock);
        int64_t shift = known_shift();
        for (unsigned i = 0; i < n; i++)
            make_record(buffer + (size_t)i * RECORD_BYTES, &taken[is("reverse") ? n - 1 - i : i],
                        shift);
        free(taken);
        if (is("ahead"))
            all.request(&all.next, &all.next_bytes, &most);
        all.complete(NULL, 0, buffer, bytes, (size_t)n * RECORD_BYTES);
    } while (room && n == room);
    pthread_mutex_unlock(&handing);
}

static void *work_on(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&all.lock);
        while (all.n < SMALL)
            pthread_cond_wait(&all.wake, &all.lock);
        pthread_mutex_unlock(&all.lock);
        hand_over(0);
        usleep(100);
    }
    return unused;
}

/* ---- from the driver ---- */

static const char *name_of(int domain, uint32_t number)
{
#define FAKE_CALL(domain_, number_, name)                                                          \
    if (domain == domain_ && number == number_)                                                    \
        return #name;
    FAKE_CALLS(FAKE_CALL)
#undef FAKE_CALL
    return NULL;
}

static void tell_call(int domain, uint32_t number, uint32_t correlation, const int *result)
{
    uint8_t record[72] = {0}, *r = record;
    if (!all.call || !all.is_on[domain][number])
        return;
    PUT(0, uint32_t, result != NULL);
    PUT(8, const char *, name_of(domain, number));
    PUT(24, const int *, result);
    PUT(64, uint32_t, correlation);
    all.call(NULL, domain, number, record);
}

static void tell_resource(uint32_t number)
{
    all.has_started |= number == HAS_STARTED;
    if (all.call && all.is_on[3][number])
        all.call(NULL, 3, number, NULL);
}

/* The devices of thrashing are a set. */
static uint32_t device_of(const struct fake_work *move)
{
    return move->copy == THRASHING ? (uint32_t)__builtin_ctz(move->device) : move->device;
}

static void tell_work(const struct fake_work *work)
{
    if (!all.has_kind[work->kind])
        return;
    if (work->kind == MOVE && (!all.has_started || !all.has_move[device_of(work)][work->copy]))
        return;
    pthread_mutex_lock(&all.lock);
    if (!all.work)
        all.work = calloc(MOST, sizeof *all.work);
    all.made++;
    if (is("drop") && all.made % 7 == 0) {
        all.dropped++;
    } else if (all.n < MOST) {
        all.work[all.n++] = *work;
        if (all.has_worker)
            pthread_cond_signal(&all.wake);
    }
    pthread_mutex_unlock(&all.lock);
}

extern const struct fake_cupti fake_cupti;
const struct fake_cupti fake_cupti = {tell_call, tell_work, tell_resource};

/* ---- the interface ---- */

struct wanted {
    int scope, kind;
    uint32_t device, is_on;
};

int cuptiGetVersion(uint32_t *version);
int cuptiGetTimestamp(uint64_t *now);
int cuptiSubscribe(void **subscriber, callback *call, void *data);
int cuptiSubscribe_v2(void **subscriber, callback *call, void *data, void *params);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t is_on, void *subscriber, int domain, uint32_t number);
int cuptiGetCallbackName(int domain, uint32_t number, const char **name);
int cuptiActivityRegisterCallbacks(request *asks, complete *completes);
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityConfigureUnifiedMemoryCounter(const struct wanted *wanted, uint32_t n);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void));
int cuptiGetResultString(int result, const char **text);
int cuptiGetContextId(CUcontext context, uint32_t *id);
int cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t is_of_thread, uint32_t *id);

int cuptiGetContextId(CUcontext context, uint32_t *id)
{
    *id = context->id;
    return 0;
}

int cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t is_of_thread, uint32_t *id)
{
    (void)is_of_thread;
    *id = stream ? stream->id : context->first->id;
    return 0;
}

int cuptiGetVersion(uint32_t *version)
{
    *version = 130001;
    return 0;
}

int cuptiGetTimestamp(uint64_t *now)
{
    *now = own_now();
    return 0;
}

int cuptiSubscribe(void **subscriber, callback *call, void *data)
{
    (void)data;
    if (is("taken"))
        return 39;
    if (is("broken"))
        return 15;
    if (all.call)
        return 39;
    all.call = call;
    *subscriber = &all;
    if (is("small") && !all.has_worker)
        all.has_worker = pthread_create(&all.worker, NULL, work_on, NULL) == 0;
    return 0;
}

int cuptiSubscribe_v2(void **subscriber, callback *call, void *data, void *params)
{
    (void)params;
    return cuptiSubscribe(subscriber, call, data);
}

int cuptiUnsubscribe(void *subscriber)
{
    if (subscriber != &all || !all.call)
        return 1;
    all.call = NULL;
    memset(all.is_on, 0, sizeof all.is_on);
    return 0;
}

int cuptiEnableCallback(uint32_t is_on, void *subscriber, int domain, uint32_t number)
{
    if (subscriber != &all || domain >= DOMAINS || number >= NUMBERS)
        return 1;
    all.is_on[domain][number] = (char)is_on;
    return 0;
}

int cuptiGetCallbackName(int domain, uint32_t number, const char **name)
{
    *name = name_of(domain, number);
    return *name ? 0 : 1;
}

int cuptiActivityRegisterCallbacks(request *asks, complete *completes)
{
    all.request = asks;
    all.complete = completes;
    return 0;
}

int cuptiActivityEnable(int kind)
{
    const struct fake_work device = {.kind = DEVICE};
    if (kind == MOVE && !all.has_started)
        return NOT_READY;
    all.has_kind[kind] = 1;
    if (kind == DEVICE)
        tell_work(&device);
    return 0;
}

int cuptiActivityConfigureUnifiedMemoryCounter(const struct wanted *wanted, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (wanted[i].scope != 1 || wanted[i].device >= MOVE_DEVICES ||
            wanted[i].kind >= MOVE_KINDS)
            return 1;
        all.has_move[wanted[i].device][wanted[i].kind] = (char)wanted[i].is_on;
    }
    return 0;
}

int cuptiActivityDisable(int kind)
{
    all.has_kind[kind] = 0;
    return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + RECORD_BYTES : buffer;
    if (next + RECORD_BYTES > buffer + bytes)
        return 12;
    *record = next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    (void)context;
    (void)stream;
    pthread_mutex_lock(&all.lock);
    *n = all.dropped;
    all.dropped = 0;
    pthread_mutex_unlock(&all.lock);
    return 0;
}

int cuptiActivityFlushAll(uint32_t flags)
{
    while ((flags & 1) && is("stuck"))
        pause();
    hand_over(flags & 1);
    return 0;
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void))
{
    if (is("oldclock"))
        return 1;
    all.clock = now;
    return 0;
}

int cuptiGetResultString(int result, const char **text)
{
    *text = result == 15 ? "CUPTI_ERROR_NOT_INITIALIZED" : "?";
    return 0;
}
