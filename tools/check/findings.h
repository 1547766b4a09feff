/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings of workers that are several: kept, joined, and shown in the order in which one worker
 * alone would have come to them.
 */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "tools/check/verdict.h"
#include "tools/engine/engine.h"

/* Where a finding stands in that order. */
struct position {
    uint64_t key[3];
    uint32_t phase;
    uint32_t steps[3];
};

struct kept_finding {
    struct position position;
    struct place place;
    char *file; /* of the place, or NULL */
    char *text;
};

/* Those of one rule. More than the limit are not kept, and only counted. */
struct kept_findings {
    struct kept_finding *at;
    size_t n, room;
    uint64_t n_all;
};

struct findings {
    struct kept_findings rules[RULES];
};

void findings_keep(struct findings *f, const struct verdict *v, enum rule rule,
                   const struct position *position, struct place place, const char *text);

/* As bytes, and back, to the ones that are there. */
void findings_give(const struct findings *f, struct engine_bytes *bytes);
/* Returns how many bytes were read. */
size_t findings_join(struct findings *f, const struct verdict *v, const char *bytes);

/* Shows them; `v` counts them, beside what it has shown before. */
void findings_show(struct findings *f, struct verdict *v);
void findings_free(struct findings *f);

#endif
