/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_findings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/engine/engine.h"
#include "tools/report/read/report_read.h"
#include "tools/report/report_findings.h"
#include "tools/report/topics/report.h"
#include "tools/view/view_meta.h"

enum { EVENTS_MAX = 50000000 }; /* more would take minutes */

/* ---- the process that looks for them ---- */

static void choose(struct report *r, const void *user)
{
    const struct view *v = user;
    size_t room = 0;
    size_t n = 0;
    r->is_selected = list_grow(NULL, &room, r->defs.locations.n + 1, sizeof *r->is_selected);
    for (size_t i = 0; i < r->defs.locations.n; i++)
        n += r->is_selected[i] = v->is_chosen[i];
    r->is_part = n < r->defs.locations.n;
}

/* Writes a finding: one line of numbers, and two texts that end with a zero. */
static void tell(const struct report *r, const struct finding *f, FILE *out)
{
    fprintf(out, "%.9g %.6g %" PRIu64 " %" PRIu64 " %u %u",
            f->ticks / (double)r->defs.clock.ticks_per_second,
            100.0 * f->ticks / (double)r->sums.total, f->place.begin, f->place.end,
            f->place.location, f->place.other);
    fputc('\0', out);
    fputs(f->kind, out);
    fputc('\0', out);
    fputs(f->text, out);
    fputc('\0', out);
}

static void tell_all(struct report *r, FILE *out)
{
    sums_make(r);
    struct findings found = findings_of(r, FINDINGS_MOST);
    for (size_t i = 0; i < found.all.n; i++)
        tell(r, &found.all.at[i], out);
}

static _Noreturn void look(const struct view *v, int to)
{
    static struct report r;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    FILE *out = fdopen(to, "w");
    /* What is wrong with the archive is said once, by the other one. */
    if (!out || nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        _exit(1);
    report_read(&r, v->wish.path,
                &(struct report_how){.workers = v->wish.threads, .choose = choose, .user = v});
    tell_all(&r, out);
    _exit(fclose(out) ? 1 : 0);
}

static void start_process(struct view *v)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        fail("%s: %s", v->path, strerror(errno));
    v->findings->pid = fork();
    if (v->findings->pid < 0)
        fail("%s: %s", v->path, strerror(errno));
    if (!v->findings->pid)
        look(v, ends[1]);
    close(ends[1]);
    v->findings->from = fdopen(ends[0], "r");
}

/* A process that a rank has started cannot be one: the ranks look for them together, first. */
static void look_by_ranks(struct view *v)
{
    struct report *r = take_memory(sizeof *r);
    struct engine_bytes told = {0};
    report_read(r, v->wish.path,
                &(struct report_how){.choose = choose, .user = v, .goes_on = true});
    if (engine_is_first()) {
        FILE *out = there(open_memstream(&told.at, &told.n));
        tell_all(r, out);
        if (fclose(out))
            fail("no memory");
        told.room = told.n;
    }
    engine_told_bytes(&told);
    if (told.n) /* an empty one cannot be opened */
        v->findings->from = there(fmemopen(told.at, told.n, "r"));
}

void view_findings_start(struct view *v)
{
    v->findings = take_memory(sizeof *v->findings);
    if (v->wish.is_text)
        return;
    if (v->wish.has_no_findings || v->n_events > EVENTS_MAX) {
        if (!v->wish.has_no_findings)
            *LIST_ADD(&v->remarks) =
                copy_text("findings are not here, there are many events: ask spur report");
        return;
    }
    if (engine_has_ranks())
        look_by_ranks(v);
    else
        start_process(v);
}

/* ---- what it has found ---- */

/* The next text; NULL: there is none. */
static char *next(FILE *from)
{
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, '\0', from) > 0)
        return text;
    free(text);
    return NULL;
}

static void add_row(const struct view *v, struct view_finding *f, uint32_t location)
{
    uint32_t row = location && location <= v->defs.locations.n ? v->row_of[location - 1] : NIL;
    if (row != NIL && (!f->rows.n || f->rows.at[0] != row))
        *LIST_ADD(&f->rows) = row;
}

/* What look() has written of a finding: seconds, percent; begin, end, a location, another one. */
static bool read_numbers(const char *text, double real[2], uint64_t whole[4])
{
    char *end;
    for (unsigned i = 0; i < 2; i++, text = end) {
        real[i] = strtod(text, &end);
        if (end == text)
            return false;
    }
    for (unsigned i = 0; i < 4; i++, text = end) {
        whole[i] = strtoull(text, &end, 10);
        if (end == text)
            return false;
    }
    return true;
}

static bool add(struct view *v, const char *numbers, const char *kind, const char *text)
{
    double real[2];
    uint64_t whole[4];
    struct view_finding f = {.kind = kind, .text = text};
    if (!read_numbers(numbers, real, whole))
        return false;
    f.seconds = real[0];
    f.percent = real[1];
    f.from = view_ns(v, whole[0]);
    f.to = view_ns(v, whole[1]);
    add_row(v, &f, (uint32_t)whole[2]);
    add_row(v, &f, (uint32_t)whole[3]);
    *LIST_ADD(&v->findings->all) = f;
    return true;
}

void view_findings_wait(struct view *v)
{
    struct view_findings *found = v->findings;
    int status = 0;
    char *numbers;
    if (!found->from)
        return;
    while ((numbers = next(found->from)) != NULL) {
        char *kind = next(found->from);
        char *text = kind ? next(found->from) : NULL;
        if (!text || !add(v, numbers, kind, text))
            break;
        free(numbers);
    }
    fclose(found->from);
    found->from = NULL;
    if (found->pid && (waitpid(found->pid, &status, 0) < 0 || status))
        *LIST_ADD(&v->remarks) = copy_text("findings are not here: spur report has failed");
}

/* ---- in the page ---- */

static void put_place(const struct view_finding *f, FILE *out)
{
    if (!f->rows.n) {
        fputs(",\"from\":null,\"to\":null,\"rows\":[]}", out);
        return;
    }
    fprintf(out, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"rows\":[", f->from, f->to);
    for (size_t i = 0; i < f->rows.n; i++)
        fprintf(out, "%s%u", i ? "," : "", f->rows.at[i]);
    fputs("]}", out);
}

void view_findings_write(const struct view *v, FILE *out)
{
    enum { TEXT_MAX = 1000 };
    fputs(",\"findings\":[", out);
    for (size_t i = 0; i < view_findings_n(v); i++) {
        const struct view_finding *f = view_findings_at(v, i);
        fputs(i ? ",\n{\"kind\":" : "\n{\"kind\":", out);
        view_meta_text(f->kind, TEXT_MAX, out);
        fputs(",\"text\":", out);
        view_meta_text(f->text, TEXT_MAX, out);
        fprintf(out, ",\"seconds\":%.9g,\"percent\":%.4g", f->seconds, f->percent);
        put_place(f, out);
    }
    fputc(']', out);
}
