/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor's clocks that have left the system's: session/clock_watch.h. Where any process of a
 * clock has seen that, all its processes get offsets that put their times on one line again, which
 * keeps the system's time. Others are left as they are.
 */
#include <stdio.h>

#include "finish/define/finish_define.h"
#include "session/properties.h"

static bool is_bent(const struct finish_process *p)
{
    return p->state != FINISH_MISSING && p->head.clock != SPUR_CLOCK_MONOTONIC &&
           p->head.watch.bends;
}

/* What the process knows of its clock. */
static uint32_t pairs_of(const struct finish_process *p, struct spur_clock_pair *pairs)
{
    const struct spur_moment *first = &p->head.first, *last = &p->head.last;
    uint32_t n = spur_clock_watch_pairs(&p->head.watch, pairs);
    if (!n)
        n = spur_clock_pairs_append(pairs, n,
                                    (struct spur_clock_pair){first->ticks, first->monotonic});
    return spur_clock_pairs_append(pairs, n,
                                   (struct spur_clock_pair){last->ticks, last->monotonic});
}

/* The largest step between two pairs counts. */
static void note(struct finish_bent *bent, const struct spur_clock_pair *pairs, uint32_t n,
                 const struct finish_bend *bend)
{
    bent->processes++;
    for (uint32_t i = 1; i < n; i++) {
        double ns = spur_clock_pair_off(&pairs[i - 1], &pairs[i], bend->rate);
        if ((ns < 0 ? -ns : ns) <= (bent->ns < 0 ? -bent->ns : bent->ns))
            continue;
        bent->ns = ns;
        bent->after_ns = (double)(int64_t)(pairs[i].monotonic - bend->origin.monotonic);
    }
}

void finish_bend_look(struct finish_bend *bend, const struct finish_process *p)
{
    struct spur_clock_pair pairs[SPUR_CLOCK_POINTS];
    double longest_ns;
    if (!is_bent(p))
        return; /* the whole of a process may lie in a jump that it has not seen */
    bend->is_there = true;
    double rate = spur_clock_pairs_rate(pairs, pairs_of(p, pairs), p->head.watch.rate, &longest_ns);
    if (bend->rate > 0 && longest_ns <= bend->longest_ns)
        return;
    bend->longest_ns = longest_ns;
    bend->rate = rate;
    bend->process = p;
}

void finish_bend_straighten(struct finish_bent *bent, const struct finish_bend *bend,
                            struct finish_process *p)
{
    struct spur_clock_pair pairs[SPUR_CLOCK_POINTS];
    if (!bend->is_there || bend->rate <= 0)
        return;
    uint32_t n = pairs_of(p, pairs);
    spur_clock_line_bend(&p->line, pairs, n, &bend->origin, bend->rate, p->head.watch.rate);
    if (is_bent(p))
        note(bent, pairs, n, bend);
}

bool finish_bends_say(const struct finish *f, char *text, size_t size)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    const struct finish_bent *bent = &f->bent;
    double ns = bent->ns < 0 ? -bent->ns : bent->ns;
    const double nearly = 0.9995; /* is printed as 1 */
    size_t u = ns >= nearly * units[0].ns ? 0 : ns >= nearly * units[1].ns ? 1 : 2;
    if (bent->processes)
        snprintf(text, size,
                 "the processor's clock %s the system's by %.3g %s, %.1f s after the start: the "
                 "times of %llu process%s are corrected",
                 bent->ns < 0 ? "fell behind" : "went ahead of", ns / units[u].ns, units[u].name,
                 bent->after_ns / units[0].ns, (unsigned long long)bent->processes,
                 bent->processes == 1 ? "" : "es");
    return bent->processes;
}
