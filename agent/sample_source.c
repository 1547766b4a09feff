/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/sample_source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/map.h"
#include "agent/perf_opening.h"

static const char is_ours; /* its address is in the signals of timers */

enum { NS = 1000000000 };

/* ---- perf ---- */

static int open_event(const struct spur_sample_setting *setting)
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
    long fd = syscall(SYS_perf_event_open, &attr, 0L, -1L, -1L, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int aim(int fd, int signal)
{
    const struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
    long flags = syscall(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || syscall(SYS_fcntl, fd, F_SETFL, flags | O_ASYNC | O_NONBLOCK) < 0 ||
        syscall(SYS_fcntl, fd, F_SETSIG, signal) < 0 ||
        syscall(SYS_fcntl, fd, F_SETOWN_EX, &owner) < 0)
        return -errno;
    return 0;
}

/* The mapping keeps the event when the descriptor is closed. A child of fork() does not get it. */
static int open_perf_alone(struct spur_sample_source *source,
                           const struct spur_sample_setting *setting, int signal)
{
    int fd = open_event(setting);
    if (fd < 0)
        return fd;
    int err = aim(fd, signal);
    void *page = MAP_FAILED;
    if (!err)
        page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    if (!err && page == MAP_FAILED)
        err = -errno;
    if (!err) {
        source->kind = SPUR_SAMPLE_PERF;
        source->fd = fd;
        source->page = page;
        if (syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
            err = -errno;
    }
    syscall(SYS_close, fd);
    if (err)
        spur_sample_close(source);
    return err;
}

static int open_perf(struct spur_sample_source *source, const struct spur_sample_setting *setting,
                     int signal)
{
    spur_lock_take(&spur_perf_opening);
    int err = open_perf_alone(source, setting, signal);
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
    const struct timespec period = {NS / setting->hz / NS, NS / setting->hz % NS};
    const struct itimerspec times = {period, period};
    if (syscall(SYS_timer_settime, timer, 0, &times, NULL) < 0) {
        int err = -errno;
        syscall(SYS_timer_delete, timer);
        return err;
    }
    source->kind = SPUR_SAMPLE_TIMER;
    source->timer = timer;
    source->begin = cpu_time();
    source->period = NS / setting->hz;
    return 0;
}

/* Linux 5.9 and later send it when the thread goes back to user mode. */
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
    int fd = open_event(setting);
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
    return kind == SPUR_SAMPLE_PERF    ? open_perf(source, setting, signal)
           : kind == SPUR_SAMPLE_TIMER ? open_timer(source, setting, signal)
                                       : -EINVAL;
}

void spur_sample_close(struct spur_sample_source *source)
{
    if (source->kind == SPUR_SAMPLE_PERF)
        munmap(source->page, (size_t)sysconf(_SC_PAGESIZE));
    else if (source->kind == SPUR_SAMPLE_TIMER)
        syscall(SYS_timer_delete, source->timer);
    source->kind = SPUR_SAMPLE_OFF;
}

uint64_t spur_sample_due(const struct spur_sample_source *source)
{
    return source->period ? (cpu_time() - source->begin) / source->period : 0;
}

bool spur_sample_is_ours(const struct spur_sample_source *source, const siginfo_t *info,
                         uint32_t *merged)
{
    *merged = 0;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &is_ours) {
        *merged = (uint32_t)info->si_overrun;
        return true;
    }
    return info->si_code == POLL_IN && source && source->kind == SPUR_SAMPLE_PERF &&
           info->si_fd == source->fd;
}
