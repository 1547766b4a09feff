/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings of devices: what they do, what copies take, and why they do nothing. */
#include <string.h>

#include "tools/base/quantity.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_sections.h"
#include "tools/report/topics/report.h"
#include "wrappers/device/device_marks.h"

static const char *who(const struct report *r, const struct device *d)
{
    return make_text("%s of %s", defs_process_name(&r->defs, d->device),
                     defs_process_name(&r->defs, d->owner));
}

/* The longest work would be shown best, but all of it is what costs: from the first to the last. */
static struct place life_of(const struct report *r, const struct device *d)
{
    struct place place = {0};
    for (uint32_t i = 0; i < r->defs.locations.n && !place.location; i++)
        if (r->defs.locations.at[i].process == d->device)
            place_add(&place, d->first, d->last, i, i);
    return place;
}

/* ---- kernels ---- */

static const struct work_sum *main_kernel(const struct report *r, const struct device *d)
{
    const struct work_sum *most = NULL;
    for (size_t i = 0; i < r->devices.work.n; i++) {
        const struct work_sum *work = &r->devices.work.at[i];
        if (work->device == d->device && work->kind == WORK_KERNEL &&
            (!most || work->ticks > most->ticks))
            most = work;
    }
    return most;
}

static void find_kernels(struct report *r, const struct device *d, struct findings *found)
{
    const struct work_sum *kernel = main_kernel(r, d);
    if (!kernel || !findings_is_worth_it(r, (double)d->kernels))
        return;
    findings_add(found, "device_kernels", (double)d->kernels, life_of(r, d), NIL,
                 make_text("%s runs kernels for %s, %.0f %% of the time from its first work to its "
                           "last; most of it is %s: %s in %s, %s each.",
                           who(r, d), words_time(r, (double)d->kernels),
                           percent_of(d->kernels, d->last - d->first),
                           words_region(r, kernel->region), words_time(r, (double)kernel->ticks),
                           words_plural(kernel->n, "call"),
                           words_time(r, (double)kernel->ticks / (double)kernel->n)));
}

/* ---- copies ---- */

static uint64_t bytes_of(const struct report *r, const struct device *d, unsigned kind)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->devices.work.n; i++) {
        const struct work_sum *work = &r->devices.work.at[i];
        bytes += work->device == d->device && work->kind == kind ? work->bytes : 0;
    }
    return bytes;
}

static void find_copies(struct report *r, const struct device *d, struct findings *found)
{
    const uint64_t alone = d->copies - d->both;
    char to_device[VALUE_BYTES];
    char to_host[VALUE_BYTES];
    if (!findings_is_worth_it(r, (double)alone))
        return;
    findings_add(found, "device_copies", (double)alone, life_of(r, d), NIL,
                 make_text("%s copies for %s while no kernel runs, %.0f %% of the time of its "
                           "copies: %s to the device, %s to the host.",
                           who(r, d), words_time(r, (double)alone), percent_of(alone, d->copies),
                           bytes_text(to_device, bytes_of(r, d, WORK_TO_DEVICE)),
                           bytes_text(to_host, bytes_of(r, d, WORK_TO_HOST))));
}

/* Between the host and the device, of host memory that is pinned or is not. */
struct transfers {
    uint64_t bytes, ticks;
};

static struct transfers transfers_of(const struct report *r, const struct device *d,
                                     bool is_pageable)
{
    struct transfers all = {0, 0};
    for (size_t i = 0; i < r->devices.work.n; i++) {
        const struct work_sum *work = &r->devices.work.at[i];
        const char *mark = DEVICE_PAGEABLE, *name = defs_region_name(&r->defs, work->region);
        const size_t n = strlen(name), length = strlen(mark);
        if (work->device != d->device || work->kind < WORK_TO_DEVICE || work->kind > WORK_TO_HOST ||
            (n >= length && strcmp(name + n - length, mark) == 0) != is_pageable)
            continue;
        all.bytes += work->bytes;
        all.ticks += work->ticks;
    }
    return all;
}

static const char *rate_text(const struct report *r, char text[VALUE_BYTES],
                             const struct transfers *of)
{
    const double seconds = defs_seconds(&r->defs, of->ticks);
    return bytes_text(text, of->ticks ? quantity_whole((double)of->bytes / seconds) : 0);
}

static void find_pageable(struct report *r, const struct device *d, struct findings *found)
{
    const struct transfers slow = transfers_of(r, d, true), pinned = transfers_of(r, d, false);
    char bytes[VALUE_BYTES], rate[VALUE_BYTES], better[VALUE_BYTES];
    if (!findings_is_worth_it(r, (double)slow.ticks))
        return;
    const char *others =
        pinned.ticks ? make_text(", that of pinned memory %s/s", rate_text(r, better, &pinned))
                     : "";
    findings_add(found, "device_pageable", (double)slow.ticks, life_of(r, d), NIL,
                 make_text("%s copies %s to or from host memory that is not pinned, %.0f %% of all "
                           "bytes between the two, for %s: %s/s%s. Pinned memory "
                           "(cudaHostAlloc, zeMemAllocHost) is copied faster, and while the host "
                           "goes on.",
                           who(r, d), bytes_text(bytes, slow.bytes),
                           percent_of(slow.bytes, slow.bytes + pinned.bytes),
                           words_time(r, (double)slow.ticks), rate_text(r, rate, &slow), others));
}

/* ---- gaps ---- */

static void find_gaps(struct report *r, const struct device *d, struct findings *found)
{
    static const char *const causes[IDLE_CAUSES] = {
        [IDLE_PROGRAM] = "the thread that gives the next work does something else",
        [IDLE_MPI] = "that thread is in MPI",
        [IDLE_WAIT] = "that thread is in a call that waits for devices",
        [IDLE_CALLS] = "that thread is in another call of the runtime",
        [IDLE_LAUNCH] = "the next work is given, but has not begun",
        [IDLE_UNKNOWN] = "nobody knows who gives the next work",
    };
    const uint64_t idle = device_idle(d);
    unsigned most = 0;
    struct place longest = {0};
    if (!findings_is_worth_it(r, (double)idle))
        return;
    for (unsigned cause = 1; cause < IDLE_CAUSES; cause++)
        most = d->idle[cause] > d->idle[most] ? cause : most;
    place_add(&longest, d->gap_begin, d->gap_end, d->gap_location, d->gap_location);
    const char *after =
        2 * d->synchronised > idle
            ? make_text(" %.0f %% of it follows on a call that waits for the device: more work "
                        "given ahead would fill it.",
                        percent_of(d->synchronised, idle))
            : "";
    findings_add(
        found, "device_idle", (double)idle, longest, NIL,
        make_text("%s has nothing to do for %s, %.0f %% of the time from its first work to its "
                  "last, in %s. For %.0f %% of that %s.%s",
                  who(r, d), words_time(r, (double)idle), percent_of(idle, d->last - d->first),
                  words_plural(d->gaps, "gap"), percent_of(d->idle[most], idle), causes[most],
                  after));
}

void findings_of_devices(struct report *r, struct findings *found)
{
    for (size_t i = 0; i < r->devices.all.n; i++) {
        const struct device *d = &r->devices.all.at[i];
        if (!has_device(r, d->device))
            continue;
        find_kernels(r, d, found);
        find_copies(r, d, found);
        find_pageable(r, d, found);
        find_gaps(r, d, found);
    }
}
