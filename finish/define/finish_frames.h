/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Function, file and line of the recorded code of a session's processes, and names for the work of
 * devices. The program spur-code is asked once, after unification, about all definitions.
 */
#ifndef SPUR_FINISH_FRAMES_H
#define SPUR_FINISH_FRAMES_H

#include "finish/state/finish_state.h"

/* All zero before; agent memory, freed by finish_frames_free(). */
struct finish_frames {
    void *answer;
    uint64_t bytes, room;
    struct spur_words scripts; /* as the answer: the statements of scripts about themselves */
    /*
     * Per Code, and CodeCall behind the Codes: offset of the frames in the answer, + 1; in the
     * scripts with IN_SCRIPTS; 0: no frames.
     */
    struct spur_words first;
    struct spur_words variable; /* likewise per Data, offset of the name */
    struct spur_words region;   /* and per Region */
};

struct finish_frame {
    const char *function; /* "": not known */
    const char *file;
    uint32_t line;      /* 0: not known, nor is the file */
    const char *source; /* file and line of the function's declaration; "" and 0: not known */
    uint32_t begin;
    uint64_t offset; /* beginning of an unnamed function in the module; 0: not known */
    bool is_script;
};

/*
 * 0, or -ENOMEM. An unknown name is no failure. A line is printed if the user could help (libdw is
 * missing, or a file has changed since the program ran).
 */
int finish_frames_find(struct finish *f, struct finish_frames *frames);

/*
 * The function at `depth`, 0 being the innermost, in a chain of inlined functions. Numbers behind
 * the codes are numbers of CodeCall: functions that have jumped on.
 */
bool finish_frames_get(const struct finish_frames *frames, uint32_t code, uint32_t depth,
                       struct finish_frame *frame);

/* The variable around the data, and the distance from the variable's beginning; NULL: not known. */
const char *finish_frames_variable(const struct finish_frames *frames, uint32_t data,
                                   uint64_t *distance);

/* The source's name for a region of a device; NULL: as the region says. */
const char *finish_frames_region(const struct finish_frames *frames, uint32_t region);

void finish_frames_free(struct finish_frames *frames);

#endif
