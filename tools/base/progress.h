/* SPDX-License-Identifier: BSD-3-Clause */
/* A line on stderr that says how far a long reading is; on a terminal only. */
#ifndef TOOLS_BASE_PROGRESS_H
#define TOOLS_BASE_PROGRESS_H

#include <stdint.h>

/* So many events between two calls of progress_show() are about right. */
enum { PROGRESS_STEP = 1 << 18 };

/* Standard error ends on a terminal, though another process passes it on. */
void progress_is_passed_on(void);

/* Of so many events; few are read in no time, and nothing is shown. */
void progress_begin(uint64_t events);
void progress_show(uint64_t done);
/* Before something else is printed, which may go to the same terminal. */
void progress_clear(void);

void progress_end(void);

#endif
