/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_words.h"

#include <stdint.h>

#include "tools/base/fail.h"
#include "tools/report/iterations/iterations.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

enum { NAME_COLUMNS = 50 };

const char *words_mostly_at(const struct report *r, uint32_t site)
{
    return site == NIL ? "" : make_text(", mostly at %s", defs_site_name(&r->defs, site));
}

const char *words_loop_end(const struct report *r, const struct loop *loop)
{
    return make_text("%s%s%s", defs_region_name(&r->defs, loop->region),
                     loop->site == NIL ? "" : " at ",
                     loop->site == NIL ? "" : defs_site_name(&r->defs, loop->site));
}

const char *words_time(const struct report *r, double ticks)
{
    char text[VALUE_BYTES];
    return copy_text(seconds_text(text, ticks / (double)r->defs.clock.ticks_per_second));
}

const char *words_percent(const struct report *r, double ticks)
{
    return make_text("%.*f %%", 100.0 * ticks < 9.95 * (double)r->sums.total ? 1 : 0,
                     100.0 * ticks / (double)r->sums.total);
}

const char *words_count(uint64_t n)
{
    char text[VALUE_BYTES];
    return copy_text(count_text(text, n));
}

const char *words_plural(uint64_t n, const char *noun)
{
    return make_text("%s %s%s", words_count(n), noun, n == 1 ? "" : "s");
}

const char *words_region(const struct report *r, uint32_t region)
{
    return text_fit(defs_region_name(&r->defs, region), r->is_wide ? SIZE_MAX : NAME_COLUMNS);
}
