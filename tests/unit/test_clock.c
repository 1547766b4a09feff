/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
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
    (void)spur_clock_init(SPUR_CLOCK_WANT_TSC, NULL);
    enum spur_clock_kind kind = spur_clock_kind();
    struct spur_moment moment = spur_clock_moment();
    struct spur_stamp stamp = spur_stamp_now();
    uint64_t now = spur_clock_now();
    forbid(PR_TSC_ENABLE);
    cr_expect_eq(kind, SPUR_CLOCK_MONOTONIC);
    cr_expect(moment.ticks == moment.monotonic && moment.realtime > SECOND);
    cr_expect(stamp.tsc == 0 && stamp.monotonic >= moment.monotonic);
    cr_expect(now >= stamp.monotonic && spur_clock_counts_ns());
}

#if defined(__x86_64__)
/* ---- which clock the kernel has: stand-ins for its file, and for the reading ---- */

static const char *kernel_source;
static int readings;

static void source_of_test(char *text, size_t size)
{
    snprintf(text, size, "%s", kernel_source);
}

static int from_memory(clockid_t id, struct timespec *time)
{
    readings++;
    *time = (struct timespec){.tv_sec = id};
    return 0;
}

static int by_call(clockid_t id, struct timespec *time)
{
    readings++;
    return (int)syscall(SYS_clock_gettime, id, time);
}

static int not_at_all(clockid_t id, struct timespec *time)
{
    (void)id;
    (void)time;
    readings++;
    return -1;
}

/* Does a session take the TSC there? */
static bool takes_tsc(const char *source, int (*read)(clockid_t, struct timespec *),
                      const char *measured)
{
    kernel_source = source;
    readings = 0;
    spur_clock_machine = (struct spur_clock_machine){source_of_test, read};
    (void)spur_clock_init(SPUR_CLOCK_AUTO, measured);
    return spur_clock_kind() == SPUR_CLOCK_TSC;
}

static void needs_tsc(void)
{
    (void)spur_clock_init(SPUR_CLOCK_WANT_TSC, NULL);
    if (spur_clock_kind() != SPUR_CLOCK_TSC)
        cr_skip_test("the TSC is not invariant");
}

Test(clock, the_tsc_is_taken_where_the_kernel_takes_the_time_from_it)
{
    static const char *const served[] = {"kvm-clock\n", "hyperv_clocksource_tsc_page\n", "xen\n"};
    needs_tsc();
    cr_expect(takes_tsc("tsc\n", not_at_all, NULL) && readings == 0, "nothing is to be measured");
    for (size_t i = 0; i < sizeof served / sizeof served[0]; i++) {
        cr_expect(takes_tsc(served[i], from_memory, NULL), "%s", served[i]);
        cr_expect_not(takes_tsc(served[i], by_call, NULL), "%s by a system call", served[i]);
        cr_expect_not(takes_tsc(served[i], not_at_all, NULL), "%s without a reading", served[i]);
    }
}

Test(clock, other_sources_are_not_trusted)
{
    static const char *const others[] = {"hpet\n",
                                         "acpi_pm\n",
                                         "refined-jiffies\n",
                                         "jiffies\n",
                                         "hyperv_clocksource_msr\n",
                                         "tsc-early\n",
                                         "ts\n",
                                         ""};
    needs_tsc();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        cr_expect_not(takes_tsc(others[i], from_memory, NULL), "%s", others[i]);
        cr_expect_eq(readings, 0, "%s", others[i]);
    }
}

Test(clock, what_one_process_has_measured_counts_for_all)
{
    char text[256];
    needs_tsc();
    spur_clock_machine = (struct spur_clock_machine){source_of_test, from_memory};
    kernel_source = "kvm-clock\n";
    struct spur_clock_choice_made made = spur_clock_init(SPUR_CLOCK_AUTO, NULL), again;
    cr_expect(takes_tsc("kvm-clock\n", by_call, made.measured) && readings == 0);
    again = spur_clock_init(SPUR_CLOCK_AUTO, made.measured);
    cr_expect_str_eq(again.measured, made.measured);
    cr_expect_not(takes_tsc("xen\n", by_call, made.measured), "another source");
    cr_expect_not(takes_tsc("kvm-clock\n", by_call, "kvm-clock memory another.host"));
    cr_expect(readings > 0, "another host is measured anew");
    made = spur_clock_init(SPUR_CLOCK_AUTO, NULL);
    spur_clock_describe(text, sizeof text, &made);
    cr_expect(strstr(text, "CLOCK_MONOTONIC (the kernel uses kvm-clock, which programs read by a "
                           "system call), a reading takes ") == text,
              "%s", text);
    cr_expect_not(takes_tsc("kvm-clock\n", from_memory, made.measured), "the session knows");
}
#endif

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
    (void)spur_clock_init(SPUR_CLOCK_WANT_TSC, NULL);
    enum spur_clock_kind kind = spur_clock_kind();
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
    (void)spur_clock_init(SPUR_CLOCK_AUTO, NULL);
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
