/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a paradigm, for recording and for finishing. */
#ifndef AGENT_PARADIGMS_H
#define AGENT_PARADIGMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

#include "settings/families.h"

/* The source file of the regions of a paradigm's family; NULL for one that has none. */
static inline const char *spur_paradigm_file(uint64_t paradigm)
{
    unsigned family = 0;
    static const uint8_t paradigms[] = {
#define FAMILY(NAME, ...) SPUR_PARADIGM_##NAME,
#include "settings/families.def"
#undef FAMILY
    };
    while (family < SPUR_FAMILIES && paradigms[family] != paradigm)
        family++;
    return family < SPUR_FAMILIES ? spur_family_file((enum spur_family)family) : NULL;
}

/* Do its regions stand on streams of devices? */
static inline bool spur_paradigm_is_device(uint64_t paradigm)
{
    switch (paradigm) {
#define PARADIGM(NAME, name, CLASS, ...)                                                           \
    case OTF2_PARADIGM_##NAME:                                                                     \
        return OTF2_PARADIGM_CLASS_##CLASS == OTF2_PARADIGM_CLASS_ACCELERATOR;
#include "session/paradigms.def"
#undef PARADIGM
    default:
        return false;
    }
}

/* How the names of a paradigm's constructs begin: "!$omp ". */
static inline const char *spur_paradigm_prefix(uint64_t paradigm)
{
    return paradigm == OTF2_PARADIGM_OPENMP ? "!$omp " : "";
}

#endif
