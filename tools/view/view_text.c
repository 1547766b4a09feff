/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/report/show/report_table.h"
#include "tools/view/view_numbers.h"

enum {
    WIDTH = 80, /* of what is no terminal */
    LINES_MAX = 64,
    LABEL_MAX = 32,
    LEGEND_MAX = 20,
};

/* For people who do not tell some colours from others: those of Okabe and Ito, of 256. */
static const uint8_t colours[] = {32, 214, 36, 175, 81, 166, 227, 105, 151, 180, 67, 139};
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { N_COLOURS = sizeof colours, N_LETTERS = sizeof letters - 1, GREY = 240, LIGHT = 250 };

struct picture {
    const struct view *v;
    const struct view_numbers *numbers;
    FILE *out;
    bool has_colour;
    unsigned width;
    unsigned label;
    unsigned seen[N_LETTERS]; /* cells with this letter */
};

/* A line: a row, or a group. */
struct line {
    const char *name;
    const struct view_cell *cells;
    uint32_t row; /* NIL: a group */
};

/* ---- room ---- */

static unsigned width_of(const struct view *v)
{
    struct winsize size;
    if (v->wish.width)
        return v->wish.width;
    if (v->wish.has_terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col > LABEL_MAX)
        return size.ws_col;
    return WIDTH;
}

static const char *name_of(const struct view *v, uint32_t row)
{
    const struct location *l = &v->defs.locations.at[v->rows.at[row].location];
    const char *process = defs_process_name(&v->defs, l->process);
    const char *name = defs_text(&v->defs, l->name);
    if (v->defs.processes.at[l->process].n_threads == 1 || !*name)
        return process;
    return make_text("%s, %s", process, name);
}

static unsigned label_of(const struct view *v)
{
    unsigned most = width_of(v) / 3 < LABEL_MAX ? width_of(v) / 3 : LABEL_MAX;
    size_t longest = 4;
    for (uint32_t i = 0; i < v->rows.n && longest < most; i++) {
        size_t n = text_columns(name_of(v, i));
        longest = n > longest ? n : longest;
    }
    return longest < most ? (unsigned)longest : most;
}

uint32_t view_text_columns(const struct view *v)
{
    return width_of(v) - label_of(v) - 2;
}

/* ---- lines ---- */

typedef LIST(struct line) lines;

static void add_rows(const struct view *v, lines *to)
{
    for (uint32_t i = 0; i < v->rows.n; i++)
        *LIST_ADD(to) = (struct line){name_of(v, i), v->rows.at[i].cells, i};
}

static void add_groups(const struct view *v, bool hosts, lines *to)
{
    for (size_t i = 0; i < v->groups.n; i++) {
        const struct view_group *g = &v->groups.at[i];
        if (g->is_host != hosts || !g->n)
            continue;
        const struct view_cell *cells = g->cells_at == NIL ? v->rows.at[g->first].cells : g->cells;
        *LIST_ADD(to) = (struct line){g->name, cells, NIL};
    }
}

/* Locations; processes, or hosts, when they are too many. */
static void add_lines(const struct view *v, lines *to)
{
    add_rows(v, to);
    if (to->n > LINES_MAX) {
        to->n = 0;
        add_groups(v, false, to);
    }
    if (to->n > LINES_MAX && v->hosts.n > 1) {
        to->n = 0;
        add_groups(v, true, to);
    }
}

/* ---- cells ---- */

/* What a cell is shown by. `number` is that of its region, NIL: it has no letter. */
static char letter_of(struct picture *p, const struct view_cell *cell, uint32_t *number)
{
    *number = NIL;
    if (cell->region == NIL)
        return ' ';
    if (cell->region == REGION_PROGRAM)
        return '.';
    if (cell->region == REGION_IDLE)
        return '-';
    if (cell->region == REGION_OFF)
        return '~';
    uint32_t n = 0; /* its place among those that have letters */
    for (size_t i = 0; i < p->numbers->regions.n && p->numbers->regions.at[i] != cell->region; i++)
        n += p->numbers->regions.at[i] != NIL && p->numbers->regions.at[i] >= REGIONS_OWN;
    if (n >= N_LETTERS)
        return '+';
    p->seen[n]++;
    *number = n;
    return letters[n];
}

static void put_cell(struct picture *p, const struct view_cell *cell)
{
    uint32_t number;
    char letter = letter_of(p, cell, &number);
    if (!p->has_colour || letter == ' ')
        fputc(letter, p->out);
    else if (number == NIL)
        fprintf(p->out, "\033[38;5;%dm%c\033[0m", letter == '+' ? LIGHT : GREY, letter);
    else
        fprintf(p->out, "\033[48;5;%d;38;5;16m%c\033[0m", colours[number % N_COLOURS], letter);
}

