/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/names.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_head.h"
#include "tools/report/report_placement.h"
#include "tools/report/topics/report.h"

enum { PARADIGMS = 256 };

/* ---- facts ---- */

/* The selected locations, by their definitions: reading does not count them apart. */
static uint64_t events_of(const struct report *r)
{
    uint64_t n = 0;
    for (size_t i = 0; r->is_part && i < r->defs.locations.n; i++)
        n += r->is_selected[i] ? r->defs.locations.at[i].n_events : 0;
    return r->is_part ? n : r->n_events;
}

/* How many different texts the processes have of one kind, and the first. */
static size_t different(const struct report *r, bool has_commands, const char **first)
{
    struct map seen = {0};
    *first = "";
    for (size_t i = r->defs.processes.n; i-- > 0;) {
        const struct process *p = &r->defs.processes.at[i];
        const char *text = defs_text(&r->defs, has_commands ? p->command : p->node);
        if (!*text || (r->is_part && !r->sums.processes.at[i].n_threads))
            continue;
        map_set(&seen, has_commands ? p->command : p->node, 0, 0);
        *first = text;
    }
    free(seen.slots);
    return seen.n;
}

/* The names of all hosts, where the archive calls the machine nothing but that. */
static const char *machine_of(const struct report *r)
{
    struct map seen = {0};
    const char *names = "";
    if (*r->machine && strcmp(r->machine, "Machine") != 0)
        return r->machine;
    for (size_t i = 0; i < r->defs.processes.n; i++) {
        const struct process *p = &r->defs.processes.at[i];
        const char *name = defs_text(&r->defs, p->node);
        if (!*name || map_find(&seen, p->node, 0) != NIL)
            continue;
        map_set(&seen, p->node, 0, 0);
        names = make_text("%s%s%s", names, *names ? ", " : "", name);
    }
    free(seen.slots);
    return names;
}

static char *begin_of(const struct report *r)
{
    const struct clock *clock = &r->defs.clock;
    char text[64];
    struct tm tm;
    if (!clock->realtime_ns || clock->realtime_ns == OTF2_UNDEFINED_TIMESTAMP)
        return copy_text("");
    time_t seconds = (time_t)(clock->realtime_ns / 1000000000);
    if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
        return copy_text("");
    return copy_text(text);
}

/* Where the time of all threads goes: a name, and ticks. */
struct portion {
    const char *name;
    uint64_t ticks;
    uint64_t waiting;
};

struct portions {
    struct portion of[PARADIGMS];
    size_t n;
};

static bool is_program(uint32_t region, OTF2_Paradigm paradigm)
{
    return region == REGION_PROGRAM || paradigm == OTF2_PARADIGM_USER ||
           paradigm == OTF2_PARADIGM_COMPILER || paradigm == OTF2_PARADIGM_SAMPLING ||
           paradigm == OTF2_PARADIGM_UNKNOWN;
}

static int by_ticks(const void *a, const void *b)
{
    const struct portion *x = a;
    const struct portion *y = b;
    return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

static void add_portion(struct portion *to, const struct region_sum *sum)
{
    to->ticks += sum->self - sum->on_streams;
    for (unsigned why = 0; why < WAITS; why++)
        to->waiting += sum->waits[why];
}

static struct portions portions_of(const struct report *r)
{
    struct portions p = {.n = 0};
    struct portion by_paradigm[PARADIGMS] = {{0}};
    struct portion program = {"program", 0, 0};
    struct portion idle = {"idle", 0, 0};
    struct portion blocked = {"blocked", 0, 0};
    struct portion shorts = {"short calls", 0, 0};
    struct portion files = {"files", 0, 0};
    for (uint32_t i = 0; i < r->sums.regions.n; i++) {
        const struct region_sum *sum = &r->sums.regions.at[i];
        OTF2_Paradigm paradigm = r->defs.regions.at[i].paradigm;
        const char *name = otf2_enum_name(OTF2_ENUM_Paradigm, paradigm);
        struct portion *to = &by_paradigm[paradigm];
        if (i == REGION_OFF)
            continue;
        to->name = r->defs.regions.at[i].is_recording ? "recording" : name ? name : "other";
        if (i == REGION_IDLE)
            to = &idle;
        else if (i == REGION_BLOCKED)
            to = &blocked;
        else if (i == REGION_SHORT)
            to = &shorts;
        else if (paradigm == OTF2_PARADIGM_NONE && region_is_of_files(&r->defs.regions.at[i]))
            to = &files;
        else if (is_program(i, paradigm))
            to = &program;
        add_portion(to, sum);
    }
    const struct portion *const others[] = {&idle, &blocked, &shorts, &files};
    enum { OTHERS = sizeof others / sizeof others[0] };
    for (unsigned i = 0; i < PARADIGMS && p.n + OTHERS + 1 < PARADIGMS; i++)
        if (by_paradigm[i].ticks)
            p.of[p.n++] = by_paradigm[i];
    for (unsigned i = 0; i < OTHERS; i++)
        if (others[i]->ticks)
            p.of[p.n++] = *others[i];
    p.of[p.n++] = program;
    qsort(p.of, p.n, sizeof p.of[0], by_ticks);
    return p;
}

/* ---- remarks ---- */

static void remark(struct report *r, const char *what, uint64_t n)
{
    char number[VALUE_BYTES];
    if (n)
        *LIST_ADD(&r->remarks) = make_text("%s: %s", what, count_text(number, n));
}

static void remark_samples(struct report *r)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < r->defs.processes.n; i++)
        lost += r->defs.processes.at[i].samples_lost;
    remark(r, "samples that could not be written; their time counts as (blocked)", lost);
    remark(r, "samples of events; they do not stand for time", r->profile.odd.uncounted);
}

