/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/report_because.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_placement.h"
#include "tools/report/show/report_efficiency.h"
#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"
#include "tools/report/topics/report_shares.h"

enum {
    NAME_COLUMNS = 50,
    LEAST_SAMPLES = 30, /* on which a sentence may rest: they are right to a third or so */
};

/* What takes less of the time of all threads is not worth a sentence. */
static const double least_percent = 0.5;

struct search {
    struct report *r;
    struct findings *found;
};

bool findings_is_worth_it(const struct report *r, double ticks)
{
    return ticks > 0.0 && r->sums.total && 100.0 * ticks >= least_percent * (double)r->sums.total;
}

static bool is_worth_it(const struct search *s, double ticks)
{
    return findings_is_worth_it(s->r, ticks);
}

static void add_at(struct search *s, const char *kind, double ticks, struct place place,
                   uint32_t site, const char *text)
{
    *LIST_ADD(&s->found->all) =
        (struct finding){.kind = kind, .ticks = ticks, .text = text, .place = place, .site = site};
}

/* Of the last one: it has a cause. */
static void say_why(struct search *s, struct because because, double waited)
{
    struct finding *found = &s->found->all.at[s->found->all.n - 1];
    found->because = because;
    found->text = make_text("%s%s", found->text, because_text(s->r, &because, waited));
}

static void add(struct search *s, const char *kind, double ticks, struct place place,
                const char *text)
{
    add_at(s, kind, ticks, place, NIL, text);
}

/* ", mostly at solver.c:118"; "" when it is not known. */
static const char *mostly_at(const struct report *r, uint32_t site)
{
    return site == NIL ? "" : make_text(", mostly at %s", defs_site_name(&r->defs, site));
}

/* All of a location's life. */
static struct place life_of(const struct report *r, uint32_t location)
{
    struct place place = {0};
    const struct stream *s = location == NIL ? NULL : &r->profile.streams[location];
    if (s && s->stack.n)
        place_add(&place, s->first, s->last, location, location);
    return place;
}

/* Numbers in sentences live to the end of the process. */
static const char *time_of(const struct search *s, double ticks)
{
    char text[VALUE_BYTES];
    return copy_text(seconds_text(text, ticks / (double)s->r->defs.clock.ticks_per_second));
}

static const char *percent(const struct search *s, double ticks)
{
    return make_text("%.*f %%", 100.0 * ticks < 9.95 * (double)s->r->sums.total ? 1 : 0,
                     100.0 * ticks / (double)s->r->sums.total);
}

static const char *count(uint64_t n)
{
    char text[VALUE_BYTES];
    return copy_text(count_text(text, n));
}

static const char *plural(uint64_t n, const char *noun)
{
    return make_text("%s %s%s", count(n), noun, n == 1 ? "" : "s");
}

/* Long names are cut, for a sentence is to be read. */
static const char *name_of(const struct report *r, uint32_t region)
{
    return text_fit(defs_region_name(&r->defs, region), r->is_wide ? SIZE_MAX : NAME_COLUMNS);
}

/* ---- regions ---- */

/* Where a region takes clearly more than elsewhere; "" when it does not. */
static const char *mostly_on(const struct search *s, uint32_t region)
{
    const struct sums *sums = &s->r->sums;
    const struct region_at *most = NULL;
    uint64_t all = 0;
    for (size_t i = 0; i < sums->at.n; i++) {
        const struct region_at *at = &sums->at.at[i];
        if (at->region != region || at->process == NIL)
            continue;
        all += at->own;
        if (!most || at->own > most->own)
            most = at;
    }
    if (!most || sums->n_processes < 2 ||
        (double)most->own * (double)sums->n_processes < 1.5 * (double)all)
        return "";
    return make_text(", most on %s (%s)", defs_process_name(&s->r->defs, most->process),
                     time_of(s, (double)most->own));
}

