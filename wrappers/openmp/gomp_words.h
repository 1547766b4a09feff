/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of n machine words: their parameters and arguments are w1, ..., wn, as lists that may
 * be empty. GOMP_PARAMS(n), GOMP_ARGS(n), and GOMP_TYPE(n) of a pointer to such a function; with
 * GOMP_MORE_(n) the arguments from the fourth on, each with a comma before it.
 */
#ifndef WRAPPERS_OPENMP_WORDS_H
#define WRAPPERS_OPENMP_WORDS_H

#include <stdint.h>

typedef uintptr_t gomp_word;

#define GOMP_PARAMS_0 void
#define GOMP_PARAMS_1 gomp_word w1
#define GOMP_PARAMS_2 GOMP_PARAMS_1, gomp_word w2
#define GOMP_PARAMS_3 GOMP_PARAMS_2, gomp_word w3
#define GOMP_PARAMS_4 GOMP_PARAMS_3, gomp_word w4
#define GOMP_PARAMS_5 GOMP_PARAMS_4, gomp_word w5
#define GOMP_PARAMS_6 GOMP_PARAMS_5, gomp_word w6
#define GOMP_PARAMS_7 GOMP_PARAMS_6, gomp_word w7
#define GOMP_PARAMS_8 GOMP_PARAMS_7, gomp_word w8
#define GOMP_PARAMS_9 GOMP_PARAMS_8, gomp_word w9
#define GOMP_PARAMS_10 GOMP_PARAMS_9, gomp_word w10
#define GOMP_PARAMS_11 GOMP_PARAMS_10, gomp_word w11
#define GOMP_PARAMS_12 GOMP_PARAMS_11, gomp_word w12

#define GOMP_MORE_3
#define GOMP_MORE_4 , w4
#define GOMP_MORE_5 GOMP_MORE_4, w5
#define GOMP_MORE_6 GOMP_MORE_5, w6
#define GOMP_MORE_7 GOMP_MORE_6, w7
#define GOMP_MORE_8 GOMP_MORE_7, w8
#define GOMP_MORE_9 GOMP_MORE_8, w9
#define GOMP_MORE_10 GOMP_MORE_9, w10
#define GOMP_MORE_11 GOMP_MORE_10, w11
#define GOMP_MORE_12 GOMP_MORE_11, w12

#define GOMP_ARGS_0
#define GOMP_ARGS_1 w1
#define GOMP_ARGS_2 w1, w2
#define GOMP_ARGS_3 w1, w2, w3
#define GOMP_ARGS_4 GOMP_ARGS_3 GOMP_MORE_4
#define GOMP_ARGS_5 GOMP_ARGS_3 GOMP_MORE_5
#define GOMP_ARGS_6 GOMP_ARGS_3 GOMP_MORE_6
#define GOMP_ARGS_7 GOMP_ARGS_3 GOMP_MORE_7
#define GOMP_ARGS_8 GOMP_ARGS_3 GOMP_MORE_8
#define GOMP_ARGS_9 GOMP_ARGS_3 GOMP_MORE_9
#define GOMP_ARGS_10 GOMP_ARGS_3 GOMP_MORE_10
#define GOMP_ARGS_11 GOMP_ARGS_3 GOMP_MORE_11
#define GOMP_ARGS_12 GOMP_ARGS_3 GOMP_MORE_12

#define GOMP_PARAMS(n) GOMP_PARAMS_##n
#define GOMP_ARGS(n) GOMP_ARGS_##n
#define GOMP_MORE(n) GOMP_MORE_##n

/* The real function of a row, to be called with n words. */
#define GOMP_REAL(name, n, address) ((gomp_word(*)(GOMP_PARAMS(n)))gomp_real(ID_##name, address))

#endif
