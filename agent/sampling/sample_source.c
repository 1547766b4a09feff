/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/sampling/sample_source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/metrics/perf_opening.h"
#include "base/apart.h"
#include "base/mapping.h"

static const char is_ours; /* address in the signals of the agent's timers */

/*
 * The interval for perf to look after a timer: in ns, and no divisor of usual intervals of
 * programs.
 */
enum { NS = 1000000000, OFTEN = 973000 };

/* ---- perf ---- */

/* `thread` 0: the calling thread. */
static int open_event(const struct spur_sample_setting *setting, pid_t thread)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = setting->hz ? PERF_TYPE_SOFTWARE : setting->type;
    attr.config = setting->hz ? PERF_COUNT_SW_TASK_CLOCK : setting->config;
    attr.sample_period = setting->hz ? NS / setting->hz : setting->period;
    attr.disabled = 1;
    attr.exclude_kernel = 1; /* a signal there would interrupt a call */
    attr.exclude_hv = 1;
    attr.wakeup_events = 1;
    long fd = syscall(SYS_perf_event_open, &attr, (long)thread, -1L, -1L, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int aim(int fd, int signal, pid_t thread)
{
    const struct f_owner_ex owner = {F_OWNER_TID, thread};
    long flags = syscall(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || syscall(SYS_fcntl, fd, F_SETFL, flags | O_ASYNC | O_NONBLOCK) < 0 ||
        syscall(SYS_fcntl, fd, F_SETSIG, signal) < 0 ||
        syscall(SYS_fcntl, fd, F_SETOWN_EX, &owner) < 0)
        return -errno;
    return 0;
}

struct opening {
    struct spur_sample_source *source;
    const struct spur_sample_setting *setting;
    int signal;
    pid_t thread; /* to be sampled */
};

static void close_perf(struct spur_sample_source *source)
{
    if (source->page)
        spur_unmap(source->page, (size_t)sysconf(_SC_PAGESIZE));
    source->page = NULL;
}

/*
 * The mapping keeps the event when the descriptor is closed. A child of fork() does not get the
 * mapping.
 */
static int open_perf_apart(void *data)
{
    const struct opening *opening = data;
    struct spur_sample_source *source = opening->source;
    int fd = open_event(opening->setting, opening->thread);
    if (fd < 0)
        return fd;
    int err = aim(fd, opening->signal, opening->thread);
    void *page = err ? NULL : spur_map_kernel(fd, (size_t)sysconf(_SC_PAGESIZE));
    if (!err && !page)
        err = -errno;
    if (!err) {
        source->fd = fd;
        source->page = page;
        if (syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
            err = -errno;
    }
    syscall(SYS_close, fd);
    if (err)
        close_perf(source);
    return err;
}

static int open_perf(struct spur_sample_source *source, const struct spur_sample_setting *setting,
                     int signal)
{
    struct opening opening = {source, setting, signal, (pid_t)syscall(SYS_gettid)};
    spur_lock_take(&spur_perf_opening);
    int err = spur_apart(open_perf_apart, &opening);
    spur_lock_give(&spur_perf_opening);
    return err;
}

/* ---- timers ---- */

static uint64_t cpu_time(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/* Random numbers, so a program's work is never in step with the timer. */
static uint64_t draw(struct spur_sample_source *source)
{
    enum { A = 13, B = 7, C = 17 };
    source->random ^= source->random << A;
    source->random ^= source->random >> B;
    source->random ^= source->random << C;
    return source->random % source->period;
}

static void see_expired(struct spur_sample_source *source)
{
    uint64_t now = cpu_time() - source->begin;
    while (source->next <= now)
        source->next = ++source->expired * source->period + draw(source);
}

static int arm(const struct spur_sample_source *source)
{
    uint64_t at = source->begin + source->next;
    const struct itimerspec times = {.it_value = {(time_t)(at / NS), (long)(at % NS)}};
    return syscall(SYS_timer_settime, source->timer, TIMER_ABSTIME, &times, NULL) < 0 ? -errno : 0;
}

static int open_timer(struct spur_sample_source *source, const struct spur_sample_setting *setting,
                      int signal)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event.sigev_value.sival_ptr = (void *)(uintptr_t)&is_ours; // NOLINT(performance-no-int-to-ptr)
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    int timer;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) < 0)
        return -errno;
    const struct spur_sample_setting often = {.type = PERF_TYPE_SOFTWARE,
                                              .config = PERF_COUNT_SW_TASK_CLOCK,
                                              .period = OFTEN};
    (void)open_perf(source, &often, signal);
    source->timer = timer;
    source->begin = cpu_time();
    source->period = NS / setting->hz;
    source->random = (source->begin << 16 ^ (uint64_t)event._sigev_un._tid) | 1;
    source->next = draw(source);
    int err = arm(source);
    source->kind = SPUR_SAMPLE_TIMER;
    if (err)
        spur_sample_close(source);
    return err;
}

