/* SPDX-License-Identifier: BSD-3-Clause */
/* What was not recorded because somebody wanted it so: properties of the archive, and the summary.
 */
#include <stdio.h>
#include <string.h>

#include "agent/finish_parts.h"

struct control {
    uint64_t paused;    /* processes */
    uint64_t filtered;  /* regions, in the process that left out most */
    uint64_t collapsed; /* calls */
};

static struct control control_of(const struct finish *f)
{
    struct control sum = {0};
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct spur_segment *head = &f->process[i]->head;
        sum.paused += head->began_off || head->pauses;
        sum.collapsed += head->collapsed;
        if (head->filtered > sum.filtered)
            sum.filtered = head->filtered;
    }
    return sum;
}

static OTF2_ErrorCode put(const struct finish *f, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return value ? OTF2_Archive_SetProperty(f->archive, name, text, true) : OTF2_SUCCESS;
}

OTF2_ErrorCode finish_control_properties(const struct finish *f)
{
    struct control sum = control_of(f);
    OTF2_ErrorCode error = put(f, "SPUR::PAUSED_PROCESSES", sum.paused);
    error = error ? error : put(f, "SPUR::FILTERED_REGIONS", sum.filtered);
    return error ? error : put(f, "SPUR::SHORT_CALLS", sum.collapsed);
}

/* "1.2 million" */
static void write_number(uint64_t n, char *text, size_t size)
{
    static const char *const units[] = {"", " thousand", " million", " billion"};
    double value = (double)n;
    size_t unit = 0;
    while (n >= 100000 && value >= 1000 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1000;
        unit++;
    }
    snprintf(text, size, "%.*f%s", unit ? 1 : 0, value, units[unit]);
}

void finish_control_say(const struct finish *f, char *text, size_t size)
{
    struct control sum = control_of(f);
    char number[32];
    size_t at = 0;
    text[0] = '\0';
    if (sum.paused)
        at += (size_t)snprintf(text + at, size - at, "; paused at times in %llu",
                               (unsigned long long)sum.paused);
    if (sum.filtered)
        at += (size_t)snprintf(text + at, size - at, "; %llu region%s left out by the filter",
                               (unsigned long long)sum.filtered, sum.filtered == 1 ? "" : "s");
    write_number(sum.collapsed, number, sizeof number);
    if (sum.collapsed)
        snprintf(text + at, size - at, "; %s short call%s only counted", number,
                 sum.collapsed == 1 ? "" : "s");
}
