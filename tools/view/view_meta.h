/* SPDX-License-Identifier: BSD-3-Clause */
/* What the page knows besides the sections, as JSON that can stand in an element of a page. */
#ifndef TOOLS_VIEW_META_H
#define TOOLS_VIEW_META_H

#include "tools/view/view_numbers.h"

/* How it is written. */
struct view_form {
    unsigned levels_left_out; /* of the pyramid, from the finest */
    bool is_served;
};

void view_meta_write(const struct view *v, const struct view_part *p, const struct view_numbers *n,
                     const struct view_form *form, FILE *out);

/*
 * A text as JSON with its quotes. Bytes that are no UTF-8 are U+FFFD, and what means something in a
 * page is escaped. Cut behind that many characters.
 */
void view_meta_text(const char *text, size_t most, FILE *out);

/* One as a part of HTML. */
void view_meta_html(const char *text, FILE *out);

#endif
