/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of what is recorded of memory: the agent writes them, commands read them. docs/memory.md.
 */
#ifndef MEMORY_MARKS_H
#define MEMORY_MARKS_H

#define MEMORY_HELD "Host Memory"
#define MEMORY_PEAK "Host Memory Peak"
#define MEMORY_MAPPED "Mapped Memory"
#define MEMORY_MAPPED_PEAK "Mapped Memory Peak"

/* Attributes of their values: the block that was taken or given back, named as Score-P does. */
#define MEMORY_TAKEN "ALLOCATION_SIZE"
#define MEMORY_TAKEN_AT "RESULT_ADDRESS"
#define MEMORY_GIVEN "DEALLOCATION_SIZE"
#define MEMORY_GIVEN_AT "ARGUMENT_ADDRESS"
/* Of a sample: the bytes of all the blocks that it is drawn from. */
#define MEMORY_STANDS_FOR "spur::stands_for"

/* Parameter of the call: the bytes that were asked for, or are given back. */
#define MEMORY_BYTES "bytes of memory"

#endif
