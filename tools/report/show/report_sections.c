/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/show/report_sections.h"

const struct section *const sections[] = {
#define TABLE(name) &section_##name,
#include "tools/report/show/report_sections.def"
#undef TABLE
};

const size_t n_sections = sizeof sections / sizeof sections[0];
_Static_assert(sizeof sections / sizeof sections[0] <= SECTIONS_MAX, "too many sections");

bool section_is_shown(const struct section *section, const struct report *r)
{
    return !section->is_only_by && (!section->is_of_interest || section->is_of_interest(r));
}

struct table section_table(const struct section *section, struct report *r, const struct wish *wish)
{
    struct table t = table_of(&section->form);
    t.defs = &r->defs;
    t.wish = wish;
    section->fill(r, &t);
    /* First as it is without --sort, which decides between equal rows. A key that this table does
     * not have leaves it so. */
    if (section->sort)
        table_sort(&t, table_column(&t, section->sort));
    size_t column = wish->sort ? table_column(&t, wish->sort) : SIZE_MAX;
    if (column != SIZE_MAX && section != &section_callpaths)
        table_sort(&t, column);
    return t;
}