static void put_name(struct picture *p, const char *name)
{
    char *fit = text_fit(name, p->label);
    text_clean(fit, p->out);
    fprintf(p->out, "%*s ", (int)(p->label - text_columns(fit)), "");
    free(fit);
}

static bool is_killed(const struct view *v, uint32_t row)
{
    for (size_t i = 0; row != NIL && i < v->marks.n; i++)
        if (v->marks.at[i].row == row && !strcmp(v->marks.at[i].kind, "killed"))
            return true;
    return false;
}

static void put_line(struct picture *p, const struct line *line)
{
    uint32_t last = p->v->shape.n;
    put_name(p, line->name);
    while (last && line->cells[last - 1].region == NIL)
        last--;
    for (uint32_t i = 0; i < last; i++)
        put_cell(p, &line->cells[i]);
    if (is_killed(p->v, line->row))
        fputs(p->has_colour ? "\033[1mX\033[0m" : "X", p->out);
    fputc('\n', p->out);
}

/* ---- around them ---- */

static const char *time_of(uint64_t ns)
{
    char text[VALUE_BYTES];
    return copy_text(seconds_text(text, (double)ns / 1e9));
}

static void put_head(struct picture *p)
{
    const struct view_shape *s = &p->v->shape;
    uint64_t end = s->from + s->bucket * s->n;
    end = end < p->v->duration ? end : p->v->duration;
    const char *from = make_text("|%s", time_of(s->from));
    const char *to = make_text("%s|", time_of(end));
    size_t used = text_columns(from) + text_columns(to);
    fprintf(p->out, "%*s %s", (int)p->label, "", from);
    fprintf(p->out, "%*s%s\n", used < s->n ? (int)(s->n - used) : 1, "", to);
}

static void put_legend(struct picture *p)
{
    uint32_t letter = 0;
    unsigned shown = 0;
    fprintf(p->out,
            "\n. program  - idle  ~ not recorded  + other regions  X killed; a column is %s\n",
            time_of(p->v->shape.bucket));
    for (size_t i = 0; i < p->numbers->regions.n && letter < N_LETTERS; i++) {
        uint32_t region = p->numbers->regions.at[i];
        if (region == NIL || region < REGIONS_OWN)
            continue;
        if (p->seen[letter] && shown++ < LEGEND_MAX) {
            if (p->has_colour)
                fprintf(p->out, "\033[48;5;%d;38;5;16m%c\033[0m ", colours[letter % N_COLOURS],
                        letters[letter]);
            else
                fprintf(p->out, "%c ", letters[letter]);
            char *name = text_fit(defs_region_name(&p->v->defs, region), p->width - 2);
            text_clean(name, p->out);
            fputc('\n', p->out);
            free(name);
        }
        letter++;
    }
    if (shown > LEGEND_MAX)
        fprintf(p->out, "and %u more\n", shown - LEGEND_MAX);
}

/* Once for each process, and not for each of its threads. */
static void put_marks(struct picture *p)
{
    const struct view *v = p->v;
    unsigned shown = 0;
    for (size_t i = 0; i < v->marks.n; i++) {
        const struct view_mark *m = &v->marks.at[i];
        uint32_t process = v->defs.locations.at[v->rows.at[m->row].location].process;
        uint32_t main = v->defs.processes.at[process].main;
        if (main == NIL || v->rows.at[m->row].location != main || shown++ >= LEGEND_MAX)
            continue;
        fprintf(p->out, "%s: %s, ", m->kind, time_of(m->from));
        text_clean(defs_process_name(&v->defs, process), p->out);
        fputs(": ", p->out);
        text_clean(m->text, p->out);
        fputc('\n', p->out);
    }
    if (shown > LEGEND_MAX)
        fprintf(p->out, "and %u more marks\n", shown - LEGEND_MAX);
}

void view_text_write(const struct view *v, const struct view_part *part, FILE *out)
{
    const char *none = getenv("NO_COLOR"); /* NOLINT(concurrency-mt-unsafe): there is one thread */
    struct view_numbers numbers;
    lines all = {0};
    view_numbers_make(&numbers, part);
    struct picture p = {.v = v,
                        .numbers = &numbers,
                        .out = out,
                        .has_colour = v->wish.has_terminal && (!none || !*none),
                        .width = width_of(v),
                        .label = label_of(v)};
    add_lines(v, &all);
    put_head(&p);
    for (size_t i = 0; i < all.n && i < LINES_MAX; i++)
        put_line(&p, &all.at[i]);
    if (all.n > LINES_MAX)
        fprintf(out, "and %zu more: --location chooses\n", all.n - LINES_MAX);
    put_legend(&p);
    put_marks(&p);
    view_numbers_free(&numbers);
    free(all.at);
}
