/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which C library a program runs with, as files tell it: the loader that the program names, and
 * what lies beside that. Raw system calls, 2 KiB of stack, nothing of the heap: children of vfork()
 * ask. errno is not kept.
 */
#ifndef SPUR_GLIBC_H
#define SPUR_GLIBC_H

#include <stdbool.h>
#include <stddef.h>

enum { SPUR_GLIBC_VERSION_BYTES = 32 };

/* The loader of musl, whose libraries and programs are not those of glibc? */
bool spur_is_loader_of_musl(const char *path);

/* Is a file of this name a loader, rather than a linker or a static program? */
bool spur_is_loader(const char *path);

/*
 * The newest version of glibc among names that end with zeros, as those that an object is linked
 * with: "GLIBC_2.34". "": none.
 */
void spur_glibc_newest(const char *names, size_t bytes, char version[SPUR_GLIBC_VERSION_BYTES]);

/* Does the C library beside a loader lack this version? False, too, where it is not found. */
bool spur_glibc_lacks(const char *loader, const char *version);

#endif
