/* SPDX-License-Identifier: BSD-3-Clause */
/* What records of NVTX say: attributes, parameters and names of locations. docs/nvtx.md. */
#ifndef WRAPPERS_NVTX_MARKS_H
#define WRAPPERS_NVTX_MARKS_H

/* Attributes of the Enter of a range or mark. */
#define NVTX_CATEGORY "NVTX Category"
#define NVTX_PAYLOAD "NVTX Payload"
#define NVTX_RANGE_ID "NVTX Range"
/* And one for each key of numbers at the end of a text, behind this. */
#define NVTX_NUMBER "NVTX "

/* Parameters: on the thread that begins such a range, and on the one that ends it. */
#define NVTX_STARTS "NVTX Range Start"
#define NVTX_ENDS "NVTX Range End"

/* The location group of ranges that overlap. */
#define NVTX_RANGES "NVTX ranges"

#endif
