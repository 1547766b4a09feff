/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in scripts (agent/spur_interpreter.h): function, file and line. A place has an address, as
 * an instruction has, but with the highest bit set, unlike all addresses of a program. Equal places
 * have the same address, for the life of the process.
 *
 * Places are kept by code object and instruction. A code object may be freed, and another code
 * object may come to the same address: so the contents are compared each time.
 */
#ifndef SPUR_SCRIPT_H
#define SPUR_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_interpreter.h"

/* Room for the parts of a careful frame. A table of lines that is longer is read in part. */
enum { SPUR_SCRIPT_ROOM = 48 << 10 };

static inline bool spur_is_script(const void *address)
{
    return (intptr_t)address < 0;
}

/* Does the code of an object of that file name make its calls on behalf of a script? */
bool spur_script_calls(const char *file);

/* Where the script of the calling thread is; NULL: it runs none. Keeps errno. */
const void *spur_script_here(void);

/* NULL: no interpreter. */
const struct spur_interpreter *spur_script_interpreter(void);
/* The place of a frame; NULL: no memory. Keeps errno. */
const void *spur_script_place(const struct spur_script_frame *frame);

/* The Code definition of a place; OTF2_UNDEFINED_UINT32 if it cannot be recorded. */
uint32_t spur_script_code(const void *address);

/* In a child of fork(): locks may be in any state. */
void spur_script_after_fork(void);

#endif
