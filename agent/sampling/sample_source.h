/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source of a thread's interruptions: a timer of its CPU time, or an event of perf. Both send a
 * signal to this thread only, and never while the thread is inside the kernel. So no call of the
 * program is interrupted or cut short:
 *   the timer   is checked by the kernel when the thread goes back to user mode (Linux 5.9 or
 *               later). Counts all CPU time; at most one signal in a tick of the kernel. Expires
 *               once in each period, at a random place: work that repeats in step with the
 *               period is seen everywhere. Ticks come in step with sleeps. So where perf is
 *               permitted, perf checks the timer as well, so often that the tick is hardly
 *               ever first.
 *   perf        with the kernel's part left out; any rate. The event lives in a mapping, without
 *               a descriptor that a program could close or find.
 */
#ifndef SPUR_SAMPLE_SOURCE_H
#define SPUR_SAMPLE_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "settings/sample_setting.h"

enum spur_sample_kind { SPUR_SAMPLE_OFF, SPUR_SAMPLE_TIMER, SPUR_SAMPLE_PERF };

struct spur_sample_source {
    enum spur_sample_kind kind;
    int timer;
    int fd;     /* former number; closed */
    void *page; /* NULL: no event */
    /* For a timer: CPU time of the thread, in ns; kept after the close. */
    uint64_t begin, period;
    uint64_t expired; /* number of expiries */
    uint64_t next;    /* time of the next expiry, from `begin` */
    uint64_t random;
};

/* The kind that this kernel can do of the setting; OFF: none. *why (a line to say) may be set. */
enum spur_sample_kind spur_sample_choose(const struct spur_sample_setting *setting,
                                         const char **why);

/* Begin to interrupt the calling thread; 0 or -errno. */
int spur_sample_open(struct spur_sample_source *source, enum spur_sample_kind kind,
                     const struct spur_sample_setting *setting, int signal);
/* By the same thread, or when the thread is known to be gone. */
void spur_sample_close(struct spur_sample_source *source);

/* Expiries of the calling thread's timer until now, told or not; else 0. */
uint64_t spur_sample_due(struct spur_sample_source *source);

/* Does the signal come from the source? And for how many samples does the signal stand? */
bool spur_sample_is_ours(struct spur_sample_source *source, const siginfo_t *info, uint32_t *times);

#endif
