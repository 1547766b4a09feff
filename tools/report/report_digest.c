/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/quantity.h"

enum { LEAST, MEAN, GREATEST, DIGEST_FIGURES };

struct figures {
    size_t n;
    double of[DIGEST_FIGURES];
    double spread; /* standard deviation */
};

static bool is_count(enum unit unit)
{
    return unit == UNIT_COUNT || unit == UNIT_BYTES;
}

static bool is_number(const struct column *column)
{
    return column->unit != UNIT_TEXT && column->unit != UNIT_ID;
}

static double value_of(const struct table *t, size_t row, size_t column)
{
    const struct cell *cell = table_cell(t, row, column);
    if (!cell->kind)
        return (double)NAN;
    return is_count(t->columns[column].unit) ? (double)cell->whole : cell->real;
}

static struct figures figures_of(const struct table *t, size_t column)
{
    struct figures f = {0, {INFINITY, 0.0, -INFINITY}, 0.0};
    for (size_t row = 0; row < table_rows(t); row++) {
        double value = value_of(t, row, column);
        if (!isfinite(value))
            continue;
        f.n++;
        f.of[LEAST] = fmin(f.of[LEAST], value);
        f.of[GREATEST] = fmax(f.of[GREATEST], value);
        f.of[MEAN] += value;
    }
    if (f.n)
        f.of[MEAN] /= (double)f.n;
    for (size_t row = 0; row < table_rows(t) && f.n; row++) {
        double value = value_of(t, row, column);
        if (isfinite(value))
            f.spread += (value - f.of[MEAN]) * (value - f.of[MEAN]) / (double)f.n;
    }
    f.spread = sqrt(f.spread);
    return f;
}

/* ---- outliers ---- */

struct outlier {
    size_t row;
    double
        score; /* deviation from the mean in standard deviations, of the column where it is most */
};

static int by_score(const void *a, const void *b)
{
    const struct outlier *x = a;
    const struct outlier *y = b;
    ORDER(y->score, x->score);
    return (x->row > y->row) - (x->row < y->row);
}

/* What differs by less than a hundredth is the same. */
static bool is_even(const struct column *column, const struct figures *f)
{
    double scale = column->unit == UNIT_PERCENT ? 100.0 : fabs(f->of[MEAN]);
    return f->of[GREATEST] - f->of[LEAST] <= 0.01 * scale;
}

static struct outlier *outliers_of(const struct table *t, const struct figures *figures)
{
    size_t room = 0;
    size_t rows = table_rows(t);
    struct outlier *all = list_grow(NULL, &room, rows + 1, sizeof *all);
    for (size_t row = 0; row < rows; row++) {
        all[row] = (struct outlier){row, 0.0};
        for (size_t i = 0; i < t->n_columns; i++) {
            const struct figures *f = &figures[i];
            double value = value_of(t, row, i);
            if (f->n && t->columns[i].shown != DATA_ONLY && !is_even(&t->columns[i], f) &&
                isfinite(value))
                all[row].score = fmax(all[row].score, fabs(value - f->of[MEAN]) / f->spread);
        }
    }
    qsort(all, rows, sizeof *all, by_score);
    return all;
}

/* ---- rows ---- */

/* The text that all rows have, "" if they differ: what is the same needs no column. */
static const char *common_text(const struct table *t, size_t column)
{
    const char *first = table_cell(t, 0, column)->text;
    for (size_t row = 1; row < table_rows(t); row++)
        if (strcmp(table_cell(t, row, column)->text, first) != 0)
            return "";
    return first;
}

static void put_figures(struct table *to, const struct table *t, const struct figures *figures,
                        unsigned which)
{
    static const char *const names[] = {"min", "mean", "max"};
    bool is_named = false;
    for (size_t i = 0; i < to->n_columns; i++) {
        const struct column *column = &to->columns[i];
        if (column->unit == UNIT_TEXT) {
            bool is_name = !is_named && column->shown == EVERYWHERE;
            ROW(to, is_name ? names[which] : common_text(t, i));
            is_named |= is_name;
        } else {
            double value = figures[i].n ? figures[i].of[which] : (double)NAN;
            ROW(to, isfinite(value) && is_count(column->unit) ? cell(quantity_whole(round(value)))
                                                              : cell(value));
        }
    }
}

struct table digest_table(const struct table *t, size_t most)
{
    static const double least_score = 2.0;
    struct table made = table_of(t->form);
    size_t room = 0;
    size_t shown = 0;
    struct figures *figures = list_grow(NULL, &room, t->n_columns, sizeof *figures);
    for (size_t i = 0; i < t->n_columns; i++)
        if (is_number(&t->columns[i]))
            figures[i] = figures_of(t, i);
    struct outlier *outliers = outliers_of(t, figures);
    for (unsigned which = 0; which < DIGEST_FIGURES; which++)
        put_figures(&made, t, figures, which);
    for (; shown + DIGEST_FIGURES < most && shown < table_rows(t); shown++) {
        if (outliers[shown].score < least_score)
            break;
        for (size_t i = 0; i < t->n_columns; i++)
            *LIST_ADD(&made.cells) = *table_cell(t, outliers[shown].row, i);
    }
    made.left_out = t->left_out + table_rows(t) - shown;
    free(outliers);
    free(figures);
    return made;
}
