/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The map of a process whose definitions were unified (finish/unify/unify_file.h). It stays in
 * memory: a rank that settles needs no file of it, and all others make theirs at their end. If the
 * process is killed before, finishing unifies all definitions again.
 */
#ifndef SPUR_UNIFY_OVER_H
#define SPUR_UNIFY_OVER_H

#include <stddef.h>

/* What its file would hold; NULL: nothing was unified. Valid until the next unification. */
const void *spur_unify_over_map(size_t *bytes);

/* The file, beside the journal. Apart (base/apart.h), when no thread of the process unifies. */
void spur_unify_over_save(void);

#endif
