/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C library of a program, according to files: the loader that the program names, and the
 * libraries beside the loader. Raw system calls, 2 KiB of stack, no heap: children of vfork() call
 * these functions. errno is not kept.
 */
#ifndef SPUR_GLIBC_H
#define SPUR_GLIBC_H

#include <stdbool.h>
#include <stddef.h>

enum { SPUR_GLIBC_VERSION_BYTES = 32 };

/* Is this the loader of musl, whose libraries and programs differ from the ones of glibc? */
bool spur_is_loader_of_musl(const char *path);

/* Is a file of this name a loader, rather than a linker or a static program? */
bool spur_is_loader(const char *path);

/*
 * The newest version of glibc among zero-terminated names, as in the version needs of a linked
 * object: "GLIBC_2.34". "": no version found.
 */
void spur_glibc_newest(const char *names, size_t bytes, char version[SPUR_GLIBC_VERSION_BYTES]);

/* Does the C library beside a loader lack this version? False also if no C library is found. */
bool spur_glibc_lacks(const char *loader, const char *version);

#endif
