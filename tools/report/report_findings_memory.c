/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that grows to the end of the run. Growing memory costs no time, so the finding has no rank
 * among the findings of time.
 */

#include "tools/base/quantity.h"
#include "tools/report/iterations/iterations.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

/*
 * A smaller growth comes from buffers and caches that reach their size. A smaller amount given back
 * is not told.
 */
enum { LEAST_GROWTH = 4 << 20, LEAST_PART = 20, GIVES_BACK = 8 };

static bool is_worth_it(struct memory_growth growth)
{
    return growth.bytes >= LEAST_GROWTH && growth.bytes >= growth.end / LEAST_PART;
}

/*
 * ", 12 MiB of it from leak.c:42": the site with the largest growth; and if the site's callers are
 * known, the path with the largest growth: ", and 10 MiB of that by main (leak.c:60) > get
 * (leak.c:42)". A part is no more than the whole, even if other sites give memory back meanwhile.
 */
static const char *part_of(const struct report *r, const struct memory_site *most, uint64_t grown)
{
    enum { FRAMES = 4 };
    char part[VALUE_BYTES];
    const struct memory_site *path = memory_paths_most(r, most);
    bytes_text(part, most->growth < grown ? most->growth : grown);
    char *text = make_text(", %s of it from %s", part, defs_site_name(&r->defs, most->site));
    if (!path)
        return text;
    bytes_text(part, path->growth < grown ? path->growth : grown);
    return make_text("%s, and %s of that by %s", text, part,
                     defs_path_name(&r->defs, path->path, FRAMES));
}

/* " It grows by 64 KiB with each of 200 iterations (each ends with MPI_Barrier at step.c:12)." */
static const char *each_time(struct report *r, const struct holding *held)
{
    char growth[VALUE_BYTES];
    double each;
    const struct loop *loop = iterations_of_memory(r, held, &each);
    if (!loop)
        return "";
    bytes_text(growth, quantity_whole(each + 0.5));
    return make_text(" It grows by about %s with each of %s iterations (each ends with %s).",
                     growth, words_count(loop->n), words_loop_end(r, loop));
}

/*
 * "it holds 45 MiB"; mapped memory, and memory given back at the very end, are told if the amounts
 * are large.
 */
static const char *held_by(const struct holding *held, uint64_t end)
{
    char text[VALUE_BYTES];
    char mapped[VALUE_BYTES];
    bytes_text(mapped, held->mapped);
    bytes_text(text, held->bytes);
    if (held->bytes < end - end / GIVES_BACK) {
        char before[VALUE_BYTES];
        bytes_text(before, end);
        return make_text("it holds %s before it gives back all but %s at its end", before, text);
    }
    return make_text("it holds %s at the end%s", text,
                     held->mapped > held->heap
                         ? make_text(", %s of it mapped past the allocator", mapped)
                         : "");
}

static struct finding finding_of(struct report *r, const struct holding *held)
{
    const struct memory_site *most = memory_sites_most(r, held->location);
    const struct memory_growth growth = memory_growth(held);
    struct finding found = {.kind = "memory_growth", .site = most ? most->site : NIL};
    char grown[VALUE_BYTES];
    bytes_text(grown, growth.bytes);
    place_add(&found.place, memory_slice_begin(r, MEMORY_SLICES / 2), held->time, held->location,
              held->location);
    found.text =
        make_text("The memory of %s grows until the run ends: by %s in its second half%s; %s.%s",
                  defs_process_name(&r->defs, held->process), grown,
                  most ? part_of(r, most, growth.bytes) : "", held_by(held, growth.end),
                  each_time(r, held));
    return found;
}

void findings_add_memory(struct report *r, struct findings *found)
{
    const struct holding *most = NULL;
    for (size_t i = 0; i < r->memory.all.n; i++) {
        const struct holding *held = &r->memory.all.at[i];
        struct memory_growth growth = memory_growth(held);
        if (is_worth_it(growth) && (!most || growth.bytes > memory_growth(most).bytes))
            most = held;
    }
    if (most)
        findings_insert(found, 0, finding_of(r, most));
}
