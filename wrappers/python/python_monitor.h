/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of functions by sys.monitoring. All functions are called with the GIL. */
#ifndef PYTHON_MONITOR_H
#define PYTHON_MONITOR_H

#include <stdbool.h>

/* From now on all threads of the interpreter are recorded. False: CPython is older than 3.12, or
 * the program needs all that it has for tools. */
bool python_monitor_begin(void);
bool python_monitor_is_on(void);
/* Has the program taken it away? */
bool python_monitor_is_lost(void);
void python_monitor_end(void);

#endif
