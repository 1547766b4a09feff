/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings of files: the time for reading and writing, the time for opening files and asking for
 * metadata, and the waits of processes meanwhile.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/base/quantity.h"
#include "tools/report/causes/causes_opens.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

/* ---- reading and writing ---- */

/* The main use of a file by a process: reading or writing. */
struct user {
    uint32_t process;
    enum access_kind kind;
    uint32_t file; /* index in files */
    uint32_t site; /* place of most of the use; NIL: not known */
    uint64_t most; /* ticks at this site */
    struct moves moves;
};

/* Finds for each file the user that moves most bytes; all files in a single pass. */
static void find_main(const struct report *r, struct user *mains)
{
    LIST(struct user) users = {0};
    struct map index_of = {0};
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        const uint64_t who = (uint64_t)a->process << 1 | (a->kind == ACCESS_WRITE);
        if (!access_is_own(a))
            continue;
        uint32_t at = map_index(&index_of, who, a->file, users.n);
        if (at >= users.n)
            *LIST_ADD(&users) = (struct user){.process = a->process,
                                              .kind = (enum access_kind)a->kind,
                                              .file = a->file,
                                              .site = NIL};
        moves_add(&users.at[at].moves, &a->moves);
    }
    for (size_t i = 0; i < users.n; i++) {
        struct user *main = &mains[users.at[i].file];
        if (users.at[i].moves.bytes > main->moves.bytes)
            *main = users.at[i];
    }
    free(index_of.slots);
    free(users.at);
}

/* Finds the site with most of the use by each main user. */
static void find_sites(const struct report *r, struct user *mains)
{
    LIST(uint64_t) ticks = {0};
    struct map index_of = {0};
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        struct user *main = &mains[a->file];
        bool is_its = a->process == main->process && a->kind == main->kind;
        if (!main->moves.n || !access_is_own(a) || !is_its)
            continue;
        uint32_t at = map_index(&index_of, a->site, a->file, ticks.n);
        if (at >= ticks.n)
            *LIST_ADD(&ticks) = 0;
        ticks.at[at] += a->moves.ticks;
        if (ticks.at[at] > main->most) {
            main->most = ticks.at[at];
            main->site = a->site;
        }
    }
    free(index_of.slots);
    free(ticks.at);
}

/* The main user by file; to be freed. Without moves a file has no main user. */
static struct user *main_users(const struct report *r)
{
    size_t room = 0;
    struct user *mains = list_grow(NULL, &room, r->files.all.n + 1, sizeof *mains);
    for (size_t i = 0; i < r->files.all.n; i++)
        mains[i].site = NIL;
    find_main(r, mains);
    find_sites(r, mains);
    return mains;
}

/* " (98 % of them at random places)"; "" if most accesses are sequential. */
static const char *order_of(const struct moves *m)
{
    uint64_t judged = m->sequential + m->strided + m->random;
    if (judged && 2 * m->random > judged)
        return make_text(" (%.0f %% of them at random places)", percent_of(m->random, judged));
    if (judged && 2 * m->strided > judged)
        return make_text(" (%.0f %% of them strided)", percent_of(m->strided, judged));
    return "";
}

/*
 * " rank 0 writes 93 % of that in pieces of 4.000 KiB, mostly at a.c:5."; "" if no user moves most
 * of the bytes.
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

/*
 * " 4 processes write it in pieces of 100 bytes with gaps in between ..."; "" for fewer than two
 * processes.
 */
static const char *sharers_text(const struct file_sharers *sharers)
{
    char piece[VALUE_BYTES];
    if (sharers->n < 2)
        return "";
    bytes_text(piece, sharers->moves.bytes / sharers->moves.moved);
    return make_text(" %s processes write it in pieces of %s with gaps in between, so that several "
                     "may share each block of %d KiB.",
                     words_count(sharers->n), piece, ACCESS_BLOCK >> 10);
}

