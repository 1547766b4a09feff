/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/clock_choice.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#pragma weak __x86_get_cpuid_feature_leaf /* of glibc 2.33 and newer */
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
/*
 * A new C library has asked the processor: in a virtual machine the instruction costs about 10 us.
 */
static bool is_invariant(void)
{
#ifdef CPU_FEATURE_PRESENT
    if (__x86_get_cpuid_feature_leaf)
        return CPU_FEATURE_PRESENT(INVARIANT_TSC);
#endif
    const unsigned power_leaf = 0x80000007;
    const unsigned invariant = 1u << 8;
    unsigned a, b, c, d;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) && d & invariant;
}
#else
/* The architecture demands a constant rate of the counter, if there is a counter. */
static bool is_invariant(void)
{
    return sizeof SPUR_CLOCK_SOURCE > 1;
}
#endif

static bool is_served_source(const char *source)
{
    static const char *const served[] = {
#define SERVED_SOURCE(name) name,
#include "session/clock_verdicts.def"
        NULL};
    for (const char *const *at = served; *at; at++)
        if (strcmp(source, *at) == 0)
            return true;
    return false;
}

static int by_system_call(clockid_t id, struct timespec *time)
{
    return (int)syscall(SYS_clock_gettime, id, time);
}

/* Ticks of a reading of CLOCK_MONOTONIC, if less than `least`. */
static uint64_t least_of(uint64_t least, int (*read)(clockid_t, struct timespec *))
{
    struct timespec time;
    uint64_t before = spur_clock_tsc();
    bool is_read = read(CLOCK_MONOTONIC, &time) == 0;
    uint64_t took = spur_clock_tsc() - before;
    return is_read && took < least ? took : least;
}

/*
 * A reading by a system call takes at least as long as the call alone; further work of the machine
 * adds to both times.
 */
static bool makes_no_call(const struct spur_clock_machine *machine)
{
    enum { TRIES = 4, READINGS_A_TRY = 4 };
    uint64_t reading = UINT64_MAX, call = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        call = least_of(call, by_system_call);
        for (int k = 0; k < READINGS_A_TRY; k++)
            reading = least_of(reading, machine->read);
    }
    return call != UINT64_MAX && reading < call - call / 4;
}

/* True: the session has measured the same already. */
static bool put_measured(struct spur_clock_choice_made *made, const struct utsname *host,
                         bool is_free, const char *measured)
{
    snprintf(made->measured, sizeof made->measured, "%s %s %s", made->source,
             is_free ? "memory" : "call", host->nodename);
    return measured && strcmp(measured, made->measured) == 0;
}

/* The session's knowledge of the source, or else a measurement now. */
static bool is_served(struct spur_clock_choice_made *made, const struct spur_clock_machine *machine,
                      const char *measured)
{
    struct utsname host = {.nodename = ""};
    uname(&host);
    if (put_measured(made, &host, true, measured))
        return true;
    if (put_measured(made, &host, false, measured))
        return false;
    bool is_free = makes_no_call(machine);
    (void)put_measured(made, &host, is_free, NULL);
    return is_free;
}

struct spur_clock_choice_made spur_clock_choose(enum spur_clock_choice wish, bool is_forbidden,
                                                const struct spur_clock_machine *machine,
                                                const char *measured)
{
    struct spur_clock_choice_made made = {.verdict = SPUR_CLOCK_IS_OTHER};
    if (wish == SPUR_CLOCK_WANT_MONOTONIC)
        made.verdict = SPUR_CLOCK_IS_UNWANTED;
    else if (is_forbidden)
        made.verdict = SPUR_CLOCK_IS_FORBIDDEN;
    else if (!is_invariant())
        made.verdict = SPUR_CLOCK_IS_UNSTEADY;
    else if (wish == SPUR_CLOCK_WANT_TSC)
        made.verdict = SPUR_CLOCK_IS_WANTED;
    if (made.verdict != SPUR_CLOCK_IS_OTHER)
        return made;
    machine->source(made.source, sizeof made.source);
    made.source[strcspn(made.source, "\n")] = '\0';
    if (strcmp(made.source, SPUR_CLOCK_SOURCE) == 0)
        made.verdict = SPUR_CLOCK_IS_USED;
    else if (is_served_source(made.source))
        made.verdict =
            is_served(&made, machine, measured) ? SPUR_CLOCK_IS_SERVED : SPUR_CLOCK_IS_CALLED;
    return made;
}

static const struct {
    bool is_counter;
    const char *words, *more;
} verdicts[] = {
#define VERDICT(NAME, is_counter, words, more) {is_counter, words, more},
#include "session/clock_verdicts.def"
};

bool spur_clock_takes_counter(const struct spur_clock_choice_made *made)
{
    return verdicts[made->verdict].is_counter;
}

/* In ns, for the clock that times events. */
static double cost_of_reading(bool is_counter)
{
    enum { READINGS = 100, TRIES = 10 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = spur_clock_monotonic();
        for (int k = 0; k < READINGS; k++)
            (void)(is_counter ? spur_clock_tsc() : spur_clock_monotonic());
        uint64_t took = spur_clock_monotonic() - before;
        least = took < least ? took : least;
    }
    return (double)least / READINGS;
}

void spur_clock_describe(char *text, size_t size, const struct spur_clock_choice_made *made)
{
    const char *source = made->source[0] ? made->source : "an unknown source";
    bool is_counter = spur_clock_takes_counter(made);
    const char *more = verdicts[made->verdict].more;
    snprintf(text, size, "%s (%s%s%s), a reading takes %.0f ns",
             is_counter ? SPUR_CLOCK_COUNTER : "CLOCK_MONOTONIC", verdicts[made->verdict].words,
             more ? source : "", more ? more : "", cost_of_reading(is_counter));
}
