/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/sample_setting.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A number of decimal digits, and nothing else. */
static bool read_number(const char *text, uint64_t *out)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > (UINT64_MAX / 2 - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    *out = n;
    return p > text && !*p;
}

const char *spur_sample_parse(const char *text, struct spur_sample_setting *out)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
    } events[] = {
#define SAMPLE_EVENT(name, TYPE, CONFIG) {name, PERF_TYPE_##TYPE, CONFIG},
#include "settings/sample_events.def"
#undef SAMPLE_EVENT
    };
    uint64_t number;
    const char *colon = strchr(text, ':');
    if (!colon) {
        if (!read_number(text, &number) || number < 1 || number > SPUR_SAMPLE_HZ_MAX)
            return "is neither a rate from 1 to 10000 a second nor EVENT:PERIOD";
        *out = (struct spur_sample_setting){.hz = (uint32_t)number};
        return NULL;
    }
    if (!read_number(colon + 1, &number) || number < 1)
        return "has no period: a number of events";
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (strncmp(text, events[i].name, (size_t)(colon - text)) != 0 ||
            events[i].name[colon - text])
            continue;
        *out = (struct spur_sample_setting){.event = events[i].name,
                                            .type = events[i].type,
                                            .config = events[i].config,
                                            .period = number};
        return NULL;
    }
    return "names no event that can be sampled (see docs/sampling.md)";
}

/* Those that neither the kernel nor the C library gives a meaning that no handler may change. */
const char *spur_sample_parse_signal(const char *text, int *out)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"URG", SIGURG},       {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM},
                   {"STKFLT", SIGSTKFLT}, {"PWR", SIGPWR},   {"IO", SIGIO},
                   {"WINCH", SIGWINCH},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (strcmp(text, signals[i].name) == 0) {
            *out = signals[i].number;
            return NULL;
        }
    }
    return "is not URG, PROF, VTALRM, STKFLT, PWR, IO, WINCH, USR1 or USR2";
}
