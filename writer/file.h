/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All system calls of the writing side. Files are opened for one transfer and closed again, so that
 * any number of writers needs one descriptor. Functions return 0 or -errno; calls that a signal
 * interrupts and transfers that end early are carried on. Nothing here is a cancellation point, and
 * nothing goes through a symbol that a preloaded library could have replaced.
 */
#ifndef WRITER_FILE_H
#define WRITER_FILE_H

#include <stddef.h>
#include <stdint.h>

struct otf2_bytes {
    const void *data;
    size_t size;
};

/* Write the parts one after the other from offset `at` on. At 0 the file is made anew. */
int otf2_file_write(const char *path, uint64_t at, const struct otf2_bytes *parts, size_t n);

/* Read exactly `size` bytes at an offset; -EIO when the file ends before. */
int otf2_file_read(const char *path, uint64_t at, void *data, size_t size);

int otf2_file_size(const char *path, uint64_t *size);

/* Cut the file to `size` bytes; one that is cut to nothing is removed. */
int otf2_file_cut(const char *path, uint64_t size);

/* Give the file another name; a file that has it is gone. */
int otf2_file_rename(const char *from, const char *to);

/* Make one directory, and make a directory with those above it. Existing ones: -EEXIST, 0. */
int otf2_file_make_dir(const char *path);
int otf2_file_make_dirs(const char *path);

/* A number that other processes on other hosts will not get. */
uint64_t otf2_file_random(void);

#endif
