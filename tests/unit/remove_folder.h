/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of a test goes, with all that is in it. */
#ifndef TESTS_UNIT_REMOVE_FOLDER_H
#define TESTS_UNIT_REMOVE_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static inline int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat, (void)type, (void)walk;
    return remove(path);
}

static inline void remove_folder(const char *path)
{
    enum { DESCRIPTORS = 16 };
    nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

#endif
