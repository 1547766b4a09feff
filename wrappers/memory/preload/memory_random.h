/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of bytes: each byte that a program takes is drawn with the same small probability,
 * independently of all others (a Poisson process), and a block is a sample if one of its bytes is.
 * Without the library of mathematics, which the program may not have.
 */
#ifndef MEMORY_RANDOM_H
#define MEMORY_RANDOM_H

#include <stdint.h>

/* The state of a sequence that depends on both, all bits of them. */
uint64_t memory_random_seed(uint64_t seed, uint64_t number);

/* How many bytes come before the next one that is drawn, if one of `mean` is on the average. */
uint64_t memory_random_distance(uint64_t *state, uint64_t mean);

/*
 * What a block of so many bytes stands for if it is a sample: the bytes divided by the probability
 * of that. So the expected sum over all samples is the sum of all blocks.
 */
uint64_t memory_random_stands_for(uint64_t bytes, uint64_t mean);

#endif
