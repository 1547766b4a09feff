/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/show/report_table.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/defs.h"

/* A name takes no more than so many columns, or two thirds of a line, the greater. */
enum { INDENT = 2, NAME_LEAST = 16, NAME_MOST = 64, NAMES_COMPARED = 1000 };

/* ---- filling ---- */

static bool is_whole(enum unit unit)
{
    return unit == UNIT_ID || unit == UNIT_COUNT || unit == UNIT_BYTES;
}

void table_add(struct table *t, const struct cell *cells)
{
    for (; cells->kind != CELLS_END; cells++) {
        enum unit unit = t->columns[t->cells.n % t->n_columns].unit;
        bool is_ticks = cells->kind == WHOLE && !is_whole(unit);
        *LIST_ADD(&t->cells) = is_ticks ? cell(defs_seconds(t->defs, cells->whole)) : *cells;
    }
}

struct table table_of(const struct table_form *form)
{
    return (struct table){.form = form, .columns = form->columns, .n_columns = form->n_columns};
}

size_t table_rows(const struct table *t)
{
    return t->n_columns ? t->cells.n / t->n_columns : 0;
}

const struct cell *table_cell(const struct table *t, size_t row, size_t column)
{
    return &t->cells.at[row * t->n_columns + column];
}

size_t form_column(const struct table_form *form, const char *key)
{
    for (size_t i = 0; i < form->n_columns; i++)
        if (!strcmp(form->columns[i].key, key))
            return i;
    return SIZE_MAX;
}

size_t table_column(const struct table *t, const char *key)
{
    return form_column(t->form, key);
}

/* ---- order ---- */

struct order {
    const struct table *table;
    size_t column;
};

static int compare(const void *a, const void *b, void *user)
{
    const struct order *order = user;
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    const struct cell *p = table_cell(order->table, x, order->column);
    const struct cell *q = table_cell(order->table, y, order->column);
    enum unit unit = order->table->columns[order->column].unit;
    int result = !p->kind - !q->kind;
    if (!result && p->kind) {
        if (unit == UNIT_TEXT)
            result = strcmp(p->text, q->text);
        else if (is_whole(unit))
            result = (p->whole < q->whole) - (p->whole > q->whole);
        else
            result = (p->real < q->real) - (p->real > q->real);
        if (unit == UNIT_ID)
            result = -result;
    }
    return result ? result : (x > y) - (x < y);
}

void table_sort(struct table *t, size_t column)
{
    struct order order = {t, column};
    size_t n = table_rows(t);
    size_t room = 0;
    size_t room_of_cells = 0;
    if (n < 2)
        return;
    size_t *rows = list_grow(NULL, &room, n, sizeof *rows);
    struct cell *cells = list_grow(NULL, &room_of_cells, t->cells.n, sizeof *cells);
    for (size_t i = 0; i < n; i++)
        rows[i] = i;
    qsort_r(rows, n, sizeof *rows, compare, &order);
    for (size_t i = 0; i < n; i++)
        memcpy(&cells[i * t->n_columns], table_cell(t, rows[i], 0), t->n_columns * sizeof *cells);
    free(t->cells.at);
    free(rows);
    t->cells.at = cells;
    t->cells.room = room_of_cells;
}

void table_cut(struct table *t, size_t n)
{
    size_t rows = table_rows(t);
    if (rows <= n)
        return;
    t->left_out += rows - n;
    t->cells.n = n * t->n_columns;
}

/* ---- text ---- */

static size_t cell_columns(const struct column *column, const struct cell *cell)
{
    char text[VALUE_BYTES];
    if (column->unit == UNIT_TEXT)
        return cell->kind ? text_columns(cell->text) : 0;
    return strlen(value_text(text, column->unit, cell));
}

static bool is_same(enum unit unit, const struct cell *a, const struct cell *b)
{
    if (!a->kind || !b->kind)
        return a->kind == b->kind;
    if (unit == UNIT_TEXT)
        return !strcmp(a->text, b->text);
    return is_whole(unit) ? a->whole == b->whole : a->real == b->real;
}

