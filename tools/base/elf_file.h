/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few facts of an ELF file that decide whether the program can be traced, and the exported
 * symbols. The file may be truncated or made by an attacker: nothing in the file is believed before
 * a check against the file's size.
 */
#ifndef TOOLS_ELF_FILE_H
#define TOOLS_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/glibc.h"

struct elf_file {
    int fd;
    uint64_t bytes;
    Elf64_Ehdr header; /* valid if is_native */
    bool is_native;    /* same class, byte order and machine as this program */
    uint16_t machine;
};

/* Opens `path`. 0, -errno, or -ENOEXEC for a file that is no ELF file. */
int elf_open(struct elf_file *file, const char *path);
void elf_close(struct elf_file *file);

/*
 * The program interpreter (PT_INTERP) of a native file, as a string in `text`. False when the
 * interpreter is missing or unreadable: nothing else is loaded into the program then.
 */
bool elf_interpreter(const struct elf_file *file, char *text, size_t bytes);

/*
 * The index of the first of n names with which the name of a library begins that a native file is
 * linked to; n: no match.
 */
size_t elf_needs(const struct elf_file *file, const char *const names[], size_t n);

/*
 * The newest version of glibc that a native file is linked with, as "GLIBC_2.34". False: no
 * version.
 */
bool elf_newest_glibc(const char *path, char version[SPUR_GLIBC_VERSION_BYTES]);

enum elf_symbol_state { ELF_SYMBOL_ABSENT, ELF_SYMBOL_IMPORTED, ELF_SYMBOL_DEFINED };

/* Is `name` in the dynamic or, where the file has one, the full symbol table of a native file? */
enum elf_symbol_state elf_symbol(const struct elf_file *file, const char *name);

/* The exported symbols of a native file: values[i] is the value of names[i]; 0: not exported. */
void elf_exports(const struct elf_file *file, const char *const names[], size_t n,
                 uint64_t values[]);

/*
 * The address of the byte at `offset` of a native file, before relocation. UINT64_MAX: the byte has
 * no address.
 */
uint64_t elf_address(const struct elf_file *file, uint64_t offset);

#endif
