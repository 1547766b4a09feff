/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/disk.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/file_map.h"
#include "base/log.h"
#include "base/now.h"
#include "base/said_to.h"

enum {
    FIRST_BYTES = 1 << 20,
    SHARE = 20,  /* of the disk: this part stays free */
    STEPS = 64,  /* looks while a disk is filled by one process */
    MUCH = 8,    /* of what was free: less than this part tells no rate */
    SOON_S = 300 /* what is said to be soon */
};
static const uint64_t step_max = UINT64_C(64) << 20;

static struct {
    struct spur_disk_state state; /* of the thread that looks */
    _Atomic bool is_looked_at;
    bool keeps;
    _Atomic uint64_t taken; /* bytes, and at how many the next look is */
    _Atomic uint64_t next;
} disk;

void spur_disk_open(bool keeps)
{
    disk.keeps = keeps;
    disk.state = (struct spur_disk_state){0};
    atomic_store_explicit(&disk.taken, 0, memory_order_relaxed);
    atomic_store_explicit(&disk.next, FIRST_BYTES, memory_order_relaxed);
}

void spur_disk_forget(void)
{
    atomic_store_explicit(&disk.is_looked_at, false, memory_order_relaxed);
    atomic_store_explicit(&disk.next, UINT64_MAX, memory_order_relaxed);
}

static void begin(struct spur_disk_state *d, bool keeps, uint64_t size, uint64_t free)
{
    d->step = size / STEPS < step_max ? size / STEPS : step_max;
    d->step = d->step ? d->step : 1;
    if (keeps)
        d->keep = size / SHARE < free / 2 ? size / SHARE : free / 2;
}

enum spur_disk_word spur_disk_judge(struct spur_disk_state *d, bool keeps, uint64_t size,
                                    uint64_t free, uint64_t now_ms, uint64_t *seconds)
{
    enum { MS_IN_A_SECOND = 1000 };
    if (!d->step) {
        begin(d, keeps, size, free);
        d->first_free = free;
        d->first_ms = now_ms;
    }
    if (d->keep && free <= d->keep)
        return SPUR_DISK_IS_FULL;
    uint64_t used = d->first_free > free ? d->first_free - free : 0;
    if (d->has_warned || used < d->first_free / MUCH || !used)
        return SPUR_DISK_HAS_ROOM;
    double took = (double)(now_ms - d->first_ms) / MS_IN_A_SECOND;
    *seconds = (uint64_t)((double)(free - d->keep) / (double)used * took);
    d->has_warned = *seconds < SOON_S;
    return d->has_warned ? SPUR_DISK_FILLS : SPUR_DISK_HAS_ROOM;
}

/* One process of the session speaks for all: the one that makes this file. */
static bool is_first(void)
{
    char path[SPUR_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/.spur/fills", spur_process.place);
    return spur_file_mark(path) == 0;
}

static void warn(uint64_t seconds)
{
    enum { MINUTE_S = 60 };
    const unsigned long long minutes = (seconds + MINUTE_S - 1) / MINUTE_S;
    if (spur_may_say() && is_first())
        spur_log("the disk of %s will be full in about %llu minute%s%s; to record less: "
                 "SPUR_FLUSH=ring, SPUR_LIMIT, or a filter ('spur report --suggest-filter')",
                 spur_process.place, minutes ? minutes : 1, minutes > 1 ? "s" : "",
                 disk.keeps ? ", but for the share that spur leaves free" : "");
}

static enum spur_disk_word look(uint64_t *seconds)
{
    struct statfs now;
    if (syscall(SYS_statfs, spur_process.place, &now) != 0 || !now.f_blocks)
        return SPUR_DISK_HAS_ROOM;
    const uint64_t block = (uint64_t)now.f_bsize;
    return spur_disk_judge(&disk.state, disk.keeps, now.f_blocks * block, now.f_bavail * block,
                           spur_now_ms(), seconds);
}

enum spur_stop spur_disk_take(uint64_t bytes)
{
    uint64_t taken = atomic_fetch_add_explicit(&disk.taken, bytes, memory_order_relaxed) + bytes;
    if (taken < atomic_load_explicit(&disk.next, memory_order_relaxed))
        return SPUR_STOP_NOT;
    if (atomic_exchange_explicit(&disk.is_looked_at, true, memory_order_acquire))
        return SPUR_STOP_NOT; /* another thread is at it */
    int saved = errno;
    uint64_t seconds = 0;
    enum spur_disk_word word = look(&seconds);
    atomic_store_explicit(&disk.next, taken + (disk.state.step ? disk.state.step : FIRST_BYTES),
                          memory_order_relaxed);
    atomic_store_explicit(&disk.is_looked_at, false, memory_order_release);
    if (word == SPUR_DISK_FILLS)
        warn(seconds);
    errno = saved;
    return word == SPUR_DISK_IS_FULL ? SPUR_STOP_SHARE : SPUR_STOP_NOT;
}