/* What is known of one side only. */
static void remark_partners(struct report *r)
{
    const struct messages *m = &r->messages;
    const struct collectives *c = &r->collectives;
    if (r->gaps.are_there) {
        remark(r,
               "messages whose other side was not recorded, or is unknown; who waited for them is "
               "unknown",
               m->matching.unreceived + m->matching.unsent + m->unknown);
        remark(r,
               "collective operations that were not recorded on all ranks; who waited in them is "
               "unknown",
               c->incomplete + c->unknown);
    } else {
        remark(r, "messages sent and not received", m->matching.unreceived);
        remark(r, "messages received and not sent", m->matching.unsent);
        remark(r, "collective operations that some ranks did not take part in", c->incomplete);
    }
    remark(r, "messages from or to ranks that do not exist", m->nowhere);
    remark(r,
           m->matching.has_clocks ? "messages received before they were sent (clocks that differ)"
                                  : "messages received before they were sent",
           m->matching.reversed);
}

/*
 * Are all ranks alone in a job of theirs? The names are those of spur's archives: "MPI Rank 0", and
 * "MPI Rank 0 of job 2".
 */
static void remark_worlds(struct report *r)
{
    static const char rank[] = "MPI Rank ", first[] = "MPI Rank 0";
    uint64_t n = 0;
    for (size_t i = 0; i < r->defs.processes.n; i++) {
        const char *name = defs_text(&r->defs, r->defs.processes.at[i].name);
        if (strncmp(name, rank, sizeof rank - 1) != 0)
            continue;
        const char *rest = name + sizeof first - 1;
        if (strncmp(name, first, sizeof first - 1) != 0 || (*rest && *rest != ' '))
            return;
        n++;
    }
    if (n > 1)
        *LIST_ADD(&r->remarks) =
            make_text("%" PRIu64
                      " MPI jobs of one rank each: if one mpirun started them, it belongs to "
                      "another MPI library than the program",
                      n);
}

static void make_remarks(struct report *r)
{
    enum { MIB = 20 };
    const struct oddities *odd = &r->profile.odd;
    char text[VALUE_BYTES];
    if (r->trouble)
        *LIST_ADD(&r->remarks) = make_text("reading stopped early: %s", r->trouble);
    if (r->sums.off)
        *LIST_ADD(&r->remarks) =
            make_text("recording was off for %s, summed over all threads; no other number contains "
                      "this time",
                      seconds_text(text, defs_seconds(&r->defs, r->sums.off)));
    missing_remarks(r);
    placement_remarks(r);
    remark_worlds(r);
    remark_samples(r);
    remark(r, "regions open at the end; they end with the last event", odd->open);
    remark(r, "regions without a Leave; they end with their callers", odd->unclosed);
    remark(r, "Leaves of regions that were not entered; they are ignored", odd->strays);
    remark(r, "events earlier than the event before them; they count as simultaneous",
           odd->backwards);
    remark_partners(r);
    if (r->tracks.is_over && r->tracks.budget)
        *LIST_ADD(&r->remarks) =
            make_text("%s not known: to find out takes more than %zu MiB of memory; --causes MIB "
                      "allows more",
                      r->tracks.has_ranks ? "why ranks waited, and which iterations there are, is"
                                          : "which iterations there are is",
                      r->tracks.budget >> MIB);
}

