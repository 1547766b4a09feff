/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded (SPUR_IO): words that every wrapper looks at first. */
#ifndef IO_MODE_H
#define IO_MODE_H

#include <stdbool.h>

enum io_choice {
#define IO_CHOICE(NAME, ...) IO_CHOICE_##NAME,
#include "wrappers/io/io_groups.def"
#undef IO_CHOICE
    IO_CHOICES
};

/* A bit for each; none before the start. */
extern unsigned io_choices;
extern bool io_is_on; /* there is one */

static inline bool io_records(enum io_choice choice)
{
    return (io_choices >> choice & 1) != 0;
}

/* Is the calling process the one that the table of descriptors is of? Not a child of vfork(). */
bool io_is_own_process(void);

#endif
