/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of paradigms.def by the paradigm, for recording and for finishing. */
#ifndef AGENT_PARADIGMS_H
#define AGENT_PARADIGMS_H

#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

/* The source file of a paradigm's regions; NULL for one that has no row. */
static inline const char *spur_paradigm_file(uint64_t paradigm)
{
    switch (paradigm) {
#define PARADIGM(NAME, name, class, file, ...)                                                     \
    case OTF2_PARADIGM_##NAME:                                                                     \
        return file;
#include "session/paradigms.def"
#undef PARADIGM
    default:
        return NULL;
    }
}

/* How the names of a paradigm's constructs begin: "!$omp ". */
static inline const char *spur_paradigm_prefix(uint64_t paradigm)
{
    return paradigm == OTF2_PARADIGM_OPENMP ? "!$omp " : "";
}

#endif