/* The longest call. Of a function that is only seen on stacks: the location that has most of it. */
static struct place place_of_region(const struct report *r, uint32_t region)
{
    struct place place = {0};
    uint64_t most = 0;
    uint32_t location = NIL;
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (node->region != region || !r->is_selected[node->location])
            continue;
        place_add(&place, node->max_at, node->max_at + node->max, node->location, node->location);
        if (node->self > most) {
            most = node->self;
            location = node->location;
        }
    }
    return place.location ? place : life_of(r, location);
}

static char *region_text(const struct search *s, uint32_t region, double ticks)
{
    const struct report *r = s->r;
    const struct region_sum *sum = &r->sums.regions.at[region];
    const char *name = name_of(r, region);
    const char *calls = plural(sum->calls, "call");
    const char *part = percent(s, ticks);
    const char *each = time_of(s, ticks / (double)sum->calls);
    const char *at = mostly_at(r, sites_most(r, region));
    if (r->defs.regions.at[region].meaning == REGION_THREAD_WAIT)
        return make_text("Threads wait %s (%s of all time) in %s of %s for other threads%s%s.",
                         time_of(s, ticks), part, calls, name, at, mostly_on(s, region));
    if (r->defs.regions.at[region].paradigm == OTF2_PARADIGM_MPI || (uint64_t)ticks != sum->self)
        return make_text("%s takes %s (%s of all time) in %s, %s each, not counting waits for "
                         "%s%s%s.",
                         name, time_of(s, ticks), part, calls, each,
                         r->defs.regions.at[region].paradigm == OTF2_PARADIGM_MPI ? "late partners"
                                                                                  : "others",
                         at, mostly_on(s, region));
    return make_text("%s takes %s itself (%s of all time) in %s, %s each%s%s.", name,
                     time_of(s, ticks), part, calls, each, at, mostly_on(s, region));
}

/* What was only seen on stacks: nobody knows how often it was called. */
static char *function_text(const struct search *s, uint32_t region, double ticks)
{
    const struct region_sum *sum = &s->r->sums.regions.at[region];
    const char *name = name_of(s->r, region);
    if (!sum->n_sampled)
        return make_text("%s takes %s itself (%s of all time), between the calls that it makes%s.",
                         name, time_of(s, ticks), percent(s, ticks), mostly_on(s, region));
    double error = shares_error(sum->sampled, sum->n_sampled);
    return make_text("%s takes %s of CPU time itself (%s of all time; %s, so give or take "
                     "%.0f %%)%s.",
                     name, time_of(s, ticks), percent(s, ticks), plural(sum->n_sampled, "sample"),
                     100.0 * error / (double)sum->sampled, mostly_on(s, region));
}

/* But for waiting that counts elsewhere. */
static double own_ticks(const struct region_sum *sum)
{
    double ticks = (double)sum->self;
    for (unsigned why = 0; why < WAIT_THREAD; why++)
        ticks -= (double)sum->waits[why];
    return ticks;
}

static void find_regions(struct search *s)
{
    const struct sums *sums = &s->r->sums;
    for (uint32_t i = REGIONS_OWN; i < sums->regions.n; i++) {
        double ticks = own_ticks(&sums->regions.at[i]);
        enum region_meaning meaning = (enum region_meaning)s->r->defs.regions.at[i].meaning;
        bool is_elsewhere = meaning == REGION_MPI_BEGIN || meaning == REGION_MPI_END ||
                            (meaning == REGION_OMP_BARRIER && s->r->teams.regions.n);
        const struct region_sum *sum = &sums->regions.at[i];
        bool is_chance = sum->n_sampled && sum->n_sampled < LEAST_SAMPLES;
        if (!is_elsewhere && !is_chance && is_worth_it(s, ticks))
            add_at(s, "region", ticks, place_of_region(s->r, i), sites_most(s->r, i),
                   sum->calls ? region_text(s, i, ticks) : function_text(s, i, ticks));
    }
}

