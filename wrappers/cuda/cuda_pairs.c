/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work is timed by two of spur's events in the stream of the work. The driver tells only the time
 * between two events. So each context has a first event as the reference of all events, and the
 * time of the first event is a guess. Two facts correct the guess: an event comes after its call,
 * and before somebody finds the event done.
 *
 * Events are gone when their context is gone. So events are only asked in the context of the asking
 * thread, because that context lives. No event is put into a captured stream: the event would be
 * captured as well. To make an event, or to ask for an event, would break a capture of another
 * thread. The capture goes on if the asking thread says to have nothing to do with the capture.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrappers/cuda/cuda_driver.h"

enum { NAME_BYTES = 96, NS_OF_MS = 1000000, NS = 1000000000 };

struct cuda_pair {
    struct cuda_pair *next; /* of the free pairs */
    struct pair_context *context;
    void *begin, *end;  /* events */
    uint64_t called_ns; /* when `begin` was given */
};

struct pair_stream {
    struct pair_stream *next;
    void *_Atomic handle;
    struct device_stream *stream;
};

/* An entry stays for good. */
struct pair_context {
    struct pair_context *next;
    const void *handle;
    uint64_t id; /* no other context has the id; 0: the driver knows no id */
    int device;
    uint32_t generation;
    _Atomic bool is_gone;
    struct device_context *context;
    struct pair_stream *_Atomic streams;
    struct wrapper_lock lock; /* guards the members below */
    struct cuda_pair *free;
    void *first; /* the reference of all events; NULL: not yet made */
    uint64_t first_ns;
    int64_t ahead; /* lead of the host's clock over the clock of events */
    uint64_t at;   /* when `ahead` was corrected */
};

struct cuda_driver cuda_driver;

static struct pair_context *_Atomic contexts;
static struct wrapper_lock contexts_lock;
static uint32_t n_contexts;

/* The context whose events the thread may ask for. */
static _Thread_local const struct pair_context *asking_in;

static const struct device_runtime runtime;

/* ---- contexts ---- */

static struct pair_context *find_context(const void *handle, uint64_t id)
{
    struct pair_context *c = atomic_load(&contexts);
    while (c && (c->handle != handle || c->id != id || c->generation != device_generation() ||
                 atomic_load(&c->is_gone)))
        c = c->next;
    return c;
}

/* The lock is held. */
static struct pair_context *make_context(const void *handle, uint64_t id)
{
    enum { ROOM = 2 * NAME_BYTES };
    char device_name[NAME_BYTES] = "CUDA device", name[ROOM];
    int device = 0;
    struct pair_context *c =
        cuda_driver.cuCtxGetDevice(&device) == CUDA_OK ? spur_mem_new(sizeof *c) : NULL;
    if (!c)
        return NULL;
    (void)cuda_driver.cuDeviceGetName(device_name, sizeof device_name, device);
    device_name[sizeof device_name - 1] = '\0';
    uint32_t number = ++n_contexts;
    (void)snprintf(name, sizeof name, "%s (device %d, context %u)", device_name, device, number);
    *c = (struct pair_context){.handle = handle,
                               .id = id,
                               .device = device,
                               .generation = device_generation(),
                               .next = atomic_load(&contexts)};
    c->context = device_context_of(&runtime, (const void *)((uintptr_t)device + 1),
                                   (const void *)(uintptr_t)number, name);
    if (!c->context) {
        spur_mem_free(c, sizeof *c);
        return NULL;
    }
    device_clock_told(c->context, 1, 1, 1); /* times are given by the host's clock */
    atomic_store(&contexts, c);
    return c;
}

