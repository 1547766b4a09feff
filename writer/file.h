/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All system calls of the writing side. Files are opened for one transfer and closed again, so that
 * any number of writers needs one descriptor. Functions return 0 or -errno; calls that a signal
 * interrupts and transfers that end early are carried on. Nothing here is a cancellation point, and
 * nothing goes through a symbol that a preloaded library could have replaced.
 *
 * Another thread of the program may close the descriptor meanwhile, and have a file of its own
 * under the number: before each piece it is looked whose it is, and a transfer that has lost it
 * begins anew. Who can do better has them run where no other thread sees their descriptors
 * (OTF2X_RunTransfersBy).
 */
#ifndef WRITER_FILE_H
#define WRITER_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <otf2x/otf2x.h>

/* For an archive without callbacks of its own. */
extern const OTF2X_FileCallbacks otf2_file_plain;

struct otf2_bytes {
    const void *data;
    size_t size;
};

/* Write the parts one after the other from offset `at` on. At 0 the file is made anew. */
int otf2_file_write(const OTF2X_FileCallbacks *files, const char *path, uint64_t at,
                    const struct otf2_bytes *parts, size_t n);

/* The same in a file that others write as well: nothing else of it changes. */
int otf2_file_patch(const OTF2X_FileCallbacks *files, const char *path, uint64_t at,
                    const struct otf2_bytes *parts, size_t n);

/* What parts of a file there that several processes write should be aligned to. */
uint32_t otf2_file_align(const char *path);

/* A new file, in the place of what an earlier run, or anybody, has left there. */
int otf2_file_make(const OTF2X_FileCallbacks *files, const char *path);

/* Read exactly `size` bytes at an offset; -EIO when the file ends before. */
int otf2_file_read(const OTF2X_FileCallbacks *files, const char *path, uint64_t at, void *data,
                   size_t size);

int otf2_file_size(const OTF2X_FileCallbacks *files, const char *path, uint64_t *size);

/* Cut the file to `size` bytes; one that is cut to nothing is removed. */
int otf2_file_cut(const OTF2X_FileCallbacks *files, const char *path, uint64_t size);

/* Make a directory with those above it. */
int otf2_file_make_dirs(const char *path);

/* A number that other processes on other hosts will not get. */
uint64_t otf2_file_random(void);

#endif
