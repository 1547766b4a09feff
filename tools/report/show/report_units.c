/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in units that are fit to read, and foreign text made fit for terminals and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "tools/base/plain.h"
#include "tools/base/quantity.h"
#include "tools/report/show/report_table.h"

/* Four digits. */
static int decimals(double value)
{
    if (value < 9.9995)
        return 3;
    return value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
}

/* `text` has room for VALUE_BYTES, or for a byte less with a sign before `text`. */
static char *scaled(char *text, double value, const char *unit)
{
    snprintf(text, VALUE_BYTES - 1, "%.*f %s", decimals(fabs(value)), value, unit);
    return text;
}

char *seconds_text(char *text, double seconds)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t unit = 0;
    if (seconds == 0.0) {
        snprintf(text, VALUE_BYTES - 1, "0 s");
        return text;
    }
    while (unit < 3 && fabs(seconds) < 0.99995) {
        seconds *= 1000.0;
        unit++;
    }
    return scaled(text, seconds, units[unit]);
}

char *bytes_text(char text[VALUE_BYTES], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (unit < 6 && value >= 1023.95) {
        value /= 1024.0;
        unit++;
    }
    if (unit == 0)
        snprintf(text, VALUE_BYTES, "%u B", (unsigned)bytes);
    else
        scaled(text, value, units[unit]);
    return text;
}

/* 1,234,567 */
char *count_text(char text[VALUE_BYTES], uint64_t count)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *to = text;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

/* The unit behind a number takes the same columns in all rows, so that the points stand in line. */
static char *padded(char text[VALUE_BYTES], size_t unit_columns)
{
    const char *blank = strchr(text, ' ');
    size_t n = strlen(text);
    for (size_t unit = blank ? strlen(blank + 1) : 0; unit < unit_columns && n + 1 < VALUE_BYTES;
         unit++)
        text[n++] = ' ';
    text[n] = '\0';
    return text;
}

/* From ten millions on four digits are enough: 12.35 M. */
static char *number_text(char text[VALUE_BYTES], double real)
{
    static const char letters[] = "MGTPEZY";
    static const double whole_below = 1e7;
    double value = real / 1e6;
    size_t letter = 0;
    if (isfinite(real) && fabs(real) >= whole_below) {
        for (; fabs(value) >= 999.95 && letters[letter + 1]; letter++)
            value /= 1e3;
        snprintf(text, VALUE_BYTES, "%.*f %c", decimals(fabs(value)), value, letters[letter]);
    } else if (fabs(real) < 1e15 && real == floor(real)) {
        bool is_negative = real < 0.0;
        text[0] = '-';
        count_text(text + is_negative, quantity_whole(fabs(real)));
    } else {
        snprintf(text, VALUE_BYTES, "%.5g", real);
    }
    return text;
}

char *value_text(char text[VALUE_BYTES], enum unit unit, const struct cell *cell)
{
    text[0] = '\0';
    if (!cell->kind)
        return text;
    switch (unit) {
    case UNIT_TEXT:
        break;
    case UNIT_ID:
        snprintf(text, VALUE_BYTES, "%llu", (unsigned long long)cell->whole);
        break;
    case UNIT_COUNT:
        return count_text(text, cell->whole);
    case UNIT_SECONDS:
        return padded(seconds_text(text, cell->real), 2);
    case UNIT_BYTES:
        return padded(bytes_text(text, cell->whole), 3);
    case UNIT_RATE:
        bytes_text(text, quantity_whole(cell->real));
        snprintf(text + strlen(text), VALUE_BYTES - strlen(text), "/s");
        return padded(text, 5);
    case UNIT_PERCENT:
        snprintf(text, VALUE_BYTES, "%.1f", cell->real);
        break;
    case UNIT_NUMBER:
        return number_text(text, cell->real);
    case UNIT_CHANGE:
        text[0] = '+';
        seconds_text(text + (cell->real > 0.0), cell->real);
        return padded(text, 2);
    case UNIT_CHANGE_PERCENT:
        snprintf(text, VALUE_BYTES, "%+.1f", cell->real);
        break;
    }
    return text;
}

