/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of bytes: each byte that a program takes is drawn with the same small probability,
 * independently of all further bytes (a Poisson process). A block is a sample if at least one byte
 * of the block is drawn. Without the library of mathematics, since the program may not have this
 * library.
 */
#ifndef MEMORY_RANDOM_H
#define MEMORY_RANDOM_H

#include <stdint.h>

/* The state of a sequence, depending on all bits of both numbers. */
uint64_t memory_random_seed(uint64_t seed, uint64_t number);

/* The number of bytes before the next drawn byte, if one byte of `mean` is drawn on the average. */
uint64_t memory_random_distance(uint64_t *state, uint64_t mean);

/*
 * The bytes for which a block of `bytes` bytes stands as a sample: `bytes` divided by the
 * probability of the sample. So the expected sum over all samples is the sum of all blocks.
 */
uint64_t memory_random_stands_for(uint64_t bytes, uint64_t mean);

#endif
