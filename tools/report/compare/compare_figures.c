/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/compare/compare_replay.h"
#include "tools/report/show/report_efficiency.h"

const struct figure_row figure_rows[FIGURES] = {
#define FIGURE(NAME, key, title, parent, form, doc)                                                \
    [FIGURE_##NAME] = {#key, title, FIGURE_##parent, FORM_IS_##form},
#include "tools/report/compare/compare_figures.def"
#undef FIGURE
};

/* ---- a run alone ---- */

/* A share that cannot be right, but for rounding, is none. */
static double share(double part, double whole)
{
    double percent = 100.0 * part / whole;
    if (!(percent >= 0.0) || percent > 100.0001)
        return (double)NAN;
    return percent < 100.0 ? percent : 100.0;
}

static void set_threads(struct run *run, const struct efficiency *e)
{
    double mean = e->thread_work / (double)e->threads;
    double with_uneven = e->thread_work + e->uneven;
    run->value[FIGURE_PARALLEL] = share(mean, e->longest);
    if (e->threads == e->n)
        return;
    run->value[FIGURE_THREADS] = share(mean, e->work);
    if (!e->each)
        return;
    double serial = share(e->thread_room, e->each * e->work * e->n);
    double load = share(e->thread_work, with_uneven);
    double scheduling = share(with_uneven, e->thread_room);
    if (!isfinite(serial * load * scheduling))
        return;
    run->value[FIGURE_SERIAL] = serial;
    run->value[FIGURE_THREAD_LOAD] = load;
    run->value[FIGURE_SCHEDULING] = scheduling;
}

static void set_mpi(struct run *run, const struct efficiency *e, const struct replay *replay)
{
    run->value[FIGURE_MPI] = share(e->work, e->longest);
    run->value[FIGURE_LOAD] = share(e->work, e->most_work);
    run->value[FIGURE_COMMUNICATION] = share(e->most_work, e->longest);
    run->no_split = replay->why_not;
    double serialisation = share(e->most_work, replay->ideal);
    double transfer = share(replay->ideal, e->longest);
    if (run->no_split)
        return;
    if (!isfinite(serialisation * transfer)) {
        run->no_split = "the records contradict each other";
        return;
    }
    run->value[FIGURE_SERIALISATION] = serialisation;
    run->value[FIGURE_TRANSFER] = transfer;
}

static void set_counters(struct run *run, const struct replay *replay)
{
    double cycles = replay->counted[COUNTER_CYCLES];
    run->instructions = replay->counted[COUNTER_INSTRUCTIONS];
    run->value[FIGURE_IPC] = run->instructions / cycles;
    run->value[FIGURE_FREQUENCY] = cycles / run->value[FIGURE_WORK] / 1e9;
}

/* What the first of its ranks runs, or its first process: the name of the file. */
static const char *program_of(const struct report *r)
{
    const char *command = "";
    for (size_t i = 0; i < r->defs.processes.n; i++) {
        const struct process *p = &r->defs.processes.at[i];
        bool is_rank = p->main != NIL && r->sums.locations.at[p->main].mpi;
        if (*defs_text(&r->defs, p->command) && (is_rank || !r->sums.n_mpi)) {
            command = defs_text(&r->defs, p->command);
            break;
        }
    }
    char *program = copy_text(command);
    program[strcspn(program, " ")] = '\0';
    const char *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

struct run run_of(struct report *r)
{
    struct run run = {.report = r, .program = program_of(r), .instructions = (double)NAN};
    struct efficiency e = r->sums.n_mpi ? efficiency_of(r) : efficiency_without_mpi(r);
    for (unsigned i = 0; i < FIGURES; i++)
        run.value[i] = (double)NAN;
    if (!r->sums.n_mpi && e.n > 1)
        fail("%s has %u processes and no MPI: its efficiency is not known", r->path, e.n);
    if (!e.n && r->sums.n_mpi)
        fail("%s lacks calls of MPI, which were not recorded: its efficiency is not known",
             r->path);
    if (!e.n || e.longest <= 0.0)
        fail("%s has no time: nothing to compare", r->path);
    double second = (double)r->defs.clock.ticks_per_second;
    run.ranks = e.n;
    run.threads = e.each;
    run.cpus = e.threads;
    run.value[FIGURE_RUNTIME] = e.longest / second;
    run.value[FIGURE_WORK] = e.thread_work / second;
    set_threads(&run, &e);
    if (!r->sums.n_mpi)
        return run;
    struct replay replay = replay_of(r);
    set_mpi(&run, &e, &replay);
    set_counters(&run, &replay);
    return run;
}

/* ---- beside the first ---- */

/* The one in the middle of the first runs. */
static double first_of(const struct run *first, size_t n, enum figure figure)
{
    double *values = take_memory(n * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = figure == FIGURE_NONE ? first[i].instructions : first[i].value[figure];
    double median = spread_of(values, n).median;
    free(values);
    return median;
}

void run_scale(struct run *run, const struct run *first, size_t n, bool is_weak)
{
    double more = is_weak ? (double)run->cpus / (double)first[0].cpus : 1.0;
    double *value = run->value;
    value[FIGURE_SPEEDUP] = more * first_of(first, n, FIGURE_RUNTIME) / value[FIGURE_RUNTIME];
    value[FIGURE_COMPUTATION] = 100.0 * more * first_of(first, n, FIGURE_WORK) / value[FIGURE_WORK];
    value[FIGURE_GLOBAL] = value[FIGURE_PARALLEL] * value[FIGURE_COMPUTATION] / 100.0;
    value[FIGURE_INSTRUCTIONS] = 100.0 * more * first_of(first, n, FIGURE_NONE) / run->instructions;
    value[FIGURE_IPC_SCALING] = 100.0 * value[FIGURE_IPC] / first_of(first, n, FIGURE_IPC);
    value[FIGURE_FREQUENCY_SCALING] =
        100.0 * value[FIGURE_FREQUENCY] / first_of(first, n, FIGURE_FREQUENCY);
}