static void find_files(struct report *r, struct findings *found)
{
    char text[VALUE_BYTES];
    struct file_sum *sums = files_sum(r);
    struct file_sharers *sharers = files_sharers(r);
    struct user *users = main_users(r);
    for (size_t i = 0; i < r->files.all.n; i++) {
        const struct file *file = &r->files.all.at[i];
        const double ticks = (double)sums[i].own_ticks;
        if (!findings_is_worth_it(r, ticks))
            continue;
        const struct user *user = &users[i];
        bytes_text(text, sums[i].accesses.bytes);
        findings_add(found, "file", ticks, file->longest, user->site,
                     make_text("Reading and writing %s takes %s (%s of all time): %s in %s.%s%s",
                               defs_handle_file(&r->defs, file->handle), words_time(r, ticks),
                               words_percent(r, ticks), text,
                               words_plural(sums[i].accesses.n, "operation"),
                               who_text(r, user, sums[i].accesses.bytes),
                               sharers_text(&sharers[i])));
    }
    free(sharers);
    free(users);
    free(sums);
}

/* ---- opening and asking ---- */

/* The metadata call with the most time, and the longest single metadata call. */
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

/*
 * " In a storm of 4.000 s, from 1.200 s on, there are 12,000 a second, 11,900 of them by rank 3.";
 * "" without a storm.
 */
static const char *storm_text(const struct report *r, const struct storm *storm)
{
    if (!storm->calls)
        return "";
    const double seconds = defs_seconds(&r->defs, storm->end - storm->begin);
    const char *whose =
        r->sums.n_processes < 2
            ? ""
            : make_text(", %s of them by %s",
                        words_count(quantity_whole(round((double)storm->own / seconds))),
                        defs_process_name(&r->defs, storm->process));
    return make_text(" In a storm of %s, from %s on, there are %s a second%s.",
                     words_time(r, (double)(storm->end - storm->begin)),
                     words_time(r, (double)(storm->begin - r->first)),
                     words_count(quantity_whole(round(storms_rate(&r->defs, storm)))), whose);
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
    struct storm *storms = storms_find(&r->storms, &r->defs);
    const struct storm storm = storms[r->defs.processes.n];
    free(storms);
    if (!ticks || (!storm.calls && !findings_is_worth_it(r, (double)ticks)))
        return;
    struct place longest = {0};
    const uint32_t most = most_metadata(r, &longest);
    const uint32_t site = sites_most(r, most);
    const double seconds = defs_seconds(&r->defs, r->last - r->first);
    findings_add(found, "metadata", (double)ticks, longest, site,
                 make_text("Opening, closing and asking for files takes %s (%s of all time) in %s, "
                           "%s a second; %s takes most of it%s.%s",
                           words_time(r, (double)ticks), words_percent(r, (double)ticks),
                           words_plural(calls, "call"),
                           words_count(quantity_whole(round((double)calls / seconds))),
                           words_region(r, most), words_mostly_at(r, site), storm_text(r, &storm)));
}

/* ---- waiting to open ---- */

/* "rank 0 is first and takes 100.0 ms; rank 3 waits longest, 300.0 ms at a.c:10." */
static const char *who_waits(const struct report *r, const struct opens_wait *w)
{
    const uint32_t who = w->longest.location - 1;
    const uint32_t whom = w->longest.other - 1;
    const char *took = words_time(r, (double)w->whom_ticks);
    const char *does = w->is_collective ? "comes last"
                       : w->is_creation ? make_text("creates it, which takes %s", took)
                                        : make_text("is first and takes %s", took);
    return make_text("%s %s; %s waits longest, %s%s%s.", stands_name(r, whom, who), does,
                     stands_name(r, who, whom), words_time(r, (double)place_ticks(&w->longest)),
                     w->site == NIL ? "" : " at ",
                     w->site == NIL ? "" : defs_site_name(&r->defs, w->site));
}

static void find_opens(struct report *r, struct findings *found)
{
    size_t n;
    struct opens_wait *waits = opens_waits(r, &n);
    for (size_t i = 0; i < n; i++) {
        const struct opens_wait *w = &waits[i];
        if (!findings_is_worth_it(r, (double)w->ticks))
            break; /* the following openings have less */
        findings_add(found, "open", (double)w->ticks, w->longest, w->site,
                     make_text("Opening %s by %s, threads wait %s (%s of all time) %s, in %s of "
                               "%s: %s",
                               defs_handle_file(&r->defs, w->handle),
                               defs_handle_layer(&r->defs, w->handle),
                               words_time(r, (double)w->ticks), words_percent(r, (double)w->ticks),
                               w->is_collective ? "for the last to come" : "for each other",
                               words_count(w->n), words_plural(w->openings, "call"),
                               who_waits(r, w)));
    }
    free(waits);
}

void findings_of_files(struct report *r, struct findings *found)
{
    find_files(r, found);
    find_opens(r, found);
    find_metadata(r, found);
}
