/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the interpreter's memory for a frame: as it is, or where the frame is careful, a copy. */
#ifndef PYTHON_READ_H
#define PYTHON_READ_H

#include "agent/spur_agent.h"

struct python_piece {
    const char *at;
    uint32_t bytes;  /* that are wanted; then, of a careful frame, how many there are */
    uint32_t least;  /* that must be there */
    const char *got; /* what is there */
};

/* A frame that is careful begins to read. Async-signal-safe. */
void python_read_begin(struct spur_script_frame *frame);

/* For careful frames, which are read on a stack of the agent's own: agent/stacks/script.c. */
SPUR_OWN_STACK_ONLY
bool python_read_copies(struct spur_script_frame *frame, struct python_piece *piece, size_t n);

/*
 * All pieces at once: each one takes less than an access of its own. False: one of them cannot be
 * read, or there is no room for it.
 */
static inline bool python_read(struct spur_script_frame *frame, struct python_piece *piece,
                               size_t n)
{
    if (__builtin_expect(frame->is_careful, 0))
        return python_read_copies(frame, piece, n);
    for (size_t i = 0; i < n; i++)
        piece[i].got = piece[i].at;
    return true;
}

#endif
