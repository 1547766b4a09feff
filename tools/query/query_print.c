/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/query/query_print.h"

#include <stdbool.h>
#include <string.h>

#include "tools/base/plain.h"

struct query_form {
    const char *begin; /* of the answer */
    const char *end;
    const char *before; /* a row */
    const char *after;
    const char *between; /* two cells; rows have none */
    const char *between_rows;
    bool has_heading;
    bool has_keys;
    const char *nothing;
    void (*text)(const char *text, FILE *out);
};

static void tabs_text(const char *text, FILE *out)
{
    for (; *text; text++)
        putc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
}

const struct query_form query_tabs = {"", "", "", "\n", "\t", "", true, false, "", tabs_text};
const struct query_form query_csv = {"", "", "", "\n", ",", "", true, false, "", csv_text};
const struct query_form query_json = {"[", "\n]\n", "\n  {", "}",    ", ",
                                      ",", false,   true,    "null", json_text};

static void put_cell(sqlite3_stmt *s, int i, const struct query_form *form, FILE *out)
{
    int type = sqlite3_column_type(s, i); /* of what the text is made */
    const char *text = (const char *)sqlite3_column_text(s, i);
    switch (type) {
    case SQLITE_NULL:
        fputs(form->nothing, out);
        break;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        /* Inf is no number of JSON. */
        if (text && form->has_keys && strstr(text, "Inf"))
            fputs(form->nothing, out);
        else
            fputs(text ? text : form->nothing, out);
        break;
    default:
        form->text(text ? text : "", out);
    }
}

static void put_heading(sqlite3_stmt *s, const struct query_form *form, FILE *out)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        fputs(i ? form->between : form->before, out);
        form->text(sqlite3_column_name(s, i), out);
    }
    fputs(form->after, out);
}

int query_print(sqlite3_stmt *statement, const struct query_form *form, FILE *out)
{
    int status;
    bool is_first = true;
    fputs(form->begin, out);
    if (form->has_heading && sqlite3_column_count(statement))
        put_heading(statement, form, out);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!is_first)
            fputs(form->between_rows, out);
        is_first = false;
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            fputs(i ? form->between : form->before, out);
            if (form->has_keys) {
                form->text(sqlite3_column_name(statement, i), out);
                fputs(": ", out);
            }
            put_cell(statement, i, form, out);
        }
        fputs(form->after, out);
    }
    fputs(form->end, out);
    return status;
}
