/* SPDX-License-Identifier: BSD-3-Clause */
/* What the names of regions say of the calls in them. */
#include <stdlib.h>
#include <string.h>

#include "tools/check/check.h"

void regions_prepare(struct check *c)
{
    c->n_regions = c->spaces[OTF2_REF_Region].n_dense;
    c->is_unordered = take_memory(c->n_regions * sizeof *c->is_unordered);
    c->is_shared = take_memory(c->n_regions * sizeof *c->is_shared);
    for (size_t i = 0; i < c->n_regions; i++) {
        const char *name = region_text(c, i);
        c->is_unordered[i] = strcmp(name, "MPI_Mrecv") == 0 || strcmp(name, "MPI_Imrecv") == 0;
        c->is_shared[i] = strstr(name, "rwlock") != NULL;
    }
}

void regions_free(struct check *c)
{
    free(c->is_unordered);
    free(c->is_shared);
}