/* ---- text ---- */

static size_t width(uint32_t code)
{
    int columns = text_is_control(code) ? 1 : wcwidth((wchar_t)code);
    return columns < 0 ? 1 : (size_t)columns;
}

void text_clean(const char *text, FILE *out)
{
    size_t bytes;
    for (; *text; text += bytes) {
        uint32_t code = text_character(text, &bytes);
        if (text_is_control(code) || (code == NO_CHARACTER && bytes == 1))
            fputc('?', out);
        else
            fwrite(text, 1, bytes, out);
    }
}

size_t text_columns(const char *text)
{
    size_t columns = 0;
    size_t bytes;
    for (; *text; text += bytes)
        columns += width(text_character(text, &bytes));
    return columns;
}

/* The "<" of arguments, as opposed to the "<" of an operator. */
static bool opens_arguments(const char *text, size_t at)
{
    static const char name[] = "operator";
    size_t n = sizeof name - 1;
    size_t begin = at;
    while (begin > 0 && (text[begin - 1] == '<' || text[begin - 1] == ' '))
        begin--;
    return text[at] == '<' && at > 0 && text[at + 1] != '<' && text[at + 1] != '=' &&
           (begin < n || memcmp(text + begin - n, name, n) != 0);
}

static bool closes_arguments(const char *text, size_t at)
{
    return text[at] == '>' && at > 0 && text[at - 1] != '-';
}

/* The place of the ">" of the "<" at `at`, 0: no such place. */
static size_t end_of_arguments(const char *text, size_t at)
{
    unsigned open = 1;
    for (size_t i = at + 1; text[i]; i++) {
        open += opens_arguments(text, i);
        if (closes_arguments(text, i) && !--open)
            return i;
    }
    return 0;
}

/* A copy with "..." for the arguments of templates nested inside `depth` levels of arguments. */
static char *without_arguments(const char *text, unsigned depth)
{
    char *made = copy_text(text);
    unsigned open = 0;
    size_t n = 0;
    for (size_t i = 0; text[i]; i++) {
        made[n++] = text[i];
        if (closes_arguments(text, i) && open)
            open--;
        if (!opens_arguments(text, i))
            continue;
        size_t end = end_of_arguments(text, i);
        if (open < depth || !end || end - i <= sizeof "...") {
            open++;
            continue;
        }
        memcpy(made + n, "...>", 4);
        n += 4;
        i = end;
    }
    made[n] = '\0';
    return made;
}

static char *without_middle(const char *text, size_t columns)
{
    static const char gap[] = "...";
    size_t all = text_columns(text);
    if (all <= columns || columns < sizeof gap)
        return copy_text(text);
    size_t head = (columns - (sizeof gap - 1) + 1) / 2;
    size_t tail = columns - (sizeof gap - 1) - head;
    const char *middle = text;
    const char *end = text;
    size_t bytes;
    size_t at = 0;
    for (; *end && at < all - tail; end += bytes) {
        uint32_t code = text_character(end, &bytes);
        if (at + width(code) <= head)
            middle = end + bytes;
        at += width(code);
    }
    return make_text("%.*s%s%s", (int)(middle - text), text, gap, end);
}

/*
 * The text behind the last piece that must go from the left, so that the rest fits; NULL: no such
 * piece.
 */
static const char *behind(const char *text, const char *mark, size_t columns)
{
    size_t length = strlen(mark);
    const char *rest = NULL;
    for (const char *at = strstr(text, mark); at; at = strstr(at + length, mark)) {
        if (at[length] == '\0')
            break;
        rest = at + length;
        if (text_columns(rest) <= columns)
            break;
    }
    return rest;
}

