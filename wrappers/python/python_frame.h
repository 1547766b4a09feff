/* SPDX-License-Identifier: BSD-3-Clause */
/* What a code object says of itself, read from the interpreter's memory. */
#ifndef PYTHON_FRAME_H
#define PYTHON_FRAME_H

#include "agent/spur_agent.h"

/* Of a code object that lives: function, file and the line where it begins. False: it cannot be
 * read. Its interpreter has been found. */
bool python_code_text(const void *code, char *function, char *file, size_t size, uint32_t *line);

/* The calling thread makes the interpreter. It is what will end it, or wait for that. */
void python_frame_begin(void);
bool python_frame_is_main(void);

#endif