/* What the start and the end of the job take, which has nothing to do with what it computes. */
static void find_job(struct search *s)
{
    const struct sums *sums = &s->r->sums;
    const char *names = "";
    double ticks = 0.0;
    double each = 0.0;
    struct place place = {0};
    for (uint32_t i = REGIONS_OWN; i < sums->regions.n; i++) {
        const struct region_sum *sum = &sums->regions.at[i];
        enum region_meaning meaning = (enum region_meaning)s->r->defs.regions.at[i].meaning;
        if (!sum->calls || (meaning != REGION_MPI_BEGIN && meaning != REGION_MPI_END))
            continue;
        names = make_text("%s%s%s", names, *names ? " and " : "", defs_region_name(&s->r->defs, i));
        struct place longest = place_of_region(s->r, i);
        if (place_ticks(&longest) > place_ticks(&place))
            place = longest;
        ticks += own_ticks(sum);
        each += (double)sum->durations / (double)sum->calls;
    }
    if (is_worth_it(s, ticks))
        add(s, "job", ticks, place,
            make_text("%s %s %s on each rank (%s of all time): the start and the end of the "
                      "job, not what it computes.",
                      names, strstr(names, " and ") ? "take" : "takes", time_of(s, each),
                      percent(s, ticks)));
}

/* ---- messages ---- */

/* Where a process waits most for a reason: in which call, and from where that is called. */
struct scene {
    uint32_t node;
    uint32_t caller; /* region, NIL: the program */
    uint64_t ticks;
};

static struct scene scene_of(const struct report *r, uint32_t process, enum wait why)
{
    struct scene scene = {NIL, NIL, 0};
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (r->profile.streams[node->location].process != process ||
            !r->is_selected[node->location])
            continue;
        uint64_t ticks = profile_waited(&r->profile, i, why);
        if (ticks <= scene.ticks)
            continue;
        uint32_t up =
            node->parent == NIL ? REGION_PROGRAM : r->profile.nodes.at[node->parent].region;
        scene = (struct scene){i, up < REGIONS_OWN ? NIL : up, ticks};
    }
    return scene;
}

static const char *call_of(const struct report *r, const struct scene *scene)
{
    return scene->node == NIL ? "MPI" : name_of(r, r->profile.nodes.at[scene->node].region);
}

static uint32_t site_of(const struct report *r, const struct scene *scene)
{
    return scene->node == NIL ? NIL : r->profile.nodes.at[scene->node].site;
}

/* The line of the call; without it, its caller. */
static const char *called_from(const struct report *r, const struct scene *scene)
{
    if (site_of(r, scene) != NIL)
        return mostly_at(r, site_of(r, scene));
    return scene->caller == NIL ? "" : make_text(", mostly in %s", name_of(r, scene->caller));
}

static const char *of_its_time(const struct report *r, uint32_t process, uint64_t ticks)
{
    return make_text("%.0f %% of its time", percent_of(ticks, r->sums.processes.at[process].total));
}

static const char *all_together(const struct search *s, double all, uint64_t part, const char *what)
{
    if (all < 1.05 * (double)part)
        return "";
    return make_text(" All %s together wait %s (%s) for %s.",
                     s->r->is_part ? "selected ranks" : "ranks", time_of(s, all), percent(s, all),
                     what);
}

static uint64_t late_in(const struct pair *pair, enum wait why)
{
    return why == WAIT_SENDER ? pair->late_sender : pair->late_receiver;
}

static void find_late(struct search *s, enum wait why)
{
    struct report *r = s->r;
    const struct pair *worst = NULL;
    double all = 0.0;
    for (size_t i = 0; i < r->messages.pairs.n; i++) {
        const struct pair *pair = &r->messages.pairs.at[i];
        all += (double)late_in(pair, why);
        if (!worst || late_in(pair, why) > late_in(worst, why))
            worst = pair;
    }
    if (!worst || !is_worth_it(s, all))
        return;
    bool is_sender = why == WAIT_SENDER;
    uint32_t who = is_sender ? worst->receiver : worst->sender;
    uint64_t ticks = late_in(worst, why);
    struct scene scene = scene_of(r, who, why);
    const char *other = defs_process_name(&r->defs, is_sender ? worst->sender : worst->receiver);
    const char *waits =
        make_text("%s on %s waits %s (%s)", call_of(r, &scene), defs_process_name(&r->defs, who),
                  time_of(s, (double)ticks), of_its_time(r, who, ticks));
    const char *whom = is_sender ? make_text("for late sends of %s", other)
                                 : make_text("until %s posts its receives", other);
    add_at(s, is_sender ? "late_sender" : "late_receiver", all,
           is_sender ? worst->longest_sender : worst->longest_receiver, site_of(r, &scene),
           make_text("%s %s%s.%s", waits, whom, called_from(r, &scene),
                     all_together(s, all, ticks, is_sender ? "late sends" : "late receives")));
    say_why(s, because_of_node(r, scene.node), (double)scene.ticks);
}

