/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics "perf:NAME": the reading. Software counters are in one group of the kernel and hardware
 * counters in another group, so a read(2) gets all counters of a group. Counters that take turns,
 * or count a whole process, are each a group of their own. If the kernel lets a thread read the
 * processor's counters by itself (rdpmc), no system call is needed.
 *
 * Descriptors: a program may close any descriptor, and have a file of its own under the same number
 * later. So the kernel is asked for the owner of a descriptor before each read and close. The
 * descriptors are kept away from the low numbers, since programs count on low numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/metrics/perf_opening.h"
#include "agent/metrics/sources/metric_perf.h"
#include "base/mapping.h"
#include "base/mem.h"
#include "base/system_words.h"

/* The kernel's data of a group of several counters, and of a single counter. */

struct single_reading {
    uint64_t value, enabled, running, kernel_id;
};

struct spur_lock spur_perf_opening = SPUR_LOCK_INIT;

struct event {
    int fd;
    uint32_t leader; /* place of the group's first event, possibly its own */
    uint64_t kernel_id;
    struct perf_event_mmap_page *page; /* NULL: reading needs a system call */
};

struct group_reading {
    uint64_t n, enabled, running;
    struct {
        uint64_t value, kernel_id;
    } of[SPUR_METRICS_MAX];
};

struct reader {
    uint32_t n;
    bool is_process, is_multiplexed;
    struct event event[SPUR_METRICS_MAX];
    uint64_t last[SPUR_METRICS_MAX]; /* of scaled counters, which must not seem to run backwards */
    struct group_reading reading;    /* not on the program's stack */
};

/* ---- descriptors ---- */

static bool is_ours(const struct event *event)
{
    uint64_t kernel_id = 0;
    return event->fd >= 0 && syscall(SYS_ioctl, event->fd, PERF_EVENT_IOC_ID, &kernel_id) == 0 &&
           kernel_id == event->kernel_id;
}

/*
 * Moves a descriptor above the numbers used by programs, and below a number that would make the
 * process's table large.
 */
static int lift(int fd)
{
    enum { HIGH = 768, QUARTERS = 4 };
    struct rlimit limit = {.rlim_cur = 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t from = limit.rlim_cur / QUARTERS * (QUARTERS - 1);
    long lifted = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (int)(from < HIGH ? from : HIGH));
    int err = lifted < 0 ? -EMFILE : 0; /* the remaining descriptors are for the program */
    syscall(SYS_close, fd);
    return err ? err : (int)lifted;
}

static int open_event(const struct reader *reader, uint64_t id, int leader)
{
    struct perf_event_attr attr;
    spur_perf_attr(id, &attr);
    attr.read_format =
        PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (reader->is_process)
        attr.inherit = 1; /* excludes groups */
    else
        attr.read_format |= PERF_FORMAT_GROUP;
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : lift((int)fd);
}

/* ---- opening ---- */

/* The group that an event joins: the place of the group's first event, or the event's own place. */
static uint32_t leader_of(const struct reader *reader, const struct spur_metric_group *group,
                          uint32_t at)
{
    bool is_software = spur_perf_type(group->id[at]) == PERF_TYPE_SOFTWARE;
    if (reader->is_process || (reader->is_multiplexed && !is_software))
        return at;
    for (uint32_t i = 0; i < at; i++)
        if ((spur_perf_type(group->id[i]) == PERF_TYPE_SOFTWARE) == is_software)
            return i;
    return at;
}

static void map_page(struct event *event)
{
#if defined(__x86_64__)
    long bytes = sysconf(_SC_PAGESIZE);
    event->page = spur_map_kernel(event->fd, (size_t)bytes);
    if (event->page && !event->page->cap_user_rdpmc) {
        spur_unmap(event->page, (size_t)bytes);
        event->page = NULL;
    }
#else
    (void)event;
#endif
}

static int open_at(struct reader *reader, const struct spur_metric_group *group, uint32_t at)
{
    struct event *event = &reader->event[at];
    uint32_t leader = leader_of(reader, group, at);
    int fd = open_event(reader, group->id[at], leader == at ? -1 : reader->event[leader].fd);
    if (fd < 0)
        return fd;
    *event = (struct event){.fd = fd, .leader = leader};
    syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &event->kernel_id);
    if (spur_perf_type(group->id[at]) != PERF_TYPE_SOFTWARE && !reader->is_process &&
        !reader->is_multiplexed)
        map_page(event);
    return 0;
}

