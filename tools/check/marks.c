/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What records of MPI have no field for, spur says in parameters in front of them: rows of
 * mpi_marks.def. Several may stand in front of one record.
 */
#include <string.h>

#include "tools/check/check.h"

static const char *const names[] = {
#define MARK(NAME, name, doc) name,
#include "wrappers/mpi/tables/mpi_marks.def"
#undef MARK
};

void marks_begin(struct check *c)
{
    for (int mark = 0; mark < MPI_MARKS; mark++)
        c->parameters[mark] = OTF2_UNDEFINED_PARAMETER;
    for (size_t i = 0; i < c->n_all; i++) {
        const struct otf2_def_Parameter *def = c->all[i].data;
        if (c->all[i].record != OTF2_DEF_Parameter)
            continue;
        for (int mark = 0; mark < MPI_MARKS; mark++)
            if (strcmp(text_of(c, def->name), names[mark]) == 0)
                c->parameters[mark] = def->self;
    }
}

void mark_set(struct check *c, struct location *at, uint32_t parameter, uint64_t value)
{
    uint64_t event = at->file.count;
    for (int mark = 0; mark < MPI_MARKS; mark++) {
        struct mark *m = &at->marks[mark];
        if (parameter == c->parameters[mark])
            *m = (struct mark){event + 1, value};
        else if (m->event == event)
            m->event++; /* they are said of the same record */
    }
}

bool is_marked(const struct location *at, enum mpi_mark mark, uint64_t *value)
{
    const struct mark *m = &at->marks[mark];
    if (!m->event || m->event != at->file.count)
        return false;
    if (value)
        *value = m->value;
    return true;
}
