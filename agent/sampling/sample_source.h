/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What interrupts a thread: a timer of its CPU time, or an event of perf. Both send a signal to
 * this thread only, and never while it is inside the kernel, so that no call of the program is
 * interrupted or cut short:
 *   the timer   is looked after by the kernel when the thread goes back to user mode (Linux 5.9 or
 *               later). Counts all CPU time; at most one signal in a tick of the kernel. It expires
 *               once in each period, at a place that is drawn: work that repeats in step with the
 *               period is seen everywhere. Ticks
 *               come in step with sleeps, so where perf is permitted it looks after the timer as
 *               well, as often as that the tick hardly ever is the first.
 *   perf        with the kernel's part left out; any rate. The event lives in a mapping, so that it
 *               needs no descriptor that a program could close or find.
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
    int fd;     /* what it was; closed */
    void *page; /* NULL: no event */
    /* For a timer: CPU time of the thread, in ns; kept when it is closed. */
    uint64_t begin, period;
    uint64_t expired; /* how often */
    uint64_t next;    /* when it does again, from `begin` */
    uint64_t random;
};

/* What this kernel lets do of the setting; OFF: nothing. *why (a line to say) may be set. */
enum spur_sample_kind spur_sample_choose(const struct spur_sample_setting *setting,
                                         const char **why);

/* Begin to interrupt the calling thread; 0 or -errno. */
int spur_sample_open(struct spur_sample_source *source, enum spur_sample_kind kind,
                     const struct spur_sample_setting *setting, int signal);
/* By the same thread, or when it is known not to be there any more. */
void spur_sample_close(struct spur_sample_source *source);

/* How often the timer of the calling thread has expired until now, told or not; else 0. */
uint64_t spur_sample_due(struct spur_sample_source *source);

/* Does the signal come from one, and then how many samples is it? */
bool spur_sample_is_ours(struct spur_sample_source *source, const siginfo_t *info, uint32_t *times);

#endif
