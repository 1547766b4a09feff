/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region of a code object, which carries it itself, so that both end together. All functions
 * are called with the GIL.
 */
#ifndef PYTHON_REGION_H
#define PYTHON_REGION_H

#include <stdbool.h>

/* Once the interpreter runs. False: all places for data in its code are taken. */
bool python_region_begin(void);

/* The function is called, or it ends. False: it is left out, for good. */
bool python_region_enter(void *code);
bool python_region_leave(void *code);

#endif
