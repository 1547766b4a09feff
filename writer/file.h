/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All system calls of the writing side. A file is opened for one transfer and closed again, so that
 * any number of writers needs one descriptor. Functions return 0 or -errno. Calls interrupted by a
 * signal and transfers that end early are carried on. No function here is a cancellation point, and
 * no function goes through a symbol that a preloaded library could have replaced.
 *
 * Another thread of the program may close the descriptor meanwhile, and open a file under the same
 * number. Therefore the writer checks before each piece whose file is under the number. If the
 * descriptor is lost, the transfer begins anew. A caller can avoid the problem:
 * OTF2X_RunTransfersBy runs transfers where the program's threads do not see the descriptors.
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

/* The same in a file with other writers: all other bytes of the file stay. */
int otf2_file_patch(const OTF2X_FileCallbacks *files, const char *path, uint64_t at,
                    const struct otf2_bytes *parts, size_t n);

/* The alignment for parts of a file in this folder, if several processes write the file. */
uint32_t otf2_file_align(const char *path);

/* A new file, replacing any file that an earlier run, or anybody, has left at the path. */
int otf2_file_make(const OTF2X_FileCallbacks *files, const char *path);

/* Read exactly `size` bytes at an offset; -EIO: the file ends before. */
int otf2_file_read(const OTF2X_FileCallbacks *files, const char *path, uint64_t at, void *data,
                   size_t size);

int otf2_file_size(const OTF2X_FileCallbacks *files, const char *path, uint64_t *size);

/* Cut the file to `size` bytes; 0: remove the file. */
int otf2_file_cut(const OTF2X_FileCallbacks *files, const char *path, uint64_t size);

/* Make a directory, with all missing parents. */
int otf2_file_make_dirs(const char *path);

/* A number that processes on other hosts will not get. */
uint64_t otf2_file_random(void);

#endif
