/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of print_labels.def that are printed in a way of their own, mostly lists. */
#ifndef PRINT_SPECIAL_H
#define PRINT_SPECIAL_H

/* Each takes the struct of its record, struct otf2_evt_Metric and so on. */
#define TITLE(Name, title)
#define LABEL(attribute, text, style)
#define ONLY(Record, attribute, text, style)
#define SPECIAL(Record, attribute, text, function) void function(const void *record);
#define BEHIND(Record, attribute, other)
#include "tools/print/print_labels.def"
#undef TITLE
#undef LABEL
#undef ONLY
#undef SPECIAL
#undef BEHIND

#endif
