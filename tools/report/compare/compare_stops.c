/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits of scaling: the factor that falls most, and the row of the run that grows most. */
#include <math.h>
#include <string.h>

#include "tools/report/compare/compare.h"

static bool is_below(enum figure figure, enum figure of)
{
    while (figure != of && figure != FIGURE_NONE)
        figure = figure_rows[figure].parent;
    return figure == of;
}

static bool is_known(const struct config *k, enum figure figure)
{
    return k->figure[figure].n != 0;
}

/*
 * The value in the first configuration. A model not yet present there, MPI or threads, counts as
 * 100 %: no loss.
 */
static double at_first(const struct config *first, enum figure figure)
{
    bool is_new = (is_below(figure, FIGURE_MPI) && !is_known(first, FIGURE_MPI)) ||
                  (is_below(figure, FIGURE_THREADS) && !is_known(first, FIGURE_THREADS));
    return is_new ? 100.0 : first->figure[figure].median;
}

static bool is_comparable(const struct comparison *c, enum figure figure)
{
    const struct config *first = &c->configs.at[0];
    const struct config *last = &c->configs.at[c->configs.n - 1];
    return is_known(last, figure) && isfinite(at_first(first, figure));
}

/*
 * Whether the factors below say more: all factors are known, or all the factors that such a run
 * has.
 */
static bool has_factors(const struct comparison *c, enum figure figure)
{
    bool is_all = true;
    bool is_any = false;
    for (enum figure f = 0; f < FIGURES; f++) {
        if (figure_rows[f].parent != figure)
            continue;
        is_all &= is_comparable(c, f);
        is_any |= is_comparable(c, f);
    }
    return is_any && (is_all || figure == FIGURE_PARALLEL || figure == FIGURE_GLOBAL);
}

static double rest_of(const struct comparison *c, enum figure figure)
{
    const struct config *last = &c->configs.at[c->configs.n - 1];
    return last->figure[figure].median / at_first(&c->configs.at[0], figure);
}

/* The factor with the least efficiency left, of the factors without factors below. */
static enum figure worst_below(const struct comparison *c, enum figure figure)
{
    enum figure worst = FIGURE_NONE;
    if (!has_factors(c, figure))
        return figure;
    for (enum figure f = 0; f < FIGURES; f++) {
        if (figure_rows[f].parent != figure || !is_comparable(c, f))
            continue;
        enum figure below = worst_below(c, f);
        if (worst == FIGURE_NONE || rest_of(c, below) < rest_of(c, worst))
            worst = below;
    }
    return worst;
}

static const char *name_of(enum figure figure)
{
    char *name = copy_text(figure_rows[figure].key);
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = ' ';
    return name;
}

static const char *fall_of(const struct comparison *c)
{
    static const double little = 0.99;
    const struct config *first = &c->configs.at[0];
    const struct config *last = &c->configs.at[c->configs.n - 1];
    enum figure worst = worst_below(c, FIGURE_GLOBAL);
    if (worst == FIGURE_GLOBAL || !(rest_of(c, worst) < little))
        return "no factor falls by more than 1 %";
    bool is_chance = is_known(first, worst) && (first->n > 1 || last->n > 1) &&
                     last->figure[worst].most >= first->figure[worst].least;
    return make_text("what falls most is %s, from %.1f %% to %.1f %%%s", name_of(worst),
                     at_first(first, worst), last->figure[worst].median,
                     is_chance ? " (the repeats overlap: it may be chance)" : "");
}

/* A growing row, with the growth in seconds. */
struct growing {
    const struct row *row; /* NULL: no row grows */
    double seconds;
};

/* The row with the largest growth, of MPI or of everything else. */
static struct growing growth_of(const struct comparison *c, bool is_mpi)
{
    const struct config *first = &c->configs.at[0];
    const struct config *last = &c->configs.at[c->configs.n - 1];
    struct growing most = {NULL, 0.0};
    for (size_t i = 0; i < c->rows.all.n; i++) {
        const struct row *row = &c->rows.all.at[i];
        double grown = compare_seconds(c, row, last) - compare_seconds(c, row, first);
        if ((strcmp(row->of, "MPI") == 0) == is_mpi && grown > most.seconds)
            most = (struct growing){row, grown};
    }
    return most;
}

static const char *growth_text(const struct comparison *c, const struct row *row)
{
    char before[VALUE_BYTES];
    char after[VALUE_BYTES];
    return make_text("%s, from %s to %s", row->name,
                     seconds_text(before, compare_seconds(c, row, &c->configs.at[0])),
                     seconds_text(after,
                                  compare_seconds(c, row, &c->configs.at[c->configs.n - 1])));
}

/*
 * The row with the largest growth; if the growth of the second kind (MPI, or everything else)
 * explains a part as well, also the row of the second kind.
 */
static const char *grown_of(const struct comparison *c)
{
    static const double least = 0.1; /* of the first */
    const struct growing mpi = growth_of(c, true), other = growth_of(c, false);
    const bool is_mpi = mpi.seconds > other.seconds;
    const struct growing *most = is_mpi ? &mpi : &other, *next = is_mpi ? &other : &mpi;
    const char *of = c->is_weak ? "a CPU" : "all threads";
    if (!most->row)
        return "";
    return make_text(" In seconds of %s, what grows most is %s%s.", of, growth_text(c, most->row),
                     !next->row || next->seconds < least * most->seconds
                         ? ""
                         : make_text("; %s MPI, %s", is_mpi ? "outside of" : "of",
                                     growth_text(c, next->row)));
}

const char *compare_stops(const struct comparison *c)
{
    const struct config *first = &c->configs.at[0];
    const struct config *last = &c->configs.at[c->configs.n - 1];
    if (c->configs.n == 1)
        return "All runs have the same ranks and threads: there is no scaling to explain.";
    const char *fall = fall_of(c);
    return make_text("From %llu to %llu CPUs the global efficiency goes from %.1f %% to %.1f %%: "
                     "%s.%s",
                     (unsigned long long)first->cpus, (unsigned long long)last->cpus,
                     first->figure[FIGURE_GLOBAL].median, last->figure[FIGURE_GLOBAL].median, fall,
                     grown_of(c));
}
