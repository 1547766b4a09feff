/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "finish/find/finish_find.h"

enum { WORLDS_MAX = 1 << 16 }; /* a larger number is not believed */

static uint64_t base_of(const struct finish *f, const char *name)
{
    for (uint64_t i = 0; i < f->n_processes; i++)
        if (f->process[i]->head.rank >= 0 && strcmp(f->process[i]->name, name) == 0)
            return f->process[i]->mpi_base;
    return UINT64_MAX;
}

static bool make_room(struct spur_words *worlds, uint64_t number)
{
    while (worlds->n <= number) {
        uint64_t *at = spur_words_add(worlds, 1);
        if (!at)
            return false;
        *at = UINT64_MAX;
    }
    return true;
}

int finish_worlds(const struct finish *f, const struct finish_process *p, struct spur_words *worlds)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t at = 0;
    while (spur_journal_next(p->journal, p->journal_bytes, &at, &record)) {
        if (record.kind != SPUR_DEFINITION_World || !spur_record_unpack(&record, NULL, cells))
            continue;
        uint64_t number = cells[SPUR_AT_World_number].number;
        if (number >= WORLDS_MAX)
            continue;
        if (!make_room(worlds, number))
            return -ENOMEM;
        worlds->at[number] = base_of(f, cells[SPUR_AT_World_process].at);
    }
    return 0;
}
