/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI, opened at run time and read: one event set per thread and component. PAPI is the only
 * source that takes memory of the host's heap: when a set is made or dropped, not when a set is
 * read. The agent makes sets at the start of the program and at the beginning of threads, when no
 * thread can hold a lock of the heap.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/metrics/perf_opening.h"
#include "agent/metrics/sources/metric_papi.h"
#include "base/mem.h"
#include "base/own_stack.h"

enum { COMPONENTS = 8 };

static struct {
    struct spur_papi calls;
    bool was_tried, is_there, is_lost; /* lost: a child of fork() may not use PAPI */
    bool has_multiplex, is_stale;      /* stale: PAPI's descriptors may be the program's by now */
    _Atomic uint32_t busy;             /* threads that may hold a lock of PAPI's */
    char why[SPUR_METRIC_TEXT];
} papi;

void spur_papi_begin(void)
{
    papi.busy++;
}

void spur_papi_end(void)
{
    papi.busy--;
}

/* ---- the library ---- */

static void *open_library(void)
{
    static const char *const names[] = {
#define PAPI_NAME(file) file,
#include "agent/opened_libraries.def"
    };
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool find_call(void *library, const char *name, void *call)
{
    void *address = dlsym(library, name);
    if (address)
        memcpy(call, &address, sizeof address); /* ISO C knows no cast from data to function */
    return address != NULL;
}

static unsigned long thread_id(void)
{
    return (unsigned long)syscall(SYS_gettid);
}

static bool set_up(void)
{
    const struct spur_papi *p = &papi.calls;
    int version = p->PAPI_get_opt(SPUR_PAPI_LIB_VERSION, NULL);
    int current = version & (int)0xffff0000; /* PAPI insists on its own major and minor number */
    int got = p->PAPI_library_init(current);
    if (got != current || p->PAPI_thread_init(thread_id) != SPUR_PAPI_OK) {
        snprintf(papi.why, sizeof papi.why, "PAPI cannot be set up: %s",
                 got < 0 ? p->PAPI_strerror(got) : "version");
        return false;
    }
    /* By default PAPI counts only user mode, where several software events stay 0. */
    if (spur_metric_sees_kernel())
        for (int i = 0; i < p->PAPI_num_components(); i++)
            (void)p->PAPI_set_cmp_domain(SPUR_PAPI_DOM_ALL, i);
    papi.has_multiplex = p->PAPI_multiplex_init() == SPUR_PAPI_OK;
    return true;
}

/* The places for the addresses of PAPI's functions. */
static const struct {
    const char *name;
    size_t at;
} calls[] = {
#define CALL(type, name, parameters) {#name, offsetof(struct spur_papi, name)},
#include "agent/metrics/sources/papi_calls.def"
};

static bool load(void)
{
    void *library = open_library();
    if (!library) {
        snprintf(papi.why, sizeof papi.why,
                 "no libpapi.so on this machine; install it (Debian: libpapi-dev), or take metrics "
                 "rusage:NAME and perf:NAME, which need no library");
        return false;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (!find_call(library, calls[i].name, (char *)&papi.calls + calls[i].at)) {
            snprintf(papi.why, sizeof papi.why, "libpapi.so is too old: it has no %s",
                     calls[i].name);
            return false;
        }
    return set_up();
}

/* Called with the guard raised, by one thread at a time: from the constructor or while opening. */
const struct spur_papi *spur_papi_get(char why[SPUR_METRIC_TEXT])
{
    if (!papi.was_tried) {
        int saved = errno;
        papi.was_tried = true;
        spur_papi_begin();
        papi.is_there = load();
        spur_papi_end();
        errno = saved;
    }
    if (papi.is_there && !papi.is_lost)
        return &papi.calls;
    snprintf(why, SPUR_METRIC_TEXT, "%s", papi.why);
    return NULL;
}

void spur_papi_after_fork(void)
{
    if (!papi.is_there)
        return;
    if (papi.busy || papi.is_stale) {
        papi.is_lost = true;
        snprintf(papi.why, sizeof papi.why, "PAPI cannot be used in a child of fork(): %s",
                 papi.busy ? "another thread was within it" : "its descriptors were closed");
        return;
    }
    int saved = errno;
    papi.calls.PAPI_shutdown();
    papi.is_there = set_up();
    if (papi.is_there)
        spur_papi_look_up_again(&papi.calls);
    errno = saved;
}

/* ---- one set per component ---- */

struct set {
    int set; /* PAPI's number */
    int component;
    uint32_t n;
    uint32_t at[SPUR_METRICS_MAX]; /* places of the set's values in the group */
};

struct reader {
    uint32_t sets;
    int leader; /* a descriptor of PAPI's, to see if the program has closed PAPI's; -1: unknown */
    uint64_t kernel_id;
    struct set set[COMPONENTS];
};

static struct set *set_of(struct reader *reader, int component, bool is_multiplexed)
{
    const struct spur_papi *p = &papi.calls;
    for (uint32_t i = 0; i < reader->sets; i++)
        if (reader->set[i].component == component)
            return &reader->set[i];
    if (reader->sets == COMPONENTS)
        return NULL;
    struct set *set = &reader->set[reader->sets];
    *set = (struct set){.set = SPUR_PAPI_NULL, .component = component};
    if (p->PAPI_create_eventset(&set->set) != SPUR_PAPI_OK)
        return NULL;
    reader->sets++;
    if (p->PAPI_assign_eventset_component(set->set, component) == SPUR_PAPI_OK && is_multiplexed &&
        papi.has_multiplex)
        (void)p->PAPI_set_multiplex(set->set);
    return set;
}

static int add_event(struct reader *reader, const struct spur_metric_group *group, uint32_t at)
{
    const struct spur_papi *p = &papi.calls;
    int code = spur_papi_code(group->id[at]);
    int component = p->PAPI_get_event_component(code);
    struct set *set = set_of(reader, component, group->is_multiplexed);
    if (!set)
        return SPUR_PAPI_ESYS;
    int err = p->PAPI_add_event(set->set, code);
    if (err == SPUR_PAPI_OK)
        set->at[set->n++] = at;
    return err;
}

static int start_all(struct reader *reader, const struct spur_metric_group *group)
{
    int err = SPUR_PAPI_OK;
    for (uint32_t i = 0; i < group->n && err == SPUR_PAPI_OK; i++)
        err = add_event(reader, group, i);
    for (uint32_t i = 0; i < reader->sets && err == SPUR_PAPI_OK; i++)
        err = papi.calls.PAPI_start(reader->set[i].set);
    return err;
}

static bool is_event(int fd, uint64_t *kernel_id)
{
    return fd >= 0 && syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ID, kernel_id) == 0;
}

/* The kernel numbers events in the order of their opening. Returns the number of the last event. */
static uint64_t last_kernel_id(int *fd)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1};
    uint64_t kernel_id = 0;
    long event = syscall(SYS_perf_event_open, &attr, 0L, -1L, -1L, PERF_FLAG_FD_CLOEXEC);
    *fd = (int)event;
    (void)is_event(*fd, &kernel_id);
    if (event >= 0)
        syscall(SYS_close, event);
    return kernel_id;
}

