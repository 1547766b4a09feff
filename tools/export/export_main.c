/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-export --to FORMAT [OPTION]... ARCHIVE: an archive for other tools. See export.h for its
 * parts, and docs/export.md for what is written.
 *
 * Status: 0; 1 when the archive, or a part of it, could not be read, or nothing be written, or more
 * than the limit would be; 2 for wrong use.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/archive_path.h"
#include "tools/base/options.h"
#include "tools/base/quantity.h"
#include "tools/export/export_options.h"
#include "tools/export/export_output.h"
#include "tools/export/export_pass.h"
#include "tools/export/export_workers.h"

/* ---- which locations ---- */

static void choose_locations(struct export *x)
{
    bool *is_chosen = archive_choice(&x->archive, x->wish.locations);
    for (size_t i = 0; i < x->defs.locations.n; i++)
        x->lanes[i].is_chosen = is_chosen[i];
    free(is_chosen);
}

/* ---- the window ---- */

/* Ticks, or the greatest number of them. */
static uint64_t ticks(const struct export *x, double seconds, uint64_t from)
{
    uint64_t n = quantity_whole(round(seconds * (double)x->defs.clock.ticks_per_second));
    return n < UINT64_MAX - from ? from + n : UINT64_MAX;
}

static void set_window(struct export *x)
{
    const struct wish *w = &x->wish;
    defs_need_time(w->from, defs_seconds(&x->defs, x->defs.clock.length));
    x->from = w->from > 0.0 ? ticks(x, w->from, x->defs.clock.start) : 0;
    x->to = ticks(x, w->to, x->defs.clock.start);
    x->min_duration = ticks(x, w->min_duration, 0);
}

/* ---- how much it will be ---- */

/* At most: of short calls nobody knows how many they are. */
static double estimate(const struct export *x)
{
    double n = 0.0;
    double length = defs_seconds(&x->defs, x->defs.clock.length);
    double to = x->wish.to < length ? x->wish.to : length;
    double part = length > 0.0 ? (to - x->wish.from) / length : 1.0;
    for (size_t i = 0; i < x->defs.locations.n; i++)
        if (x->lanes[i].is_chosen)
            n += (double)x->defs.locations.at[i].n_events;
    return n * x->wish.format->bytes * (part > 1.0 ? 1.0 : part < 0.0 ? 0.0 : part);
}

static char *size_text(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024.0 && unit < 4) {
        bytes /= 1024.0;
        unit++;
    }
    return make_text(unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static void check_size(const struct export *x)
{
    double bytes = estimate(x);
    double limit = x->wish.limit < 0.0 ? x->wish.format->limit : x->wish.limit;
    if (x->wish.is_estimate) {
        printf("about %s\n", size_text(bytes));
        exit(0);
    }
    if (bytes > limit)
        fail("%s as %s would be about %s, the limit is %s; --time, --location and "
             "--min-duration make it less, --limit lifts it",
             x->archive.path, x->wish.format->name, size_text(bytes), size_text(limit));
}

/* ---- all of it ---- */

int main(int argc, char **argv)
{
    static struct export x;
    (void)argc;
    engine_start();
    x.wish = export_options(argv + 1);
    const struct format *format = x.wish.format;
    archive_open(&x.archive, x.wish.path, &x.defs);
    engine_ask_threads(x.wish.threads);
    if (engine_has_ranks())
        engine_same(x.archive.path, archive_digest(x.archive.path));
    pass_init(&x);
    choose_locations(&x);
    set_window(&x);
    check_size(&x);
    workers_export(&x);
    if (format->again)
        format->again(&x);
    if (format->close)
        format->close(&x);
    if (!x.archive.trouble)
        return 0;
    archive_say_part(x.archive.path, x.archive.trouble, "exported");
    return 1;
}