static const struct cell zero = {.kind = WHOLE, .whole = 0}; /* and 0.0 */
static const struct cell no_text = {.kind = TEXT, .text = ""};

static bool is_zero(const struct table *t, size_t column)
{
    enum unit unit = t->columns[column].unit;
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct cell *cell = table_cell(t, row, column);
        if (cell->kind && !is_same(unit, cell, unit == UNIT_TEXT ? &no_text : &zero))
            return false;
    }
    return true;
}

/* Whether the column says nothing: the same in all rows; of a single row names and zeros. */
static bool is_dull(const struct table *t, size_t column)
{
    enum unit unit = t->columns[column].unit;
    const struct cell *first = table_rows(t) ? table_cell(t, 0, column) : NULL;
    if (table_rows(t) == 1)
        return unit == UNIT_TEXT || !first->kind || is_same(unit, first, &zero);
    for (size_t row = 1; row < table_rows(t); row++)
        if (!is_same(unit, table_cell(t, row, column), first))
            return false;
    return true;
}

/* The columns as text shows them. */
struct layout {
    size_t *widths;
    bool *is_hidden;
    bool *is_dropped; /* for want of width */
    char **names;     /* texts as they are shown, by row and column */
    size_t last;      /* that is shown */
};

static size_t natural_width(const struct table *t, size_t column, const struct look *look)
{
    size_t most = look->width == SIZE_MAX ? SIZE_MAX : look->width / 3 * 2;
    most = most < NAME_MOST ? NAME_MOST : most;
    size_t width = look->has_headings ? strlen(t->columns[column].heading) : 0;
    for (size_t row = 0; row < table_rows(t); row++) {
        size_t n = cell_columns(&t->columns[column], table_cell(t, row, column));
        width = n > width ? n : width;
    }
    return t->columns[column].unit == UNIT_TEXT && width > most ? most : width;
}

/* Names give way to what does not fit into a line, the longest first. */
static void shrink(const struct table *t, struct layout *l, size_t all, size_t line)
{
    for (; all > line; all--) {
        size_t longest = SIZE_MAX;
        for (size_t i = 0; i < t->n_columns; i++)
            if (t->columns[i].unit == UNIT_TEXT && l->widths[i] > NAME_LEAST &&
                (longest == SIZE_MAX || l->widths[i] > l->widths[longest]))
                longest = i;
        if (longest == SIZE_MAX)
            break;
        l->widths[longest]--;
    }
}

/* Columns that do not fit though names are short are left out, the last first. */
static size_t drop(const struct table *t, struct layout *l, size_t all, size_t line)
{
    enum { KEPT = 3 };
    size_t shown = 0;
    size_t least = all;
    for (size_t i = 0; i < t->n_columns; i++) {
        shown += !l->is_hidden[i];
        if (!l->is_hidden[i] && t->columns[i].unit == UNIT_TEXT && l->widths[i] > NAME_LEAST)
            least -= l->widths[i] - NAME_LEAST;
    }
    for (size_t i = t->n_columns; i-- > 0 && least > line && shown > KEPT;) {
        if (l->is_hidden[i])
            continue;
        bool is_cut = t->columns[i].unit == UNIT_TEXT && l->widths[i] > NAME_LEAST;
        least -= (is_cut ? NAME_LEAST : l->widths[i]) + 2;
        all -= l->widths[i] + 2;
        l->is_hidden[i] = true;
        l->is_dropped[i] = true;
        shown--;
    }
    for (size_t i = 0; i < t->n_columns; i++)
        if (!l->is_hidden[i])
            l->last = i;
    return all;
}

/* Where two texts begin to differ. */
static size_t differ_at(const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    return at;
}

