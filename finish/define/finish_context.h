/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling contexts of the archive: each ContextAt becomes CallingContexts with the functions that
 * its code is in, one below the other where they are inlined. Several may turn out to be one.
 */
#ifndef SPUR_FINISH_CONTEXT_H
#define SPUR_FINISH_CONTEXT_H

#include "finish/define/finish_frames.h"
#include "finish/state/finish_state.h"

/* The functions around the codes that contexts have. All zero before. */
struct finish_functions {
    /* By code, by CodeCall, and by code of a site: where the functions begin in the list, + 1; 0:
     * not asked. */
    struct spur_words first;
    struct spur_words call;  /* by context: its CodeCall + 1, 0: none */
    struct spur_words above; /* by context: it is the parent of another one */
    struct spur_words list;  /* from the innermost: region << 32 | SourceCodeLocation, and an end */
};

/* Define as CodeCall which call of its caller each context is. 0, or -ENOMEM. */
int finish_context_calls(struct finish *f, struct finish_functions *functions);

/* Define the functions as Regions. 0, or -ENOMEM. */
int finish_context_functions(struct finish *f, const struct finish_frames *frames,
                             struct finish_functions *functions);

/*
 * Once all regions are numbered: define the contexts; the processes' maps are changed to these.
 * `region_id`: ids in the archive by unified ids. 0, or -ENOMEM.
 */
int finish_context_define(struct finish *f, const struct finish_functions *functions,
                          const struct spur_words *region_id);

void finish_functions_free(struct finish_functions *functions);

#endif
