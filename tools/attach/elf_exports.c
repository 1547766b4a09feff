/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/elf_exports.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL: not all of it is there. */
static const void *piece(const struct elf_file *file, uint64_t at, uint64_t bytes)
{
    return at <= file->size && bytes <= file->size - at && at % sizeof(uint64_t) == 0
               ? file->bytes + at
               : NULL;
}

static const Elf64_Ehdr *head_of(const struct elf_file *file)
{
    const Elf64_Ehdr *head = piece(file, 0, sizeof *head);
    bool is_ours = head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                   head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB;
    return is_ours ? head : NULL;
}

static void find_symbols(struct elf_file *file, const Elf64_Shdr *sections, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_type != SHT_DYNSYM || section->sh_link >= n)
            continue;
        const Elf64_Shdr *names = &sections[section->sh_link];
        file->symbols = piece(file, section->sh_offset, section->sh_size);
        file->n_symbols = file->symbols ? section->sh_size / sizeof *file->symbols : 0;
        if (names->sh_offset <= file->size && names->sh_size <= file->size - names->sh_offset) {
            file->names = (const char *)file->bytes + names->sh_offset;
            file->names_size = names->sh_size;
        }
    }
}

bool elf_file_open(struct elf_file *file, const char *path)
{
    struct stat info;
    *file = (struct elf_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            file->bytes = bytes;
            file->size = (size_t)info.st_size;
        }
    }
    if (fd >= 0)
        close(fd);
    const Elf64_Ehdr *head = file->bytes ? head_of(file) : NULL;
    if (!head)
        return false;
    const Elf64_Shdr *sections =
        piece(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    if (sections && head->e_shentsize == sizeof *sections)
        find_symbols(file, sections, head->e_shnum);
    return true;
}

void elf_file_close(struct elf_file *file)
{
    if (file->bytes)
        munmap((void *)(uintptr_t)file->bytes, file->size);
    *file = (struct elf_file){0};
}

uint16_t elf_file_machine(const struct elf_file *file)
{
    const Elf64_Ehdr *head = head_of(file);
    return head ? head->e_machine : EM_NONE;
}

/* NULL: they are not there. */
static const Elf64_Phdr *parts_of(const struct elf_file *file, uint64_t *n)
{
    const Elf64_Ehdr *head = head_of(file);
    *n = head ? head->e_phnum : 0;
    return head ? piece(file, head->e_phoff, *n * sizeof(Elf64_Phdr)) : NULL;
}

bool elf_file_has_loader(const struct elf_file *file, const char *letters)
{
    uint64_t n;
    const Elf64_Phdr *parts = parts_of(file, &n);
    for (uint64_t i = 0; parts && i < n; i++)
        if (parts[i].p_type == PT_INTERP && parts[i].p_offset <= file->size &&
            parts[i].p_filesz <= file->size - parts[i].p_offset)
            return memmem(file->bytes + parts[i].p_offset, parts[i].p_filesz, letters,
                          strlen(letters)) != NULL;
    return false;
}

uint64_t elf_file_symbol(const struct elf_file *file, const char *name)
{
    const size_t length = strlen(name) + 1;
    for (size_t i = 0; i < file->n_symbols && file->names; i++) {
        const Elf64_Sym *symbol = &file->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && symbol->st_name < file->names_size &&
            length <= file->names_size - symbol->st_name &&
            memcmp(file->names + symbol->st_name, name, length) == 0)
            return symbol->st_value;
    }
    return 0;
}

uint64_t elf_file_address(const struct elf_file *file, uint64_t offset)
{
    uint64_t n;
    const Elf64_Phdr *parts = parts_of(file, &n);
    for (uint64_t i = 0; parts && i < n; i++)
        if (parts[i].p_type == PT_LOAD && offset >= parts[i].p_offset &&
            offset - parts[i].p_offset < parts[i].p_filesz)
            return parts[i].p_vaddr + (offset - parts[i].p_offset);
    return UINT64_MAX;
}