static void find_messages(struct search *s)
{
    find_late(s, WAIT_SENDER);
    find_late(s, WAIT_RECEIVER);
}

/* ---- everybody together ---- */

/* Where most of the waiting in its calls is, on all communicators; NIL: not known. */
static uint32_t site_of_waiting(const struct report *r, uint32_t region)
{
    const struct site_sum *most = NULL;
    for (size_t i = 0; i < r->sites.all.n; i++) {
        const struct site_sum *sum = &r->sites.all.at[i];
        if (sum->region == region &&
            (!most || sum->waits[WAIT_COLLECTIVE] > most->waits[WAIT_COLLECTIVE]))
            most = sum;
    }
    return most ? most->site : NIL;
}

static void find_collectives(struct search *s)
{
    struct report *r = s->r;
    for (size_t i = 0; i < r->collectives.all.n; i++) {
        const struct collective *c = &r->collectives.all.at[i];
        if (!is_worth_it(s, (double)c->waited) || c->culprit == NIL)
            continue;
        const struct share *share = &r->collectives.shares.at[c->culprit];
        uint32_t site = site_of_waiting(r, c->region);
        add_at(s, "collective", (double)c->waited, c->longest, site,
               make_text("%s wait %s (%s of all time) in %s of %s on %s for ranks that come "
                         "later, %.0f %% of that for %s%s.",
                         r->is_part ? "The selected ranks" : "The ranks",
                         time_of(s, (double)c->waited), percent(s, (double)c->waited),
                         plural(c->calls, "call"), collective_name(r, c),
                         defs_comm_name(&r->defs, c->comm), percent_of(share->caused, c->waited),
                         defs_process_name(&r->defs, share->process), mostly_at(r, site)));
        if (c->region != NIL)
            say_why(s, because_of_region(r, c->region), (double)c->waited);
    }
}

static void find_imbalance(struct search *s)
{
    struct efficiency e = efficiency_of(s->r);
    double ticks = (e.most_work - e.work) * e.n;
    if (e.n < 2 || !is_worth_it(s, ticks) || e.work > 0.95 * e.most_work)
        return;
    add(s, "imbalance", ticks, life_of(s->r, s->r->defs.processes.at[e.busiest].main),
        make_text("The load is uneven: %s works %s, the mean of the %u ranks is %s (load balance "
                  "%.0f %%). The other ranks wait meanwhile.",
                  defs_process_name(&s->r->defs, e.busiest), time_of(s, e.most_work), e.n,
                  time_of(s, e.work), 100.0 * e.work / e.most_work));
}

/* ---- threads ---- */

static const char *place_of(const struct report *r, uint32_t region)
{
    const struct region *it = &r->defs.regions.at[region];
    const char *file = defs_text(&r->defs, it->file);
    if (!*file || !it->line || strchr(defs_region_name(&r->defs, region), '@'))
        return ""; /* or the name has it */
    return make_text(" at %s:%u", file, it->line);
}

static const char *for_locks(const struct search *s, uint64_t ticks)
{
    return ticks ? make_text(" and %s for locks", time_of(s, (double)ticks)) : "";
}

static uint64_t mean_threads(const struct parallel *p)
{
    uint64_t n = (uint64_t)llround((double)p->threads / (double)p->calls);
    return n > 2 ? n : 2; /* one alone waits for nobody */
}

