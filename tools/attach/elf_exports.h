/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file of a program or a library defines, read from the file. Input may be anything. */
#ifndef TOOLS_ATTACH_ELF_EXPORTS_H
#define TOOLS_ATTACH_ELF_EXPORTS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
    const unsigned char *bytes; /* mapped */
    size_t size;
    const Elf64_Sym *symbols;
    size_t n_symbols;
    const char *names;
    size_t names_size;
};

/* False: it is no such file. elf_file_close() in both cases. */
bool elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

uint16_t elf_file_machine(const struct elf_file *file); /* EM_X86_64, ... */

/* Does it name a loader with these letters in its path? */
bool elf_file_has_loader(const struct elf_file *file, const char *letters);

/* The value of what it exports by this name; 0: nothing. */
uint64_t elf_file_symbol(const struct elf_file *file, const char *name);

/* The address that the file's byte at `offset` has, before it is moved. UINT64_MAX: none. */
uint64_t elf_file_address(const struct elf_file *file, uint64_t offset);

#endif
