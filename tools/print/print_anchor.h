/* SPDX-License-Identifier: BSD-3-Clause */
/* What the anchor file and the thumbnails say; and how reading fails. */
#ifndef PRINT_ANCHOR_H
#define PRINT_ANCHOR_H

#include <otf2/otf2.h>

/*
 * For every step: tells it with --debug; when it failed, says so and ends the program with
 * status 1. What went wrong in the archive the library has reported already.
 */
__attribute__((format(printf, 2, 3))) void check_status(OTF2_ErrorCode code, const char *step, ...);
__attribute__((format(printf, 2, 3))) void check_pointer(const void *pointer, const char *step,
                                                         ...);
void check_condition(bool is_good, const char *step);

void print_anchor(OTF2_Reader *reader);
void print_thumbnails(OTF2_Reader *reader);

#endif
