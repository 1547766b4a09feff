/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region of a code object, which carries it itself, so that both end together. All functions
 * are called with the GIL.
 */
#ifndef PYTHON_REGION_H
#define PYTHON_REGION_H

#include "agent/spur_agent.h"

/* Once the interpreter runs. False: all places for data in its code are taken. */
bool python_region_begin(void);

/* False: it is not known yet, or not by this child of fork(). Undefined: it is not recorded. */
bool python_region_find(void *code, OTF2_RegionRef *region);
/* The same, and it is defined where it is not known; the guard is up. */
OTF2_RegionRef python_region_of(void *code);

#endif
