/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings of files: what reading and writing takes, and what opening and asking for them takes. */
#include <math.h>
#include <stdlib.h>

#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

/* ---- reading and writing ---- */

/* What a process does most with a file: it reads, or it writes. */
struct user {
    uint32_t process;
    enum access_kind kind;
    uint32_t site; /* where it does that most */
    struct moves moves;
};

static bool is_its(const struct user *user, const struct access *a, size_t file)
{
    return a->file == file && a->process == user->process && a->kind == user->kind && !a->is_below;
}

static struct user user_of(const struct report *r, size_t file, const struct access *first)
{
    struct user user = {.process = first->process, .kind = (enum access_kind)first->kind};
    uint64_t most = 0;
    struct map index_of = {0};
    LIST(uint64_t) ticks = {0};
    user.site = NIL;
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        if (!is_its(&user, a, file))
            continue;
        moves_add(&user.moves, &a->moves);
        uint32_t at = map_index(&index_of, a->site, 0, ticks.n);
        if (at >= ticks.n)
            *LIST_ADD(&ticks) = 0;
        ticks.at[at] += a->moves.ticks;
        if (ticks.at[at] > most) {
            most = ticks.at[at];
            user.site = a->site;
        }
    }
    free(index_of.slots);
    free(ticks.at);
    return user;
}

/* The one that moves most bytes. */
static struct user main_user(const struct report *r, size_t file)
{
    struct user main = {.site = NIL};
    struct map is_known = {0};
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        if (a->file != file || a->is_below || a->kind > ACCESS_WRITE ||
            map_find(&is_known, a->process, a->kind) != NIL)
            continue;
        map_set(&is_known, a->process, a->kind, 1);
        struct user user = user_of(r, file, a);
        if (user.moves.bytes > main.moves.bytes)
            main = user;
    }
    free(is_known.slots);
    return main;
}

/* " (98 % of them at random places)"; "" if most go on where the one before has ended. */
static const char *order_of(const struct moves *m)
{
    uint64_t judged = m->sequential + m->strided + m->random;
    if (judged && 2 * m->random > judged)
        return make_text(" (%.0f %% of them at random places)", percent_of(m->random, judged));
    if (judged && 2 * m->strided > judged)
        return make_text(" (%.0f %% of them strided)", percent_of(m->strided, judged));
    return "";
}

/* " rank 0 writes 93 % of that in pieces of 4.000 KiB, mostly at a.c:5."; "" if nobody does most.
 */
static const char *who_text(const struct report *r, const struct user *user, uint64_t bytes)
{
    char piece[VALUE_BYTES];
    if (!user->moves.moved || 2 * user->moves.bytes < bytes)
        return "";
    bytes_text(piece, user->moves.bytes / user->moves.moved);
    return make_text(" %s %s %.0f %% of that in pieces of %s%s%s.",
                     r->sums.n_processes > 1 ? defs_process_name(&r->defs, user->process)
                                             : "The program",
                     user->kind == ACCESS_READ ? "reads" : "writes",
                     percent_of(user->moves.bytes, bytes), piece, order_of(&user->moves),
                     words_mostly_at(r, user->site));
}

static void find_files(struct report *r, struct findings *found)
{
    char text[VALUE_BYTES];
    struct file_sum *sums = files_sum(r);
    for (size_t i = 0; i < r->files.all.n; i++) {
        const struct file *file = &r->files.all.at[i];
        const double ticks = (double)sums[i].own_ticks;
        if (!findings_is_worth_it(r, ticks))
            continue;
        const struct user user = main_user(r, i);
        bytes_text(text, sums[i].accesses.bytes);
        findings_add(found, "file", ticks, file->longest, user.site,
                     make_text("Reading and writing %s takes %s (%s of all time): %s in %s.%s",
                               defs_handle_file(&r->defs, file->handle), words_time(r, ticks),
                               words_percent(r, ticks), text,
                               words_plural(sums[i].accesses.n, "operation"),
                               who_text(r, &user, sums[i].accesses.bytes)));
    }
    free(sums);
}

/* ---- opening and asking ---- */

/* The metadata call with the most time, and the longest of all such calls. */
static uint32_t most_metadata(const struct report *r, struct place *longest)
{
    uint32_t most = NIL;
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (r->defs.regions.at[node->region].role != OTF2_REGION_ROLE_FILE_IO_METADATA ||
            !r->is_selected[node->location])
            continue;
        place_add(longest, node->max_at, node->max_at + node->max, node->location, node->location);
        if (most == NIL || r->sums.regions.at[node->region].total > r->sums.regions.at[most].total)
            most = node->region;
    }
    return most;
}

static void find_metadata(struct report *r, struct findings *found)
{
    struct file_times *times = files_times(r);
    uint64_t calls = 0;
    uint64_t ticks = 0;
    for (size_t i = 0; i < r->defs.processes.n; i++) {
        calls += times[i].metadata_calls;
        ticks += times[i].metadata_ticks;
    }
    free(times);
    if (!findings_is_worth_it(r, (double)ticks))
        return;
    struct place longest = {0};
    const uint32_t most = most_metadata(r, &longest);
    const uint32_t site = sites_most(r, most);
    const double seconds = defs_seconds(&r->defs, r->last - r->first);
    findings_add(found, "metadata", (double)ticks, longest, site,
                 make_text("Opening, closing and asking for files takes %s (%s of all time) in %s, "
                           "%s a second; %s takes most of it%s.",
                           words_time(r, (double)ticks), words_percent(r, (double)ticks),
                           words_plural(calls, "call"),
                           words_count((uint64_t)llround((double)calls / seconds)),
                           words_region(r, most), words_mostly_at(r, site)));
}

void findings_of_files(struct report *r, struct findings *found)
{
    find_files(r, found);
    find_metadata(r, found);
}
