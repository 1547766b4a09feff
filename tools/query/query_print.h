/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of an answer, one after the other: none is kept. */
#ifndef TOOLS_QUERY_PRINT_H
#define TOOLS_QUERY_PRINT_H

#include <sqlite3.h>
#include <stdio.h>

struct query_form;
extern const struct query_form query_tabs;
extern const struct query_form query_csv;
extern const struct query_form query_json;

/* SQLITE_DONE, or what went wrong. */
int query_print(sqlite3_stmt *statement, const struct query_form *form, FILE *out);

#endif
