/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks compared over a link. Words that travel: the asking side sends GO_ON or ENOUGH; to the
 * first two GO_ON the other side answers with the identity and the frequency of its clock, to all
 * others with the time.
 */
#include <errno.h>

#include "agent/definitions/definitions.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "session/clock_sync.h"

enum { ENOUGH, GO_ON };

static uint64_t ticks_per_second(void)
{
    const uint64_t second = 1000000000;
    const struct spur_moment now = spur_clock_moment(), then = spur_process.start;
    if (spur_clock_counts_ns() || now.monotonic <= then.monotonic || now.ticks <= then.ticks)
        return second;
    return (uint64_t)((double)second * (double)(now.ticks - then.ticks) /
                      (double)(now.monotonic - then.monotonic)) +
           1;
}

static int exchange(const struct spur_link *link, uint64_t *answer)
{
    int err = link->send(link, GO_ON);
    return err ? err : link->receive(link, answer);
}

void spur_clock_ask(const struct spur_link *link)
{
    struct spur_clock_probe probe;
    uint64_t clock = 0;
    uint64_t other_ticks_per_second = 0;
    int saved = errno;
    int err = exchange(link, &clock);
    if (!err)
        err = exchange(link, &other_ticks_per_second);
    spur_clock_probe_init(&probe, (double)ticks_per_second(), (double)other_ticks_per_second);
    while (!err && !spur_clock_probe_is_done(&probe)) {
        uint64_t answer = 0;
        uint64_t sent = spur_clock_now();
        err = exchange(link, &answer);
        if (!err)
            spur_clock_probe_add(&probe, sent, answer, spur_clock_now());
    }
    if (!err)
        err = link->send(link, ENOUGH);
    if (!err) {
        struct spur_clock_reading reading = spur_clock_probe_reading(&probe);
        spur_def_clock_reading(reading.own, clock, reading.other, reading.round_trip);
    }
    errno = saved;
}

void spur_clock_answer(const struct spur_link *link)
{
    const uint64_t facts[] = {spur_clock_id(), ticks_per_second()};
    uint64_t word = ENOUGH;
    uint32_t n = 0;
    int saved = errno;
    while (link->receive(link, &word) == 0 && word == GO_ON) {
        uint64_t answer = n < sizeof facts / sizeof facts[0] ? facts[n++] : spur_clock_now();
        if (link->send(link, answer) != 0)
            break;
    }
    errno = saved;
}
