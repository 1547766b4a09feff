/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archives in SION containers (SPUR_CONTAINER). Events and local definitions are not put into plain
 * files first: a source (struct finish_source) says where they lie, complete, when all processes
 * are done. What is not there yet as it has to be is made, and lies in f->store. Then all of it is
 * copied to the containers in DIR/traces. Anchor file and global definitions are made in
 * DIR/.spur/plain and take their place in DIR at last: only then there is an archive.
 * Part of finish/. Functions return 0 or -errno.
 */
#ifndef SPUR_FINISH_PACK_H
#define SPUR_FINISH_PACK_H

#include "finish/state/finish_state.h"

#define FINISH_PLAIN "plain" /* in .spur; while it is there, an attempt was one for containers */

/* Before the plain archive is opened: where it is made. */
int finish_pack_begin(struct finish *f);

/* When it is closed. */
int finish_pack(struct finish *f);

/* Removes the containers and the rank map of an earlier attempt. */
int finish_pack_clear(const struct finish *f);

/* Removes the plain files, and their directory. */
int finish_pack_tidy(const struct finish *f);

#endif
