/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of the interpreter, _PyEval_EvalFrameDefault(), in which functions of Python's run: its
 * code.
 */
#ifndef PYTHON_LOOP_H
#define PYTHON_LOOP_H

#include <stdbool.h>

/* When the interpreter is being found. Takes the loader's lock. */
void python_loop_find(void);

/* Does a call that returns to `address` come from the loop? Async-signal-safe as stacks are. */
bool python_is_loop(const void *address);

#endif
