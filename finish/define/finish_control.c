/* SPDX-License-Identifier: BSD-3-Clause */
/* What was not recorded because somebody wanted it so: properties of the archive, and the summary.
 */
#include <stdio.h>
#include <string.h>

#include "finish/define/finish_define.h"
#include "session/properties.h"

struct control {
    uint64_t paused;   /* processes */
    uint64_t filtered; /* regions, in the process that left out most */
    uint64_t damaged;  /* processes whose files were damaged afterwards */
    uint64_t shortest; /* ns of a call that is recorded */
    uint64_t short_calls;
    uint64_t fibre_calls;
};

static struct control control_of(const struct finish *f)
{
    struct control sum = {.short_calls = f->short_calls};
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct spur_segment *head = &f->process[i]->head;
        sum.damaged += f->process[i]->is_damaged;
        sum.short_calls += head->short_calls;
        sum.fibre_calls += head->fibre_calls;
        if (head->min_duration > sum.shortest)
            sum.shortest = head->min_duration;
        sum.paused += head->began_off || head->pauses;
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
    OTF2_ErrorCode error = put(f, SPUR_SAYS_PAUSED_PROCESSES, sum.paused);
    if (!error)
        error = put(f, SPUR_SAYS_DAMAGED_PROCESSES, sum.damaged);
    if (!error)
        error = put(f, SPUR_SAYS_FILTERED_REGIONS, sum.filtered);
    if (!error)
        error = put(f, SPUR_SAYS_MIN_DURATION, sum.shortest);
    if (!error)
        error = put(f, SPUR_SAYS_FIBRE_CALLS, sum.fibre_calls);
    return error ? error : put(f, SPUR_SAYS_SHORT_CALLS, sum.short_calls);
}

void finish_control_say(const struct finish *f, char *text, size_t size)
{
    struct control sum = control_of(f);
    size_t at = 0;
    text[0] = '\0';
    if (f->repaired)
        at += (size_t)snprintf(text + at, size - at, "; %llu event%s added to close what was open",
                               (unsigned long long)f->repaired, f->repaired == 1 ? "" : "s");
    if (sum.paused && at < size)
        at += (size_t)snprintf(text + at, size - at, "; recording was paused in %llu process%s",
                               (unsigned long long)sum.paused, sum.paused == 1 ? "" : "es");
    if (sum.damaged && at < size)
        at += (size_t)snprintf(text + at, size - at,
                               "; definitions of %llu process%s are damaged: some events refer to "
                               "nothing",
                               (unsigned long long)sum.damaged, sum.damaged == 1 ? "" : "es");
    if (sum.filtered && at < size)
        at += (size_t)snprintf(text + at, size - at, "; %llu region%s left out by the filter",
                               (unsigned long long)sum.filtered, sum.filtered == 1 ? "" : "s");
    if (sum.fibre_calls && at < size)
        at +=
            (size_t)snprintf(text + at, size - at,
                             "; at least %llu call%s left out: fibres took turns in others",
                             (unsigned long long)sum.fibre_calls, sum.fibre_calls == 1 ? "" : "s");
    if (sum.short_calls && at < size)
        snprintf(text + at, size - at, "; %llu short call%s only counted",
                 (unsigned long long)sum.short_calls, sum.short_calls == 1 ? "" : "s");
}
