/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks and ranges that another family is told of: those of rocTX, in the family of HIP. They are
 * recorded as those of NVTX are, by the same code, if the family `nvtx` is on. Texts are the
 * program's. Anywhere; the guard is not up.
 */
#ifndef WRAPPERS_NVTX_TOLD_H
#define WRAPPERS_NVTX_TOLD_H

#include <stdbool.h>
#include <stdint.h>

/* Once, at the start. False: the family is off, and nothing is to be told. */
bool nvtx_told_start(void);
void nvtx_told_mark(const char *text);
void nvtx_told_push(const char *text);
void nvtx_told_pop(void);
/* A range that may overlap with others; its number. */
uint64_t nvtx_told_begin(const char *text);
void nvtx_told_end(uint64_t number);

#endif
