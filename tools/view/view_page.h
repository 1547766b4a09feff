/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: its template, what is known, and the sections, in one file. */
#ifndef TOOLS_VIEW_PAGE_H
#define TOOLS_VIEW_PAGE_H

#include "tools/view/view_part.h"

/* tools/view/page, assembled: data go between the second and the third part. */
extern const char view_page_head[], view_page_middle[], view_page_tail[];

/* Never more than 32 MB: what is too much for that gets coarser. */
void view_page_write(struct view *v, struct view_part *p, FILE *out, bool is_served);

#endif
