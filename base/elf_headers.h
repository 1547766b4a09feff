/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the headers of an ELF object of this machine say, in memory or in a file. Nothing is
 * believed; a system call for each header, no allocation.
 */
#ifndef SPUR_ELF_HEADERS_H
#define SPUR_ELF_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPUR_BUILD_ID_MAX = 64 };

/* Where an object is read from: the first member of a struct of the reader's own. */
struct spur_elf_source {
    /* Bytes from `offset` of the file on; how many there were. */
    size_t (*read)(const struct spur_elf_source *source, uint64_t offset, void *to, size_t bytes);
};

struct spur_elf {
    char build_id[2 * SPUR_BUILD_ID_MAX + 1]; /* in hexadecimal, "": it has none */
    bool has_code;                            /* where it was asked for, */
    uint64_t shift; /* and what leads from an offset in the file to the address as linked */
    /* Addresses as linked: of the beginning of the file, and from where to where data may be
     * written. The same: there are none. */
    uint64_t base, data, data_end;
};

/* False: it is no such object. `code`: where in the file a mapping of code begins. */
bool spur_elf_read(const struct spur_elf_source *source, uint64_t code, struct spur_elf *elf);
/* The same of an open file. */
bool spur_elf_read_file(int fd, uint64_t code, struct spur_elf *elf);

#endif