/* ---- text ---- */

static size_t line_columns; /* of paragraphs */

static void paragraph(const char *mark, const char *text, FILE *out)
{
    text_paragraph(mark, text, line_columns, out);
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
    char text[VALUE_BYTES];
    return make_text("%s %s", count_text(text, n), n == 1 ? one : many);
}

static void put_run(struct report *r, FILE *out)
{
    char text[VALUE_BYTES];
    const char *command;
    const char *host;
    const size_t streams = r->sums.n_streams - r->sums.n_ranges;
    size_t commands = different(r, true, &command);
    size_t hosts = different(r, false, &host);
    char *begin = begin_of(r);
    if (commands > 1)
        paragraph("  ", make_text("%s, and %zu more", command, commands - 1), out);
    else if (commands)
        paragraph("  ", command, out);
    paragraph("  ",
              make_text("%s on %s, %s%s%s%s%s, %s in %s%s%s",
                        plural(r->sums.n_processes, "process", "processes"),
                        hosts == 1 ? host : plural(hosts ? hosts : 1, "host", "hosts"),
                        plural(r->sums.n_locations - r->sums.n_streams, "thread", "threads"),
                        streams ? ", " : "",
                        streams ? plural(streams, "device stream", "device streams") : "",
                        r->sums.n_ranges ? ", " : "",
                        r->sums.n_ranges
                            ? plural(r->sums.n_ranges, "lane of ranges", "lanes of ranges")
                            : "",
                        plural(events_of(r), "event", "events"),
                        seconds_text(text, defs_seconds(&r->defs, r->last - r->first)),
                        *begin ? ", begun " : "", begin),
              out);
}

static void put_portions(struct report *r, FILE *out)
{
    struct portions p = portions_of(r);
    const char *line = "";
    for (size_t i = 0; i < p.n; i++) {
        double part = percent_of(p.of[i].ticks, r->sums.total);
        const char *waiting =
            p.of[i].waiting
                ? make_text(" (%.1f %% waiting)", percent_of(p.of[i].waiting, r->sums.total))
                : "";
        line = make_text("%s%s%.1f %% %s%s", line, i ? ", " : "", part, p.of[i].name, waiting);
    }
    if (r->sums.total)
        paragraph("  ", make_text("time: %s", line), out);
}

void head_text(struct report *r, const struct findings *found, const struct look *look, FILE *out)
{
    const char *bold = look->has_color ? "\033[1m" : "";
    const char *plain = look->has_color ? "\033[0m" : "";
    line_columns = look->width == SIZE_MAX ? 100 : look->width;
    fputs(bold, out);
    paragraph("", r->path, out);
    fputs(plain, out);
    put_run(r, out);
    put_portions(r, out);
    make_remarks(r);
    fprintf(out, "\n%sMost expensive%s\n", bold, plain);
    for (size_t i = 0; i < found->all.n; i++)
        paragraph(make_text("  %zu. ", i + 1), found->all.at[i].text, out);
    if (!found->all.n)
        paragraph("  ",
                  r->n_events ? "Nothing stands out: the time is the program's own."
                              : "There are no events.",
                  out);
    if (r->remarks.n)
        fprintf(out, "\n%sRemarks%s\n", bold, plain);
    for (size_t i = 0; i < r->remarks.n; i++)
        paragraph("  - ", r->remarks.at[i], out);
}

/* ---- JSON ---- */

static void put_member(const char *key, const char *text, FILE *out)
{
    fprintf(out, "  \"%s\": ", key);
    json_text(text, out);
    fputs(",\n", out);
}

static void put_number(const char *key, double number, FILE *out)
{
    if (isfinite(number))
        fprintf(out, "  \"%s\": %.15g,\n", key, number);
    else
        fprintf(out, "  \"%s\": null,\n", key);
}

