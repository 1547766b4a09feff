/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling contexts of the archive: each ContextAt becomes CallingContexts with the functions around
 * the code, one below the other in the case of inlined functions. Several ContextAt may become a
 * single CallingContext.
 */
#ifndef SPUR_FINISH_CONTEXT_H
#define SPUR_FINISH_CONTEXT_H

#include "finish/define/finish_frames.h"
#include "finish/state/finish_state.h"

/* The functions around the codes of the contexts. All zero before. */
struct finish_functions {
    /*
     * By code, by CodeCall, and by code of a site: index of the first function in the list, + 1; 0:
     * not asked.
     */
    struct spur_words first;
    struct spur_words call;  /* by context: its CodeCall + 1, 0: no CodeCall */
    struct spur_words above; /* by context: the context is the parent of another context */
    struct spur_words list;  /* from the innermost: region << 32 | SourceCodeLocation, and an end */
};

/*
 * For each context, define as CodeCall the call in the caller that led to the context. 0, or
 * -ENOMEM.
 */
int finish_context_calls(struct finish *f, struct finish_functions *functions);

/* Define the functions as Regions. 0, or -ENOMEM. */
int finish_context_functions(struct finish *f, const struct finish_frames *frames,
                             struct finish_functions *functions);

/*
 * Once all regions are numbered: define the contexts; the processes' maps are changed to the new
 * ids. `region_id`: ids in the archive by unified ids. 0, or -ENOMEM.
 */
int finish_context_define(struct finish *f, const struct finish_functions *functions,
                          const struct spur_words *region_id);

void finish_functions_free(struct finish_functions *functions);

#endif