/* Linux 5.9 and later send the signal when the thread goes back to user mode. */
static bool is_timer_harmless(void)
{
    enum { MAJOR = 5, MINOR = 9 };
    struct utsname name;
    char *end;
    if (uname(&name) < 0)
        return false;
    long major = strtol(name.release, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return major > MAJOR || (major == MAJOR && minor >= MINOR);
}

/* Two ticks a period: a tick may come late. */
static bool is_timer_fast(const struct spur_sample_setting *setting)
{
    struct timespec tick;
    return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 &&
           NS / setting->hz >= 2 * tick.tv_nsec;
}

/* ---- both ---- */

static bool has_perf(const struct spur_sample_setting *setting)
{
    int saved = errno;
    int fd = open_event(setting, 0);
    if (fd >= 0)
        syscall(SYS_close, fd);
    errno = saved;
    return fd >= 0;
}

enum spur_sample_kind spur_sample_choose(const struct spur_sample_setting *setting,
                                         const char **why)
{
    *why = NULL;
    bool is_harmless = setting->hz && is_timer_harmless();
    if (is_harmless && is_timer_fast(setting))
        return SPUR_SAMPLE_TIMER;
    if (has_perf(setting))
        return SPUR_SAMPLE_PERF;
    if (is_harmless) {
        *why = "this machine lets no program use perf_event_open(2) (kernel.perf_event_paranoid of"
               " 2 or less would), so there are samples at ticks of the kernel only, fewer than"
               " asked for";
        return SPUR_SAMPLE_TIMER;
    }
    *why = setting->hz ? "nothing is sampled: it takes Linux 5.9 or perf_event_open(2)"
                       : "nothing is sampled: perf_event_open(2) does not have this event here; a"
                         " virtual machine may have no hardware counters, or kernel.perf_event_"
                         "paranoid is above 2. Try a rate, as 100, or task-clock:1000000";
    return SPUR_SAMPLE_OFF;
}

int spur_sample_open(struct spur_sample_source *source, enum spur_sample_kind kind,
                     const struct spur_sample_setting *setting, int signal)
{
    memset(source, 0, sizeof *source);
    if (kind == SPUR_SAMPLE_TIMER)
        return open_timer(source, setting, signal);
    int err = kind == SPUR_SAMPLE_PERF ? open_perf(source, setting, signal) : -EINVAL;
    if (!err)
        source->kind = kind;
    return err;
}

void spur_sample_close(struct spur_sample_source *source)
{
    close_perf(source);
    if (source->kind == SPUR_SAMPLE_TIMER)
        syscall(SYS_timer_delete, source->timer);
    source->kind = SPUR_SAMPLE_OFF;
}

uint64_t spur_sample_due(struct spur_sample_source *source)
{
    if (source->period)
        see_expired(source);
    return source->expired;
}

/* The number of expirations since the last question; the timer goes on. */
static uint32_t go_on(struct spur_sample_source *source)
{
    uint64_t told = source->expired;
    see_expired(source);
    if (source->expired > told)
        (void)arm(source);
    return (uint32_t)(source->expired - told);
}

bool spur_sample_is_ours(struct spur_sample_source *source, const siginfo_t *info, uint32_t *times)
{
    bool is_timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &is_ours;
    bool is_perf = info->si_code == POLL_IN && source && source->page && info->si_fd == source->fd;
    *times = is_perf;
    if ((is_timer || is_perf) && source && source->kind == SPUR_SAMPLE_TIMER)
        *times = go_on(source);
    return is_timer || is_perf;
}