/* Seconds since the beginning, and the locations, of what can be seen. */
static void put_place(const struct report *r, const struct place *place, FILE *out)
{
    double start = (double)r->defs.clock.start;
    double second = (double)r->defs.clock.ticks_per_second;
    if (!place->location) {
        fputs(", \"from\": null, \"to\": null, \"locations\": []", out);
        return;
    }
    fprintf(out, ", \"from\": %.15g, \"to\": %.15g, \"locations\": [%" PRIu64,
            ((double)place->begin - start) / second, ((double)place->end - start) / second,
            r->defs.locations.at[place->location - 1].id);
    if (place->other && place->other != place->location)
        fprintf(out, ", %" PRIu64, r->defs.locations.at[place->other - 1].id);
    fputc(']', out);
}

static void put_cause(const struct report *r, const struct because *because, FILE *out)
{
    const struct cause *cause = because->cause;
    double second = (double)r->defs.clock.ticks_per_second;
    fputs(", \"cause\": ", out);
    if (!cause) {
        fputs("null", out);
        return;
    }
    fputs("{\"process\": ", out);
    json_text(defs_process_name(&r->defs, cause->process), out);
    fputs(", \"region\": ", out);
    json_text(cause->region == NIL ? "(start)" : defs_region_name(&r->defs, cause->region), out);
    fputs(", \"path\": ", out);
    json_text(cause->path ? cause->path : "", out);
    fputs(", \"after\": ", out);
    json_text(cause->call == NIL ? "" : defs_region_name(&r->defs, cause->call), out);
    fputs(", \"site\": ", out);
    json_text(defs_site_name(&r->defs, cause->site), out);
    fprintf(out, ", \"seconds\": %.15g, \"gain\": %.15g}", because->ticks / second,
            cause_gain(cause) / second);
}

static void put_found(struct report *r, size_t n_findings, FILE *out)
{
    struct findings found = findings_of(r, n_findings);
    fputs("  \"findings\": [", out);
    for (size_t i = 0; i < found.all.n; i++) {
        const struct finding *f = &found.all.at[i];
        const double percent = r->sums.total ? 100.0 * f->ticks / (double)r->sums.total : 0;
        fprintf(out,
                "%s\n    {\"kind\": \"%s\", \"seconds\": %.15g, \"percent\": %.15g, \"text\": ",
                i ? "," : "", f->kind, f->ticks / (double)r->defs.clock.ticks_per_second, percent);
        json_text(f->text, out);
        put_place(r, &f->place, out);
        fputs(", \"site\": ", out);
        if (f->site == NIL)
            fputs("null", out);
        else
            json_text(defs_site_name(&r->defs, f->site), out);
        put_cause(r, &f->because, out);
        fputc('}', out);
    }
    fputs("],\n", out);
}

void head_json(struct report *r, size_t n_findings, FILE *out)
{
    struct portions p = portions_of(r);
    const char *command;
    const char *host;
    size_t hosts = different(r, false, &host);
    different(r, true, &command);
    make_remarks(r);
    put_member("archive", r->path, out);
    put_member("command", command, out);
    put_member("machine", machine_of(r), out);
    put_member("creator", r->creator, out);
    put_member("begin", begin_of(r), out);
    put_number("hosts", (double)(hosts ? hosts : 1), out);
    put_number("processes", (double)r->sums.n_processes, out);
    put_number("threads", (double)(r->sums.n_locations - r->sums.n_streams), out);
    put_number("events", (double)events_of(r), out);
    put_number("wall", defs_seconds(&r->defs, r->last - r->first), out);
    put_number("time", defs_seconds(&r->defs, r->sums.total), out);
    put_number("not_recorded", defs_seconds(&r->defs, r->sums.off), out);
    fputs("  \"portions\": {", out);
    for (size_t i = 0; i < p.n; i++)
        fprintf(out, "%s\"%s\": %.15g", i ? ", " : "", p.of[i].name,
                defs_seconds(&r->defs, p.of[i].ticks));
    fputs("},\n", out);
    fputs("  \"missing\": [", out);
    for (size_t i = 0; i < r->missing.regions.n; i++) {
        fputs(i ? ", " : "", out);
        json_text(r->missing.regions.at[i], out);
    }
    fputs("],\n", out);
    put_found(r, n_findings, out);
    fputs("  \"remarks\": [", out);
    for (size_t i = 0; i < r->remarks.n; i++) {
        fputs(i ? ", " : "", out);
        json_text(r->remarks.at[i], out);
    }
    fputs("],\n", out);
}