static void find_teams(struct search *s)
{
    struct report *r = s->r;
    for (size_t i = 0; i < r->teams.regions.n; i++) {
        const struct parallel *p = &r->teams.regions.at[i];
        double ticks = (double)p->room - (double)p->busy;
        if (!p->room || !is_worth_it(s, ticks))
            continue;
        add(s, "parallel", ticks, p->longest,
            make_text("The %s of the parallel region %s%s are busy only %.0f %% of the "
                      "time: they wait %s at its barriers%s; its start and end take %s.",
                      plural(mean_threads(p), "thread"), name_of(r, p->region),
                      place_of(r, p->region), percent_of(p->busy, p->room),
                      time_of(s, (double)p->in_barriers), for_locks(s, p->in_locks),
                      time_of(s, fmax(0.0, ticks - (double)p->in_barriers - (double)p->in_locks))));
    }
}

static void find_locks(struct search *s)
{
    struct report *r = s->r;
    for (size_t i = 0; i < r->locks.all.n; i++) {
        const struct lock *lock = &r->locks.all.at[i];
        if (!is_worth_it(s, (double)lock->waited))
            continue;
        const char *first = lock->site == NIL ? ""
                                              : make_text(" (first taken at %s)",
                                                          defs_site_name(&r->defs, lock->site));
        add_at(s, "lock", (double)lock->waited, lock->longest, lock->site,
               make_text("Threads%s%s wait %s (%s of all time) for lock %u%s in %s of its %s. A "
                         "thread holds it %s on average.",
                         r->sums.n_processes > 1 ? " of " : "",
                         r->sums.n_processes > 1 ? defs_process_name(&r->defs, lock->process) : "",
                         time_of(s, (double)lock->waited), percent(s, (double)lock->waited),
                         lock->id, first, count(lock->contended),
                         plural(lock->acquisitions, "acquisition"),
                         time_of(s, (double)lock->held / (double)lock->acquisitions)));
    }
}

/* ---- disks ---- */

static void find_flushes(struct search *s)
{
    const struct oddities *odd = &s->r->profile.odd;
    if (!is_worth_it(s, (double)odd->flush_ticks))
        return;
    add(s, "flush", (double)odd->flush_ticks, odd->longest_flush,
        make_text("Recording itself takes %s (%s of all time) to write full buffers, %s. "
                  "Larger buffers (SPUR_BUFFER) avoid that.",
                  time_of(s, (double)odd->flush_ticks), percent(s, (double)odd->flush_ticks),
                  plural(odd->flushes, "time")));
}

static void find_files(struct search *s)
{
    struct report *r = s->r;
    char text[VALUE_BYTES];
    for (size_t i = 0; i < r->files.all.n; i++) {
        const struct file *file = &r->files.all.at[i];
        if (!is_worth_it(s, (double)file->ticks))
            continue;
        bytes_text(text, file->bytes_read + file->bytes_written);
        add(s, "file", (double)file->ticks, file->longest,
            make_text("Reading and writing %s takes %s (%s of all time): %s in %s.",
                      defs_handle_file(&r->defs, file->handle), time_of(s, (double)file->ticks),
                      percent(s, (double)file->ticks), text,
                      plural(file->reads + file->writes, "operation")));
    }
}

/* ---- the choice ---- */

static int by_cost(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

struct findings findings_of(struct report *r, size_t most)
{
    static void (*const kinds[])(struct search *) = {
        find_regions, find_job,   find_messages, find_collectives, find_imbalance,
        find_teams,   find_locks, find_flushes,  find_files,
    };
    struct findings found = {0};
    struct search search = {r, &found};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        kinds[i](&search);
    placement_findings(r, &found);
    if (found.all.n)
        qsort(found.all.at, found.all.n, sizeof found.all.at[0], by_cost);
    findings_add_memory(r, &found);
    findings_add_deadlocks(r, &found);
    if (found.all.n > most)
        found.all.n = most;
    return found;
}
