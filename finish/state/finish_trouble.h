/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong. */
#ifndef SPUR_FINISH_TROUBLE_H
#define SPUR_FINISH_TROUBLE_H

#include "finish/state/finish_state.h"

/* Remember what went wrong where, once. Returns `err`. */
int finish_blame(struct finish *f, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0, or -errno of what a library error stands for, blamed on `what`. */
int finish_check(struct finish *f, OTF2_ErrorCode error, const char *what);

/*
 * spur_file_open() and spur_file_read() of what processes have left. A failure that does not tell
 * that there is nothing to read is kept in f->unread: who would throw something away, since what
 * belongs to it is missing, gives that back instead, and everything waits for another attempt.
 */
void finish_note_unread(struct finish *f, int err, const char *path);
int finish_try_open(struct finish *f, const char *path, uint64_t *size);
int64_t finish_try_read(struct finish *f, const char *path, int fd, uint64_t at, void *to,
                        uint64_t bytes);

/* Say what was blamed, and what to do about it, in one line. */
void finish_say_trouble(const struct finish *f, int err);

#endif
