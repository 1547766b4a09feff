/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether anything is recorded (SPUR_IO): one word that every wrapper looks at first. */
#ifndef IO_MODE_H
#define IO_MODE_H

#include <stdbool.h>

/* False before the start. */
extern bool io_is_on;

/* Is the calling process the one that the table of descriptors is of? Not a child of vfork(). */
bool io_is_own_process(void);

#endif