/* Without the types of a function's arguments: "f" of "f(int, char) const". */
static void cut_types(char *text)
{
    static const char constant[] = ") const";
    size_t n = strlen(text), tail = sizeof constant - 1, open = 0;
    if (n > tail && !strcmp(text + n - tail, constant))
        n -= tail - 1;
    if (!n || text[n - 1] != ')')
        return;
    do {
        n--;
        open += text[n] == ')';
        open -= text[n] == '(';
    } while (n && open);
    if (!open && n && text[n - 1] != ' ' && text[n - 1] != ':')
        text[n] = '\0';
}

/* Without the outer scopes: "PairLJCut::compute" of "LAMMPS_NS::PairLJCut::compute". */
static char *inner_scopes(const char *text, size_t columns)
{
    size_t begin = 0, deep = 0;
    for (size_t i = 0; text[i]; i++) {
        deep += opens_arguments(text, i) || text[i] == '(';
        deep -= deep && (closes_arguments(text, i) || text[i] == ')');
        if (!deep && text_columns(text + begin) > columns && text[i] == ':' && text[i + 1] == ':' &&
            text[i + 2])
            begin = i + 2;
    }
    return copy_text(text_columns(text + begin) <= columns ? text + begin : text);
}

/* Calls and directories give way from the left: "... > solve > step", ".../run/out.dat". */
static char *inner_parts(const char *text, size_t columns)
{
    static const struct {
        const char *mark, *gap;
    } parts[] = {{" > ", "... > "}, {"/", ".../"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t gap = strlen(parts[i].gap);
        const char *rest = columns > gap ? behind(text, parts[i].mark, columns - gap) : NULL;
        if (rest && text_columns(rest) + gap <= columns)
            return make_text("%s%s", parts[i].gap, rest);
    }
    return copy_text(text);
}

char *text_fit(const char *text, size_t columns)
{
    enum { DEPTH = 4 };
    char *copy = copy_text(text);
    for (unsigned depth = DEPTH; depth-- > 0 && text_columns(copy) > columns;) {
        free(copy);
        copy = without_arguments(text, depth);
    }
    if (text_columns(copy) > columns)
        cut_types(copy);
    char *inner = text_columns(copy) > columns && !strstr(copy, " > ") ? inner_scopes(copy, columns)
                                                                       : copy_text(copy);
    char *part = text_columns(inner) > columns ? inner_parts(inner, columns) : copy_text(inner);
    char *fit = without_middle(part, columns);
    free(copy);
    free(inner);
    free(part);
    return fit;
}

char *text_fit_around(const char *text, size_t columns, size_t at)
{
    size_t length = strlen(text);
    size_t before = columns / 2;
    if (length <= columns || columns < 16)
        return without_middle(text, columns);
    size_t begin = at > before ? at - before : 0;
    begin = begin + columns > length ? length - columns : begin;
    size_t end = begin + columns;
    /* Not within a character. */
    begin += begin ? 3 : 0;
    end -= end < length ? 3 : 0;
    while (((unsigned char)text[begin] & 0xc0) == 0x80)
        begin++;
    while (end > begin && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    return make_text("%s%.*s%s", begin ? "..." : "", (int)(end - begin), text + begin,
                     end < length ? "..." : "");
}

void text_paragraph(const char *mark, const char *text, size_t width, FILE *out)
{
    size_t indent = text_columns(mark);
    size_t at = indent;
    fputs(mark, out);
    while (*text) {
        size_t n = 0;
        while (text[n] && (text[n] != ' ' || (n && text[n - 1] >= '0' && text[n - 1] <= '9')))
            n++;
        char *word = make_text("%.*s", (int)n, text);
        size_t columns = text_columns(word);
        if (at > indent && at + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        text_clean(word, out);
        at += columns;
        free(word);
        text += n + (text[n] == ' ');
    }
    fputc('\n', out);
}