/* The context of the thread. NULL: the thread has no context. */
static struct pair_context *context_of_thread(bool is_made)
{
    void *handle = NULL;
    unsigned long long id = 0;
    if (!cuda_driver.cuCtxGetCurrent || cuda_driver.cuCtxGetCurrent(&handle) != CUDA_OK || !handle)
        return NULL;
    if (cuda_driver.cuCtxGetId && cuda_driver.cuCtxGetId(handle, &id) != CUDA_OK)
        return NULL;
    struct pair_context *c = find_context(handle, id);
    if (c || !is_made)
        return c;
    wrapper_lock_take(&contexts_lock);
    c = find_context(handle, id);
    if (!c)
        c = make_context(handle, id);
    wrapper_lock_give(&contexts_lock);
    return c;
}

/* ---- streams ---- */

static struct pair_stream *find_stream(const struct pair_context *c, const void *handle)
{
    struct pair_stream *s = atomic_load(&c->streams);
    while (s && atomic_load(&s->handle) != handle)
        s = s->next;
    return s;
}

/* A stream that is taken again has its entry from before. */
static struct pair_stream *entry_of(struct pair_context *c, struct device_stream *stream)
{
    struct pair_stream *s = atomic_load(&c->streams);
    while (s && s->stream != stream)
        s = s->next;
    if (s || !(s = spur_mem_new(sizeof *s)))
        return s;
    s->stream = stream;
    s->next = atomic_load(&c->streams);
    atomic_store(&c->streams, s);
    return s;
}

/* No stream has this address. */
static char no_stream;

static struct device_stream *stream_of(struct pair_context *c, void *handle)
{
    struct pair_stream *s = find_stream(c, handle);
    if (s)
        return s->stream;
    wrapper_lock_take(&c->lock);
    s = find_stream(c, handle);
    struct device_stream *stream = s ? s->stream : device_stream_take(c->context, true);
    if (!s && stream && (s = entry_of(c, stream)))
        atomic_store(&s->handle, handle);
    wrapper_lock_give(&c->lock);
    return s ? stream : NULL;
}

void cuda_pairs_stream_gone(void *stream)
{
    struct pair_context *c = context_of_thread(false);
    struct pair_stream *s = c ? find_stream(c, stream) : NULL;
    if (!s)
        return;
    atomic_store(&s->handle, &no_stream);
    device_stream_give(s->stream);
}

/* ---- events ---- */

