/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of sampling: SPUR_SAMPLE, a rate or an event with a period, and the signal. */
#ifndef SPUR_SAMPLE_SETTING_H
#define SPUR_SAMPLE_SETTING_H

#include <stdint.h>

enum { SPUR_SAMPLE_HZ_MAX = 10000 };

struct spur_sample_setting {
    uint32_t hz;       /* samples a second of CPU time; 0: none, or by an event */
    const char *event; /* name of a row of sample_events.def, or NULL */
    uint32_t type;     /* of the event as in perf_event_open(2) */
    uint64_t config;
    uint64_t period; /* of the event */
};

#define SPUR_SAMPLE_NONE                                                                           \
    {                                                                                              \
        0                                                                                          \
    }

/* NULL when `text` is well-formed, else what was expected; *out is then kept. */
const char *spur_sample_parse(const char *text, struct spur_sample_setting *out);

/* The same of a signal's name, with or without SIG in front; *out is its number. */
const char *spur_sample_parse_signal(const char *text, int *out);

#endif
