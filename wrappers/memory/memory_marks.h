/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the metrics of memory: the agent writes them, commands read them. docs/memory.md. */
#ifndef MEMORY_MARKS_H
#define MEMORY_MARKS_H

#define MEMORY_HELD "Host Memory"
#define MEMORY_PEAK "Host Memory Peak"

#endif
