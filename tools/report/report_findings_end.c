/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a run that ended badly: the first process to end, the cause, the call, the line, and
 * the number of processes that followed. Such a finding comes before all further findings. The
 * facts are in the properties of processes (docs/survival.md) and in the calls of MPI_Abort, which
 * a rank may survive.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

/*
 * The lower the value, the more a process ended by its own doing, and the likelier further
 * processes followed.
 */
enum bad { BAD_ABORT, BAD_CRASH, BAD_STATUS, BAD_KILLED, BAD_UNKNOWN, BADS, WELL = BADS };

struct badly {
    enum bad how;
    uint32_t process;
    uint64_t time; /* of MPI_Abort, or else of the last event */
    uint32_t node; /* of MPI_Abort; NIL: no call */
};

static bool begins(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/*
 * A program gets the signals in `own` by its own doing. All remaining signals are sent by a
 * launcher, a user, a timer or a batch system.
 */
static enum bad of_signal(const char *name)
{
    static const char *const own[] = {"SIGSEGV", "SIGBUS",  "SIGILL", "SIGFPE",
                                      "SIGABRT", "SIGTRAP", "SIGSYS"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (begins(name, own[i]))
            return BAD_CRASH;
    return BAD_KILLED;
}

static enum bad how_of(const char *end)
{
    static const char killed[] = "killed by ", status[] = "exit status ";
    if (begins(end, "MPI_Abort("))
        return BAD_ABORT;
    if (begins(end, killed))
        return of_signal(end + sizeof killed - 1);
    if (begins(end, status))
        return strtoul(end + sizeof status - 1, NULL, 10) ? BAD_STATUS : WELL;
    if (begins(end, "abort"))
        return BAD_CRASH;
    return begins(end, "died") ? BAD_UNKNOWN : WELL;
}

/* Programs started by a program may fail at will: a shell asks grep. */
static bool is_of_run(const struct process *p)
{
    return p->rank != NIL || p->creator == NIL;
}

/* The first call of MPI_Abort. */
static void find_abort(const struct report *r, struct badly *b)
{
    for (uint32_t i = 0; b->how == BAD_ABORT && i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (r->profile.streams[node->location].process != b->process ||
            strcmp(defs_region_name(&r->defs, node->region), "MPI_Abort") != 0 ||
            (b->node != NIL && node->born >= b->time))
            continue;
        b->node = i;
        b->time = node->born;
    }
}

static bool is_before(const struct badly *a, const struct badly *b)
{
    /* Both end all by themselves: time decides. */
    enum bad x = a->how == BAD_ABORT ? BAD_CRASH : a->how;
    enum bad y = b->how == BAD_ABORT ? BAD_CRASH : b->how;
    return x != y ? x < y : a->time < b->time;
}

/*
 * The first process to end badly; of[]: the number of processes of the run that ended in each way.
 */
static struct badly find_first(const struct report *r, uint64_t of[BADS])
{
    struct badly first = {.how = WELL};
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        const struct process *p = &r->defs.processes.at[i];
        const struct spent *spent = &r->sums.processes.at[i];
        struct badly b = {how_of(defs_text(&r->defs, p->end)), i, spent->last, NIL};
        if (b.how == WELL || p->is_device || (r->is_part && !spent->n_threads))
            continue;
        if (is_of_run(p))
            of[b.how]++;
        else if (b.how != BAD_CRASH)
            continue;
        find_abort(r, &b);
        if (first.how == WELL || is_before(&b, &first))
            first = b;
    }
    return first;
}

/* ---- in words ---- */

/* The place of the crash, or else the call at the end; a text with a blank before, or "". */
static const char *scene_of(const struct report *r, const struct badly *b, uint32_t *site)
{
    const struct process *p = &r->defs.processes.at[b->process];
    const char *crash = defs_text(&r->defs, p->crash_place);
    const struct standing *at = p->main == NIL ? NULL : stands_of(r, p->main);
    if (b->node != NIL)
        *site = r->profile.nodes.at[b->node].site;
    else if (*crash)
        return make_text(" %s", crash);
    else if (at)
        *site = at->site;
    const char *line = *site == NIL ? "" : make_text(" at %s", defs_site_name(&r->defs, *site));
    if (b->node != NIL || !at || at->region < REGIONS_OWN)
        return line;
    return make_text(" in %s%s", defs_region_name(&r->defs, at->region), line);
}

static const char *did(const struct report *r, const struct badly *b)
{
    const char *end = defs_text(&r->defs, r->defs.processes.at[b->process].end);
    switch (b->how) {
    case BAD_ABORT:
        return make_text("called %.*s", (int)strcspn(end, ","), end);
    case BAD_CRASH:
        return begins(end, "abort") ? "called abort()" : make_text("was %s", end);
    case BAD_KILLED:
        return make_text("was %s", end);
    case BAD_STATUS:
        return make_text("ended with %s", end);
    case BAD_UNKNOWN:
    case WELL:
        break;
    }
    return "died, and no recorded process saw of what,";
}

static const char *followed(const uint64_t of[BADS])
{
    static const char *const words[BADS] = {"called MPI_Abort", "crashed",
                                            "ended with a status that is not 0", "killed",
                                            "died unseen"};
    const char *list = "";
    uint64_t n = 0;
    for (unsigned how = 0; how < BADS; how++) {
        if (of[how])
            list =
                make_text("%s%s%s %s", list, *list ? ", " : "", words_count(of[how]), words[how]);
        n += of[how];
    }
    return n ? make_text(" %s other process%s followed: %s.", words_count(n), n == 1 ? "" : "es",
                         list)
             : "";
}

/*
 * The text if the process was ended from outside, and a batch system was there to end the process.
 */
static const char *by_batch(const struct report *r, const struct badly *b)
{
    const struct process *p = &r->defs.processes.at[b->process];
    const char *batch = defs_text(&r->defs, p->batch), *job = defs_text(&r->defs, p->job);
    if (b->how < BAD_KILLED || !*batch)
        return "";
    return make_text(
        " No process ended by itself: the batch system (%s%s%s) may have cancelled the "
        "job, by a limit of time or memory or by wish.",
        batch, *job ? ", job " : "", job);
}

void findings_add_end(struct report *r, struct findings *found)
{
    uint64_t of[BADS] = {0}, n = 0;
    uint32_t site = NIL;
    struct badly first = find_first(r, of);
    for (unsigned how = 0; how < BADS; how++)
        n += of[how];
    if (!n)
        return;
    const struct process *p = &r->defs.processes.at[first.process];
    if (is_of_run(p))
        of[first.how]--;
    const char *scene = scene_of(r, &first, &site);
    const char *hint = first.node != NIL && site == NIL ? " (--sites names the line)" : "";
    struct place place = {0};
    if (p->main != NIL)
        place_add(&place, first.time, r->sums.processes.at[first.process].last, p->main, p->main);
    /* A hanging job is killed for hanging: the finding comes behind the circles. */
    size_t behind = first.how >= BAD_KILLED ? r->stands.circles.n : 0;
    findings_insert(
        found, behind,
        (struct finding){.kind = "end",
                         .place = place,
                         .site = site,
                         .text =
                             make_text("The run did not end well: %s %s%s%s after %s.%s%s",
                                       defs_process_name(&r->defs, first.process), did(r, &first),
                                       scene, hint, words_time(r, (double)(first.time - r->first)),
                                       followed(of), by_batch(r, &first))});
}