/*
 * Takes note of the descriptors that PAPI has opened since `before`: events with later numbers,
 * with descriptors close to `near`, the next free descriptor at that time. The descriptors are
 * closed when this program executes another program; PAPI itself leaves that out. One of the
 * descriptors becomes the reader's leader.
 */
static void take_descriptors(struct reader *reader, int near, uint64_t before, uint32_t n)
{
    enum { GAPS = 16 };
    uint64_t kernel_id;
    reader->leader = -1;
    for (int fd = near < GAPS ? 0 : near - GAPS; near >= 0 && fd < near + (int)n + GAPS; fd++) {
        if (!is_event(fd, &kernel_id) || kernel_id <= before)
            continue;
        syscall(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
        reader->leader = fd;
        reader->kernel_id = kernel_id;
    }
}

static int open_sets(struct reader *reader, const struct spur_metric_group *group)
{
    int near, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* PAPI calls open(2) of libc */
    spur_papi_begin();
    spur_lock_take(&spur_perf_opening);
    uint64_t before = last_kernel_id(&near);
    int err = start_all(reader, group);
    take_descriptors(reader, near, before, group->n);
    spur_lock_give(&spur_perf_opening);
    spur_papi_end();
    pthread_setcancelstate(cancel, NULL);
    return err;
}

void *spur_papi_open(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT])
{
    int saved = errno;
    struct reader *reader = papi.is_there && !papi.is_lost ? spur_mem_new(sizeof *reader) : NULL;
    if (!reader) {
        snprintf(why, SPUR_METRIC_TEXT, "%s", papi.is_lost ? papi.why : "out of memory");
        return NULL;
    }
    int err = open_sets(reader, group);
    if (err != SPUR_PAPI_OK) {
        snprintf(why, SPUR_METRIC_TEXT, "PAPI: %s%s", papi.calls.PAPI_strerror(err),
                 err == SPUR_PAPI_ECNFLCT || err == SPUR_PAPI_EINVAL
                     ? "; name fewer counters, or add the word multiplex to SPUR_METRICS"
                     : "");
        spur_papi_close(reader, SPUR_METRIC_BY_OWNER);
        reader = NULL;
    }
    errno = saved;
    return reader;
}

