/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archives in SION containers (SPUR_CONTAINER): the plain archive is made in DIR/.spur/plain. When
 * it is whole, its files of locations go into containers in DIR/traces, and the anchor file takes
 * its place in DIR: only then there is an archive. The plain files go with all else of the session.
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