/* Returns the thread's mode before. A second exchange restores the mode. */
static int exchange_mode(int mode)
{
    (void)cuda_driver.cuThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

static bool make_events(struct pair_context *c, struct cuda_pair *pair)
{
    const int before = exchange_mode(CUDA_CAPTURE_RELAXED);
    bool is_made = cuda_driver.cuEventCreate(&pair->begin, 0) == CUDA_OK &&
                   cuda_driver.cuEventCreate(&pair->end, 0) == CUDA_OK;
    if (is_made && !c->first && cuda_driver.cuEventCreate(&c->first, 0) != CUDA_OK)
        c->first = NULL;
    (void)exchange_mode(before);
    pair->context = c;
    return is_made && c->first;
}

static void give_back(struct cuda_pair *pair)
{
    struct pair_context *c = pair->context;
    wrapper_lock_take(&c->lock);
    pair->next = c->free;
    c->free = pair;
    wrapper_lock_give(&c->lock);
}

/* The first event is given before the first pair, in the same stream. The lock is held. */
static bool start_first(struct pair_context *c, void *stream)
{
    if (c->first_ns)
        return true;
    c->first_ns = c->at = device_host_ns();
    if (cuda_driver.cuEventRecord(c->first, stream) == CUDA_OK)
        return true;
    c->first_ns = 0;
    return false;
}

static struct cuda_pair *take_pair(struct pair_context *c, void *stream)
{
    wrapper_lock_take(&c->lock);
    struct cuda_pair *pair = c->free;
    if (pair) {
        c->free = pair->next;
    } else if ((pair = spur_mem_new(sizeof *pair)) && !make_events(c, pair)) {
        spur_mem_free(pair, sizeof *pair);
        pair = NULL;
    }
    bool is_ready = pair && start_first(c, stream);
    wrapper_lock_give(&c->lock);
    if (pair && !is_ready)
        give_back(pair);
    return is_ready ? pair : NULL;
}

/* ---- around a call ---- */

/* The default stream of a thread has a handle of its own. */
static void *handle_of(void *stream, bool is_per_thread)
{
    return !stream && is_per_thread ? (void *)(uintptr_t)CUDA_PER_THREAD : stream;
}

void cuda_pair_begin(struct cuda_given *given, struct spur_loc *loc, void *stream,
                     bool is_per_thread)
{
    int is_captured = 1;
    given->pair = NULL;
    given->handle = handle_of(stream, is_per_thread);
    if (!loc || atomic_load(&cuda_driver_mode) != CUDA_DRIVER_PAIRS || !cuda_is_here())
        return;
    struct pair_context *c = context_of_thread(true);
    if (!c || cuda_driver.cuStreamIsCapturing(given->handle, &is_captured) != CUDA_OK ||
        is_captured)
        return;
    given->stream = stream_of(c, given->handle);
    struct cuda_pair *pair = given->stream ? take_pair(c, given->handle) : NULL;
    if (!pair)
        return;
    given->launch = device_launch_begin(loc);
    pair->called_ns = device_host_ns();
    given->pair = pair;
    if (cuda_driver.cuEventRecord(pair->begin, given->handle) == CUDA_OK)
        return;
    cuda_pair_failed(given);
    given->pair = NULL;
}

void cuda_pair_end(struct cuda_given *given, const struct device_work *work)
{
    if (cuda_driver.cuEventRecord(given->pair->end, given->handle) != CUDA_OK) {
        device_count_lost(1);
        give_back(given->pair);
        return;
    }
    device_launch_end(&given->launch, given->stream, given->pair, work);
    if (device_is_long(given->stream))
        cuda_pairs_collect(true);
}

void cuda_pair_failed(struct cuda_given *given)
{
    give_back(given->pair);
}

/* ---- the outcome of the work ---- */

static enum device_state state_of(int result)
{
    return result == CUDA_OK          ? DEVICE_DONE
           : result == CUDA_NOT_READY ? DEVICE_PENDING
                                      : DEVICE_FAILED;
}

/*
 * A distance between events is a number of 24 bits, and long distances are coarse. So every second
 * a new event becomes the reference of all events. The lock is held.
 */
static void follow(struct pair_context *c, struct cuda_pair *pair, uint64_t end)
{
    if ((int64_t)(end - c->first_ns) < NS)
        return;
    void *event = c->first;
    c->first = pair->end;
    pair->end = event;
    c->first_ns = end;
}

/*
 * No event comes before its call. So the lead of the host's clock is the least that the calls of
 * all events allow, after the drift of both clocks. No event comes after somebody saw the event: so
 * the lead has a maximum, too. The lock is held.
 */
static void correct(struct pair_context *c, const struct cuda_pair *pair,
                    const struct device_times *times, uint64_t seen)
{
    enum { DRIFT = 20000 };
    const int64_t least = (int64_t)(pair->called_ns - times->begin);
    const int64_t most = (int64_t)(seen - times->end);
    if (pair->called_ns > c->at) {
        c->ahead -= (int64_t)((pair->called_ns - c->at) / DRIFT);
        c->at = pair->called_ns;
    }
    if (c->ahead < least)
        c->ahead = least;
    if (c->ahead > most)
        c->ahead = most;
}

static int read_times(struct pair_context *c, struct cuda_pair *pair, struct device_times *times)
{
    float since = 0, lasted = 0;
    const uint64_t seen = device_host_ns();
    wrapper_lock_take(&c->lock);
    int result = cuda_driver.cuEventElapsedTime(&since, c->first, pair->begin);
    if (result == CUDA_OK)
        result = cuda_driver.cuEventElapsedTime(&lasted, pair->begin, pair->end);
    if (result == CUDA_OK) {
        times->begin = c->first_ns + (uint64_t)(int64_t)((double)since * NS_OF_MS);
        times->end = times->begin + (uint64_t)((double)lasted * NS_OF_MS);
        correct(c, pair, times, seen);
        follow(c, pair, times->end);
        times->begin += (uint64_t)c->ahead;
        times->end += (uint64_t)c->ahead;
    }
    wrapper_lock_give(&c->lock);
    return result;
}

static enum device_state look(void *handle, struct device_times *times)
{
    struct cuda_pair *pair = handle;
    struct pair_context *c = pair->context;
    if (!atomic_load(&c->is_gone) && c != asking_in)
        return DEVICE_PENDING;
    if (atomic_load(&c->is_gone)) {
        device_count_unfinished(1);
        return DEVICE_FAILED;
    }
    enum device_state state = state_of(cuda_driver.cuEventQuery(pair->end));
    if (state == DEVICE_DONE)
        state = state_of(read_times(c, pair, times));
    if (state == DEVICE_FAILED)
        device_count_lost(1);
    return state;
}

static void drop(void *pair)
{
    give_back(pair);
}

static const struct device_runtime runtime = {.family = SPUR_FAMILY_CUDA,
                                              .paradigm = OTF2_PARADIGM_CUDA,
                                              .stream = "Stream",
                                              .look = look,
                                              .drop = drop};

static void collect(const struct pair_context *c)
{
    const int before = exchange_mode(CUDA_CAPTURE_RELAXED);
    asking_in = c;
    for (struct pair_stream *s = atomic_load(&c->streams); s; s = s->next)
        device_collect(s->stream);
    asking_in = NULL;
    (void)exchange_mode(before);
}

void cuda_pairs_collect(bool is_inside)
{
    if (atomic_load(&cuda_driver_mode) != CUDA_DRIVER_PAIRS || !cuda_is_here())
        return;
    struct spur_loc *loc = is_inside ? NULL : spur_begin(SPUR_FAMILY_CUDA, true);
    const struct pair_context *c = is_inside || loc ? context_of_thread(false) : NULL;
    if (c)
        collect(c);
    if (loc)
        spur_end(loc);
}

/* ---- ends ---- */

void cuda_pairs_context_ends(void *context, bool is_inside)
{
    void *popped;
    if (atomic_load(&cuda_driver_mode) != CUDA_DRIVER_PAIRS ||
        cuda_driver.cuCtxPushCurrent_v2(context) != CUDA_OK)
        return;
    cuda_pairs_collect(is_inside);
    (void)cuda_driver.cuCtxPopCurrent_v2(&popped);
}

static void gone(const void *context, int device)
{
    for (struct pair_context *c = atomic_load(&contexts); c; c = c->next)
        if (context ? c->handle == context : c->device == device)
            atomic_store(&c->is_gone, true);
}

void cuda_pairs_context_gone(void *context)
{
    gone(context, 0);
}

void cuda_pairs_device_gone(int device)
{
    gone(NULL, device);
}

/* Work not finished in the remaining contexts counts as unfinished. */
static void at_exit(void)
{
    if (!cuda_is_here())
        return;
    cuda_pairs_collect(false);
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_CUDA, true);
    if (!loc)
        return;
    device_end();
    spur_end(loc);
}

bool cuda_pairs_start(void)
{
    static atomic_flag has_handler = ATOMIC_FLAG_INIT;
    bool has_all = true;
    void *found;
#define FOUND(name)                                                                                \
    found = cuda_driver_symbol(#name);                                                             \
    memcpy(&cuda_driver.name, &found, sizeof found); /* ISO C knows no cast to function */
#define NEEDED(name, ...) FOUND(name) has_all &= found != NULL;
#define EXTRA(name, ...) FOUND(name)
#include "wrappers/cuda/driver_used.def"
#undef FOUND
    if (has_all && !atomic_flag_test_and_set(&has_handler))
        (void)atexit(at_exit);
    return has_all;
}