/* Once the program has closed PAPI's descriptors, a file of the program may have their numbers. */
static bool is_open(const struct reader *reader)
{
    uint64_t kernel_id = 0;
    return reader->leader < 0 ||
           (is_event(reader->leader, &kernel_id) && kernel_id == reader->kernel_id);
}

static bool spur_papi_read_here(void *data, uint64_t *values)
{
    const struct reader *reader = data;
    long long read[SPUR_METRICS_MAX];
    if (!is_open(reader))
        return false;
    int cancel;
    bool is_read = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* PAPI calls read(2) of libc */
    for (uint32_t i = 0; i < reader->sets && is_read; i++) {
        const struct set *set = &reader->set[i];
        is_read = papi.calls.PAPI_read(set->set, read) == SPUR_PAPI_OK;
        for (uint32_t n = 0; n < set->n; n++)
            values[set->at[n]] = (uint64_t)read[n];
    }
    pthread_setcancelstate(cancel, NULL);
    return is_read;
}
/* NOLINTNEXTLINE(readability-non-const-parameter): as the contract is */
SPUR_DOOR(bool, spur_papi_read, (void *, data), (uint64_t *, values))

/*
 * A set belongs to its thread: PAPI does not stop sets of other threads. Sets that remain end with
 * the process.
 */
void spur_papi_close(void *data, enum spur_metric_closer by)
{
    struct reader *reader = data;
    long long values[SPUR_METRICS_MAX];
    if (by == SPUR_METRIC_BY_CHILD)
        papi.is_stale |= !is_open(reader); /* a shutdown of PAPI would close the program's files */
    if (by == SPUR_METRIC_BY_OWNER && is_open(reader)) {
        spur_papi_begin();
        for (uint32_t i = 0; i < reader->sets; i++) {
            (void)papi.calls.PAPI_stop(reader->set[i].set, values);
            (void)papi.calls.PAPI_cleanup_eventset(reader->set[i].set);
            (void)papi.calls.PAPI_destroy_eventset(&reader->set[i].set);
        }
        (void)papi.calls.PAPI_unregister_thread();
        spur_papi_end();
    }
    spur_mem_free(reader, sizeof *reader);
}
