/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Function, file and line of the code that the processes of a session have met, and the names of
 * what devices do: asked for once, of the program spur-code, for all definitions after unification.
 */
#ifndef SPUR_FINISH_FRAMES_H
#define SPUR_FINISH_FRAMES_H

#include "finish/state/finish_state.h"

/* All zero before; agent memory, freed by finish_frames_free(). */
struct finish_frames {
    void *answer;
    uint64_t bytes, room;
    struct spur_words scripts; /* as the answer: what scripts say of themselves */
    /* Per Code, and CodeCall behind these, where its frames begin in the answer, + 1; in the
     * scripts with IN_SCRIPTS; 0: there are none. */
    struct spur_words first;
    struct spur_words variable; /* likewise per Data, where its name is */
    struct spur_words region;   /* and per Region */
};

struct finish_frame {
    const char *function; /* "": not known */
    const char *file;
    uint32_t line;      /* 0: not known, nor is the file */
    const char *source; /* file and line of the function's declaration; "" and 0: not known */
    uint32_t begin;
    uint64_t offset; /* where a function without a name begins in its module; 0: not known */
    bool is_script;
};

/*
 * 0, or -ENOMEM. That nobody knows a name is no failure: it is said in a line if it could be helped
 * (there is no libdw, or a file has changed since it was run).
 */
int finish_frames_find(struct finish *f, struct finish_frames *frames);

/*
 * The function at `depth`, 0 being the innermost, of those that are inlined into one another.
 * Numbers behind the codes are those of CodeCall: functions that have jumped on.
 */
bool finish_frames_get(const struct finish_frames *frames, uint32_t code, uint32_t depth,
                       struct finish_frame *frame);

/* The variable that the data is in, and how far behind its beginning; NULL: not known. */
const char *finish_frames_variable(const struct finish_frames *frames, uint32_t data,
                                   uint64_t *distance);

/* What the source calls that region of a device; NULL: as the region says. */
const char *finish_frames_region(const struct finish_frames *frames, uint32_t region);

void finish_frames_free(struct finish_frames *frames);

#endif
