/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of a script in a stack of functions in C, in the order of their calls: each run of
 * the interpreter's loop stands for those that it runs.
 *
 * Runs and the functions of the loop are matched from the innermost on. Where a signal may have
 * come while a run began or ended, the stack remains as it is.
 */
#ifndef SPUR_SCRIPT_WALK_H
#define SPUR_SCRIPT_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised; of a thread. */
struct spur_script_walk {
    const void **place; /* the innermost first, NULL where a run ends */
    uint32_t n, room;
    const void **both; /* a stack with them */
    uint32_t both_room;
    uint32_t runs;
    bool is_whole; /* they end with the outermost one */
    bool is_interrupted;
};

/*
 * Walk the script of the calling thread. `is_interrupted`: a signal handler asks what it has
 * interrupted. 0: there is no script, or it cannot be read. Else how many frames a stack may have
 * more with it. Keeps errno. Async-signal-safe as agent/stacks/context.h is.
 */
uint32_t spur_script_walk(struct spur_script_walk *walk, bool is_interrupted);

/*
 * Put what was walked into the stack, which is the `n` first of `room` return addresses, the
 * innermost first. `is_whole`: none are missing at its end. How many there are then: at most
 * `room`, the outermost are left out.
 */
uint32_t spur_script_merge(struct spur_script_walk *walk, const void **leaf_first, uint32_t n,
                           uint32_t room, bool is_whole);

void spur_script_walk_free(struct spur_script_walk *walk);

#endif