/* Different texts that would look the same after the cut show where they differ. */
static void tell_apart(const struct table *t, struct layout *l, size_t column)
{
    size_t rows = table_rows(t) < NAMES_COMPARED ? table_rows(t) : NAMES_COMPARED;
    for (size_t row = 0; row < rows; row++) {
        const char *text = table_cell(t, row, column)->text;
        char **name = &l->names[row * t->n_columns + column];
        for (size_t k = 0; *name && k < row; k++) {
            const char *other = table_cell(t, k, column)->text;
            char **earlier = &l->names[k * t->n_columns + column];
            if (!*earlier || strcmp(*name, *earlier) != 0 || !strcmp(text, other))
                continue;
            size_t at = differ_at(text, other);
            free(*earlier);
            free(*name);
            *earlier = text_fit_around(other, l->widths[column], at);
            *name = text_fit_around(text, l->widths[column], at);
        }
    }
}

static void make_names(const struct table *t, struct layout *l)
{
    size_t room = 0;
    l->names = list_grow(NULL, &room, t->cells.n + 1, sizeof *l->names);
    for (size_t row = 0; row < table_rows(t); row++)
        for (size_t i = 0; i < t->n_columns; i++) {
            const struct cell *cell = table_cell(t, row, i);
            if (!l->is_hidden[i] && t->columns[i].unit == UNIT_TEXT && cell->kind)
                l->names[row * t->n_columns + i] = text_fit(cell->text, l->widths[i]);
        }
    for (size_t i = 0; i < t->n_columns; i++)
        if (!l->is_hidden[i] && t->columns[i].unit == UNIT_TEXT)
            tell_apart(t, l, i);
}

static void free_layout(const struct table *t, struct layout *l)
{
    for (size_t i = 0; i < t->cells.n; i++)
        free(l->names[i]);
    free(l->names);
    free(l->widths);
    free(l->is_hidden);
    free(l->is_dropped);
}

static struct layout layout_of(const struct table *t, const struct look *look)
{
    struct layout l = {0};
    size_t room[3] = {0, 0, 0};
    size_t all = INDENT - 2;
    l.widths = list_grow(NULL, &room[0], t->n_columns, sizeof *l.widths);
    l.is_hidden = list_grow(NULL, &room[1], t->n_columns, sizeof *l.is_hidden);
    for (size_t i = 0; i < t->n_columns; i++) {
        enum shown shown = t->columns[i].shown;
        l.is_hidden[i] = shown == DATA_ONLY || (shown == UNLESS_SAME && is_dull(t, i)) ||
                         (shown == UNLESS_ZERO && is_zero(t, i));
        if (l.is_hidden[i])
            continue;
        l.widths[i] = natural_width(t, i, look);
        l.last = i;
        all += l.widths[i] + 2;
    }
    l.is_dropped = list_grow(NULL, &room[2], t->n_columns, sizeof *l.is_dropped);
    shrink(t, &l, drop(t, &l, all, look->width), look->width);
    make_names(t, &l);
    return l;
}

static void blanks(size_t n, FILE *out)
{
    fprintf(out, "%*s", (int)n, "");
}

/* A text stands left, a number right; nothing stands behind the last text. */
static void put_left(const char *text, size_t width, bool is_last, FILE *out)
{
    size_t columns = text_columns(text);
    text_clean(text, out);
    if (!is_last && columns < width)
        blanks(width - columns, out);
}

static void put_row(const struct table *t, const struct layout *l, size_t row, FILE *out)
{
    char text[VALUE_BYTES];
    size_t gap = INDENT;
    size_t owed = 0;
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct cell *cell = table_cell(t, row, i);
        if (l->is_hidden[i])
            continue;
        owed += gap;
        gap = 2;
        if (!cell->kind || (t->columns[i].unit == UNIT_TEXT && !*cell->text)) {
            owed += l->widths[i];
            continue;
        }
        blanks(owed, out);
        owed = 0;
        if (t->columns[i].unit == UNIT_TEXT) {
            put_left(l->names[row * t->n_columns + i], l->widths[i], i == l->last, out);
            continue;
        }
        value_text(text, t->columns[i].unit, cell);
        size_t n = strlen(text);
        size_t trimmed = n;
        while (trimmed && text[trimmed - 1] == ' ')
            trimmed--;
        fprintf(out, "%*s%.*s", (int)(l->widths[i] - n), "", (int)trimmed, text);
        owed = n - trimmed;
    }
    fputc('\n', out);
}

