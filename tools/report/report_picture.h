/* SPDX-License-Identifier: BSD-3-Clause */
/* The command that shows the first finding as a picture. */
#ifndef TOOLS_REPORT_PICTURE_H
#define TOOLS_REPORT_PICTURE_H

#include <stdio.h>

struct findings;
struct report;

/* `path` as the user has named the archive. */
void picture_text(struct report *r, const struct findings *found, const char *path, FILE *out);

#endif
