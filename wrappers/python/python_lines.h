/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that say which instruction of a code object is on which line of its file. */
#ifndef PYTHON_LINES_H
#define PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "wrappers/python/python_api.h"

/*
 * The line of the instruction at `offset`, in bytes, of code that begins on the line `begin`: as
 * PyCode_Addr2Line() says, but 0 where no line is known. Pure; believes nothing of the table.
 */
uint32_t python_line(enum python_lines form, const void *table, size_t bytes, uint32_t begin,
                     int32_t offset);

#endif