static void put_headings(const struct table *t, const struct layout *l, const struct look *look,
                         FILE *out)
{
    size_t gap = INDENT;
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct column *column = &t->columns[i];
        if (l->is_hidden[i])
            continue;
        blanks(gap, out);
        gap = 2;
        fputs(look->has_color ? "\033[4m" : "", out);
        if (column->unit == UNIT_TEXT)
            put_left(column->heading, l->widths[i], i == l->last, out);
        else
            fprintf(out, "%*s", (int)l->widths[i], column->heading);
        fputs(look->has_color ? "\033[0m" : "", out);
    }
    fputc('\n', out);
}

static void name_dropped(const struct table *t, const struct layout *l, FILE *out)
{
    const char *before = "  not shown, for --wide: ";
    for (size_t i = 0; i < t->n_columns; i++)
        if (l->is_dropped[i]) {
            fprintf(out, "%s%s", before, t->columns[i].heading);
            before = ", ";
        }
    if (*before == ',')
        fputc('\n', out);
}

void table_text(const struct table *t, const struct look *look, FILE *out)
{
    struct layout l = layout_of(t, look);
    if (look->has_headings)
        put_headings(t, &l, look, out);
    for (size_t row = 0; row < table_rows(t); row++)
        put_row(t, &l, row, out);
    if (look->has_headings)
        name_dropped(t, &l, out);
    free_layout(t, &l);
}

/* ---- data ---- */

static void put_data(enum unit unit, const struct cell *cell, FILE *out)
{
    if (is_whole(unit))
        fprintf(out, "%llu", (unsigned long long)cell->whole);
    else
        fprintf(out, "%.15g", cell->real);
}

void table_csv(const struct table *t, bool has_headings, FILE *out)
{
    for (size_t row = has_headings ? SIZE_MAX : 0; row == SIZE_MAX || row < table_rows(t); row++) {
        const char *comma = "";
        for (size_t i = 0; i < t->n_columns; i++) {
            if (t->columns[i].shown == TEXT_ONLY)
                continue;
            fputs(comma, out);
            comma = ",";
            const struct cell *cell = row == SIZE_MAX ? NULL : table_cell(t, row, i);
            if (!cell)
                fputs(t->columns[i].key, out);
            else if (cell->kind && t->columns[i].unit == UNIT_TEXT)
                csv_text(cell->text, out);
            else if (cell->kind)
                put_data(t->columns[i].unit, cell, out);
        }
        fputc('\n', out);
    }
}

static void put_object(const struct table *t, size_t row, FILE *out)
{
    const char *comma = "";
    fputc('{', out);
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct cell *cell = table_cell(t, row, i);
        if (t->columns[i].shown == TEXT_ONLY)
            continue;
        fprintf(out, "%s\"%s\": ", comma, t->columns[i].key);
        comma = ", ";
        if (!cell->kind)
            fputs("null", out);
        else if (t->columns[i].unit == UNIT_TEXT)
            json_text(cell->text, out);
        else
            put_data(t->columns[i].unit, cell, out);
    }
    fputc('}', out);
}

void table_json(const struct table *t, FILE *out)
{
    fputc('[', out);
    for (size_t row = 0; row < table_rows(t); row++) {
        fputs(row ? ",\n      " : "\n      ", out);
        put_object(t, row, out);
    }
    fputs(table_rows(t) ? "\n    ]" : "]", out);
}
