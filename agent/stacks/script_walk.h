/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of a script in a stack of functions in C, in the order of their calls: each run of
 * the interpreter's loop is replaced by the functions of the script in the run.
 *
 * Runs and the functions of the loop are matched from the innermost on. Where a signal may have
 * come while a run began or ended, the stack remains unchanged.
 */
#ifndef SPUR_SCRIPT_WALK_H
#define SPUR_SCRIPT_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised; of a thread. */
struct spur_script_walk {
    const void **place; /* the innermost first, NULL where a run ends */
    uint32_t n, room;
    const void **both; /* a stack with the places */
    uint32_t both_room;
    uint32_t runs;
    bool is_whole; /* the places end with the outermost place */
    bool is_interrupted;
};

/*
 * Walk the script of the calling thread. `is_interrupted`: a signal handler asks for the
 * interrupted place. 0: no script, or the script cannot be read. Else the number of frames by which
 * a stack may grow. Keeps errno. As async-signal-safe as agent/stacks/context.h.
 */
uint32_t spur_script_walk(struct spur_script_walk *walk, bool is_interrupted);

/*
 * Put the walked places into the stack, the first `n` of `room` return addresses, the innermost
 * first. `is_whole`: no frames are missing at the outer end. Returns the number of frames of the
 * result: at most `room`, without the outermost.
 */
uint32_t spur_script_merge(struct spur_script_walk *walk, const void **leaf_first, uint32_t n,
                           uint32_t room, bool is_whole);

void spur_script_walk_free(struct spur_script_walk *walk);

#endif
