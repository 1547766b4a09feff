/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of settings/families.def. A set of families is a word: bit 1 << family. */
#ifndef SPUR_FAMILIES_H
#define SPUR_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

enum spur_family {
#define FAMILY(NAME, ...) SPUR_FAMILY_##NAME,
#include "settings/families.def"
#undef FAMILY
    SPUR_FAMILIES
};

/* The paradigm of a family's regions. */
enum {
#define FAMILY(NAME, name, PARADIGM, ...) SPUR_PARADIGM_##NAME = OTF2_PARADIGM_##PARADIGM,
#include "settings/families.def"
#undef FAMILY
};

/* The source file of a family's regions; NULL: each region has a file of its own. */
const char *spur_family_file(enum spur_family family);

const char *spur_family_name(enum spur_family family);

/* The family with this name, of `length` bytes; SPUR_FAMILIES: there is none. */
enum spur_family spur_family_find(const char *name, size_t length);

/* The set that a comma list names; `default` in it stands for the default families. */
uint64_t spur_families_listed(const char *list);

/* Does the list, which may be NULL, name nothing but families and `default`? */
bool spur_families_are_good(const char *list);

#endif
