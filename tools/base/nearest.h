/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of which a user has to type one: what a command says when the word is none of them. The
 * n names are given by a function of their number; names may repeat.
 */
#ifndef TOOLS_BASE_NEAREST_H
#define TOOLS_BASE_NEAREST_H

#include <stddef.h>

typedef const char *names_row(size_t i);

/*
 * The name that a mistyped word is nearest to: one letter is wrong, too much, missing, or has
 * changed places with the next one; two letters in words of five letters or more. NULL: no name is
 * that near. Borrowed.
 */
const char *names_nearest(const char *word, names_row *name, size_t n);

/* "region, process, thread": each name once, in their order. To be freed. */
char *names_list(names_row *name, size_t n);

#endif