static void explain(int err, char why[SPUR_METRIC_TEXT])
{
    if (err == -EMFILE)
        snprintf(why, SPUR_METRIC_TEXT,
                 "no file descriptor is left for counters; raise 'ulimit -n'");
    else if (err == -EINVAL || err == -ENOSPC)
        snprintf(why, SPUR_METRIC_TEXT,
                 "the processor has not so many counters at a time; name fewer, or add the word "
                 "multiplex to SPUR_METRICS");
    else
        snprintf(why, SPUR_METRIC_TEXT, "perf_event_open: %s", spur_error_text(-err));
}

void *spur_perf_open(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT])
{
    int saved = errno;
    struct reader *reader = spur_mem_new(sizeof *reader);
    int err = reader ? 0 : -ENOMEM;
    if (reader) {
        reader->is_process = group->is_process;
        reader->is_multiplexed = group->is_multiplexed;
    }
    spur_lock_take(&spur_perf_opening);
    for (uint32_t i = 0; i < group->n && !err; i++) {
        err = open_at(reader, group, i);
        reader->n += !err;
    }
    spur_lock_give(&spur_perf_opening);
    if (err) {
        explain(err, why);
        if (reader)
            spur_perf_close(reader, SPUR_METRIC_BY_OWNER);
        reader = NULL;
    }
    errno = saved;
    return reader;
}

/* ---- reading ---- */

/* A counter that was not on the processor all the time is extrapolated. */
static uint64_t scaled(struct reader *reader, uint32_t at, uint64_t value, uint64_t enabled,
                       uint64_t running)
{
    if (!reader->is_multiplexed || running >= enabled)
        return value;
    uint64_t all = running ? (uint64_t)((double)value * (double)enabled / (double)running) : 0;
    if (all > reader->last[at])
        reader->last[at] = all;
    return reader->last[at];
}

static bool read_single(struct reader *reader, uint32_t at, uint64_t *values)
{
    struct single_reading reading;
    if (syscall(SYS_read, reader->event[at].fd, &reading, sizeof reading) != sizeof reading)
        return false;
    values[at] = scaled(reader, at, reading.value, reading.enabled, reading.running);
    return true;
}

static bool read_group(struct reader *reader, uint32_t leader, uint64_t *values)
{
    const struct group_reading *reading = &reader->reading;
    if (syscall(SYS_read, reader->event[leader].fd, &reader->reading, sizeof *reading) <= 0)
        return false;
    uint64_t n = 0;
    for (uint32_t i = leader; i < reader->n && n < reading->n; i++)
        if (reader->event[i].leader == leader)
            values[i] =
                scaled(reader, i, reading->of[n++].value, reading->enabled, reading->running);
    return n == reading->n;
}

#if defined(__x86_64__)
static inline uint64_t rdpmc(uint32_t counter)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
}

/*
 * Reads a counter as explained in linux/perf_event.h. False: the counter is not on the processor
 * now.
 */
static bool read_page(const struct perf_event_mmap_page *page, uint64_t *value)
{
    enum { BITS = 64 };
    uint32_t sequence, index;
    int64_t count;
    do {
        sequence = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
        index = page->index;
        count = page->offset;
        if (page->cap_user_rdpmc && index) {
            unsigned shift = BITS - page->pmc_width;
            count += (int64_t)(rdpmc(index - 1) << shift) >> shift;
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != sequence);
    *value = (uint64_t)count;
    return index != 0;
}
#else
static bool read_page(const struct perf_event_mmap_page *page, uint64_t *value)
{
    (void)page;
    (void)value;
    return false;
}
#endif

/* Reads all counters of a group without a system call. */
static bool read_pages(const struct reader *reader, uint32_t leader, uint64_t *values)
{
    for (uint32_t i = leader; i < reader->n; i++)
        if (reader->event[i].leader == leader &&
            (!reader->event[i].page || !read_page(reader->event[i].page, &values[i])))
            return false;
    return true;
}

bool spur_perf_read(void *data, uint64_t *values)
{
    struct reader *reader = data;
    for (uint32_t i = 0; i < reader->n; i++) {
        if (reader->event[i].leader != i || read_pages(reader, i, values))
            continue;
        if (!is_ours(&reader->event[i]) ||
            !(reader->is_process ? read_single(reader, i, values) : read_group(reader, i, values)))
            return false;
    }
    return true;
}

void spur_perf_close(void *data, enum spur_metric_closer by)
{
    struct reader *reader = data;
    for (uint32_t i = 0; i < reader->n; i++) {
        struct event *event = &reader->event[i];
        if (event->page && by != SPUR_METRIC_BY_CHILD) /* a child does not get the mapping */
            spur_unmap(event->page, (size_t)sysconf(_SC_PAGESIZE));
        if (is_ours(event))
            syscall(SYS_close, event->fd);
    }
    spur_mem_free(reader, sizeof *reader);
}
