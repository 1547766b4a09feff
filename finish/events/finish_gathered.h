/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has gathered of threads that had ended, see agent/segment/gathered.h. */
#ifndef SPUR_FINISH_GATHERED_H
#define SPUR_FINISH_GATHERED_H

#include "finish/events/finish_moving.h"

/*
 * Call `each` for every record that is whole: `at` is what finish_gathered_take() finds it by.
 * A thread may occur more than once, always with the same. 0, -errno, or what `each` returned.
 */
int finish_gathered_each(struct finish *f, const struct finish_process *p, void *data,
                         int (*each)(void *data, uint32_t thread, uint64_t at, uint64_t bytes));

/*
 * Make the file of the thread, of which something is gathered. *is_sure: and it is complete; else
 * it is to be checked as any other file.
 */
int finish_gathered_take(struct finish_moving *m, bool *is_sure);

/* Give back what reading took. */
void finish_window_free(struct finish_window *window);

#endif
