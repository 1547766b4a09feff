/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of the interpreter, _PyEval_EvalFrameDefault(), in which functions of Python's run: its
 * code, and whether the calling thread has the GIL.
 */
#ifndef PYTHON_LOOP_H
#define PYTHON_LOOP_H

#include <stdbool.h>

/* When the interpreter is being found. Takes the loader's lock. */
void python_loop_find(void);

/* Does a call that returns to `address` come from the loop? Async-signal-safe as stacks are. */
bool python_is_loop(const void *address);

/* Is that what this thread's state is, the one with the GIL? Async-signal-safe. */
bool python_has_gil(const void *state);

#endif
