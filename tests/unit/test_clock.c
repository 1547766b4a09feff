/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <sys/prctl.h>

#include "agent/state/event_clock.h"
#include "session/stamp.h"

enum { READINGS = 100000 };
#define SECOND UINT64_C(1000000000)

/* Without the processor's clock the test's own tools would end here: it is given back. */
static bool forbid(int how)
{
    return prctl(PR_SET_TSC, how, 0, 0, 0) == 0;
}

Test(clock, a_forbidden_one_is_not_read)
{
    if (!forbid(PR_TSC_SIGSEGV))
        return; /* a processor, or a kernel, without such a prohibition */
    enum spur_clock_kind kind = spur_clock_init(SPUR_CLOCK_WANT_TSC);
    struct spur_moment moment = spur_clock_moment();
    struct spur_stamp stamp = spur_stamp_now();
    uint64_t now = spur_clock_now();
    forbid(PR_TSC_ENABLE);
    cr_expect_eq(kind, SPUR_CLOCK_MONOTONIC);
    cr_expect(moment.ticks == moment.monotonic && moment.realtime > SECOND);
    cr_expect(stamp.tsc == 0 && stamp.monotonic >= moment.monotonic);
    cr_expect(now >= stamp.monotonic && spur_clock_counts_ns());
}

/* Ticks in a nanosecond, measured for some ms. */
static double rate_now(void)
{
    struct spur_moment begin = spur_clock_moment(), end;
    do
        end = spur_clock_moment();
    while (end.monotonic - begin.monotonic < SECOND / 50);
    return (double)(end.ticks - begin.ticks) / (double)(end.monotonic - begin.monotonic);
}

Test(clock, the_counter_of_the_processor_keeps_the_time)
{
    enum spur_clock_kind kind = spur_clock_init(SPUR_CLOCK_WANT_TSC);
#if defined(__x86_64__)
    if (kind == SPUR_CLOCK_MONOTONIC)
        cr_skip_test("the TSC is not invariant");
#endif
    cr_assert_eq(kind, SPUR_CLOCK_HERE);
    cr_expect_not(spur_clock_counts_ns());
    uint64_t before = spur_clock_now();
    for (int i = 0; i < READINGS; i++) {
        uint64_t now = spur_clock_now();
        cr_assert(now >= before, "never back");
        before = now;
    }
    double rate = rate_now(), again = rate_now();
    cr_expect(rate > 0.0005 && rate < 10, "%g ticks in a ns", rate); /* 500 kHz to 10 GHz */
    cr_expect(again > rate * 0.98 && again < rate * 1.02, "%g and %g ticks in a ns", rate, again);
}

Test(clock, another_one_goes_on_where_it_was)
{
    (void)spur_clock_init(SPUR_CLOCK_AUTO);
    const uint64_t ns = spur_clock_monotonic();
    const struct spur_clock_instead instead = {.ticks = 77, .monotonic = ns, .rate = 2.5};
    cr_assert(spur_clock_put_instead(&instead));
    cr_expect_not(spur_clock_put_instead(&(struct spur_clock_instead){.rate = 1}), "there is one");
    spur_clock_is_tsc = false;
    cr_expect_not(spur_clock_counts_ns());
    uint64_t before = 77;
    for (int i = 0; i < READINGS; i++) {
        uint64_t least = spur_clock_monotonic() - ns;
        uint64_t now = spur_clock_now();
        uint64_t most = spur_clock_monotonic() - ns;
        cr_assert(now >= before, "never back");
        cr_assert(now >= 77 + least * 5 / 2 - 1 && now <= 77 + most * 5 / 2 + 1, "its own rate");
        before = now;
    }
}

Test(clock, a_child_does_not_wait_for_a_thread_that_it_lacks)
{
    spur_clock_after_fork();
    cr_assert(spur_clock_put_instead(&(struct spur_clock_instead){.rate = 1}));
    spur_clock_after_fork();
    cr_expect(spur_clock_has_instead(), "what is there stays");
}
