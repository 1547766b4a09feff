/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has gathered of threads that had ended, see agent/segment/gathered.h. */
#ifndef SPUR_FINISH_GATHERED_H
#define SPUR_FINISH_GATHERED_H

#include "finish/state/finish_state.h"

/* A part of a file. */
struct finish_window {
    uint64_t at, have;
    uint8_t *bytes;
};

/*
 * Call `each` for every record that is whole: `at` is what finish_gathered_look() finds it by.
 * A thread may occur more than once, always with the same. 0, -errno, or what `each` returned.
 */
int finish_gathered_each(struct finish *f, const struct finish_process *p, void *data,
                         int (*each)(void *data, uint32_t thread, uint64_t at, uint64_t bytes));

/* So many bytes at that place; NULL: they are not there, or cannot be read now. */
const uint8_t *finish_gathered_look(struct finish *f, const struct finish_process *p,
                                    struct finish_window *w, uint64_t at, uint64_t bytes);

/* The name of the file that it is in, and where it lies there. */
const char *finish_gathered_file(uint64_t at);
uint64_t finish_gathered_at(uint64_t at);

/* Give back what reading took. */
void finish_window_free(struct finish_window *window);

#endif
