/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sections of the page, compressed by gzip, in base64. They are compressed in blocks, by
 * several threads or the ranks of a job. The blocks of a section are one stream, which is the same
 * for any number of them.
 */
#ifndef TOOLS_VIEW_PACK_H
#define TOOLS_VIEW_PACK_H

#include "tools/view/view_data.h"

/* Adds to to[i] what from[i] becomes; nothing becomes nothing. `threads`: 0: as many as are of use.
 */
void view_pack(struct view_bytes *to, const struct view_bytes *from, size_t n, unsigned threads);

/*
 * Of a job, the first rank alone has something to compress. The others help until it has come to
 * the end of that, and then end. From then on it is alone.
 */
void view_pack_help(void);
void view_pack_end(void);

#endif
