/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window as bytes, little-endian: "SPURWIN1", u32 flags, u32 sections; an entry of each section
 * (char name[12], u32 records, u64 where it begins); the sections, in columns as those of the page
 * (view_data.h).
 */
#ifndef TOOLS_VIEW_SERVE_ANSWER_H
#define TOOLS_VIEW_SERVE_ANSWER_H

#include "tools/view/serve/view_serve_http.h"
#include "tools/view/serve/view_serve_keep.h"

/* A flag of calls, besides those of view_exact.h: the end of the call was not looked for. */
enum { CALL_GOES_ON = 4 };

enum serve_flags {
    SERVE_IS_CUT = 1,         /* not all events could be read */
    SERVE_HAS_LOOSE_ENDS = 2, /* not all ends of messages that lie elsewhere were looked for */
};

/* What was found in a window, sorted; it is made less. */
struct serve_found {
    struct view_part *part;
    const struct serve_numbers *numbers;
    const bool *is_asked; /* by row */
    struct view_window window;
    unsigned sections;
    bool has_trouble;
    bool has_loose_ends;
};

struct serve_answer serve_answer_make(const struct serve_found *found);

#endif
