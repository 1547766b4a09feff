/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_filter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/part_file.h"
#include "tools/base/stream_fault.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"
#include "tools/report/topics/report_cost.h"

/* What a pattern would take for something else is literal behind a backslash. */
static void put_pattern(const char *name, FILE *file)
{
    for (; *name; name++) {
        if (strchr("*?[]\\# ", *name))
            putc('\\', file);
        putc(*name, file);
    }
}

/* Regions of one name need one rule. */
static bool is_first(const struct report *r, uint32_t region)
{
    for (uint32_t i = REGIONS_OWN; i < region; i++)
        if (r->costs.regions.at[i].is_advised &&
            !strcmp(defs_region_name(&r->defs, i), defs_region_name(&r->defs, region)))
            return false;
    return true;
}

/* How many patterns there are. */
static size_t put_rules(const struct report *r, FILE *file)
{
    size_t n = 0;
    for (uint32_t i = REGIONS_OWN; i < r->costs.regions.n; i++) {
        if (!r->costs.regions.at[i].is_advised || !is_first(r, i))
            continue;
        n++;
        if (!file)
            continue;
        fputs("  EXCLUDE ", file);
        put_pattern(defs_region_name(&r->defs, i), file);
        putc('\n', file);
    }
    return n;
}

static void write_file(const struct report *r, const char *path)
{
    struct stat st;
    if (part_file_is_new(path) && !stat(path, &st))
        fail("cannot make %s: %s; remove it, or give --suggest-filter another name", path,
             strerror(EEXIST));
    FILE *file = fdopen(part_file_open(path), "w");
    if (!file)
        fail("cannot make %s: %s", path, strerror(errno));
    fputs("# Made by 'spur report --suggest-filter': regions of many events and little time.\n"
          "SCOREP_REGION_NAMES_BEGIN\n",
          file);
    put_rules(r, file);
    fputs("SCOREP_REGION_NAMES_END\n", file);
    const char *fault = stream_end(file);
    if (!fault && !part_file_done())
        fault = strerror(errno);
    if (fault)
        fail("cannot write %s: %s", path, fault);
}

void filter_suggest(struct report *r, const char *path, FILE *out)
{
    const struct cost *all = &costs_make(r)->all;
    char goes[VALUE_BYTES], events[VALUE_BYTES], bytes[VALUE_BYTES], whole[VALUE_BYTES];
    size_t n = put_rules(r, NULL);
    if (!n) {
        fprintf(out, "no region has many events and little time: %s is not made\n", path);
        return;
    }
    write_file(r, path);
    fprintf(out,
            "%s leaves out %zu region%s: %s of %s events, about %s of %s; "
            "'spur --filter %s COMMAND' uses it\n",
            path, n, n == 1 ? "" : "s", count_text(goes, all->goes),
            count_text(events, all->events), bytes_text(bytes, all->goes_bytes),
            bytes_text(whole, all->bytes), path);
}
