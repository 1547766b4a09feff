/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYMBOLS_AT_ONCE = 512 };

#if defined(__x86_64__)
static const uint16_t native_machine = EM_X86_64;
#elif defined(__aarch64__)
static const uint16_t native_machine = EM_AARCH64;
#elif defined(__riscv)
static const uint16_t native_machine = EM_RISCV;
#elif defined(__s390x__)
static const uint16_t native_machine = EM_S390;
#else
static const uint16_t native_machine = EM_NONE;
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const uint8_t native_order = ELFDATA2LSB;
#else
static const uint8_t native_order = ELFDATA2MSB;
#endif

/* All of [offset, offset + bytes) or nothing. */
static bool read_at(const struct elf_file *file, uint64_t offset, void *buffer, size_t bytes)
{
    if (offset > file->bytes || bytes > file->bytes - offset)
        return false;
    return pread(file->fd, buffer, bytes, (off_t)offset) == (ssize_t)bytes;
}

int elf_open(struct elf_file *file, const char *path)
{
    struct stat status;

    memset(file, 0, sizeof(*file));
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return -errno;
    if (fstat(file->fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        elf_close(file);
        return -ENOEXEC;
    }
    file->bytes = (uint64_t)status.st_size;
    if (!read_at(file, 0, &file->header, sizeof(file->header)) ||
        memcmp(file->header.e_ident, ELFMAG, SELFMAG) != 0) {
        elf_close(file);
        return -ENOEXEC;
    }
    file->machine = file->header.e_machine;
    file->is_native = file->header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      file->header.e_ident[EI_DATA] == native_order &&
                      file->machine == native_machine;
    return 0;
}

void elf_close(struct elf_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

bool elf_interpreter(const struct elf_file *file, char *text, size_t bytes)
{
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        Elf64_Phdr segment;

        if (!read_at(file, file->header.e_phoff + (uint64_t)i * sizeof(segment), &segment,
                     sizeof(segment)))
            return false;
        if (segment.p_type != PT_INTERP)
            continue;
        if (segment.p_filesz == 0 || segment.p_filesz > bytes ||
            !read_at(file, segment.p_offset, text, segment.p_filesz))
            return false;
        return text[segment.p_filesz - 1] == '\0';
    }
    return false;
}

static bool section_at(const struct elf_file *file, uint64_t index, Elf64_Shdr *section)
{
    if (index >= file->header.e_shnum)
        return false;
    return read_at(file, file->header.e_shoff + index * sizeof(*section), section,
                   sizeof(*section));
}

/* The program headers of a native file, as many as fit; returns the number of headers. */
static unsigned segments_of(const struct elf_file *file, Elf64_Phdr *segments, unsigned most)
{
    unsigned n = file->header.e_phnum < most ? file->header.e_phnum : most;

    return read_at(file, file->header.e_phoff, segments, n * sizeof(*segments)) ? n : 0;
}

/* The offset of an address in the file; beyond the end of the file for an unmapped address. */
static uint64_t offset_of(const Elf64_Phdr *segments, unsigned n, uint64_t address)
{
    for (unsigned i = 0; i < n; i++)
        if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
            address - segments[i].p_vaddr < segments[i].p_filesz)
            return segments[i].p_offset + (address - segments[i].p_vaddr);
    return UINT64_MAX;
}

enum { SEGMENTS = 64 };

uint64_t elf_address(const struct elf_file *file, uint64_t offset)
{
    Elf64_Phdr segments[SEGMENTS];
    unsigned n = segments_of(file, segments, SEGMENTS);

    for (unsigned i = 0; i < n; i++)
        if (segments[i].p_type == PT_LOAD && offset >= segments[i].p_offset &&
            offset - segments[i].p_offset < segments[i].p_filesz)
            return segments[i].p_vaddr + (offset - segments[i].p_offset);
    return UINT64_MAX;
}

/* The index of the first of n names with which the text in the file begins; n: no match. */
static size_t name_at(const struct elf_file *file, uint64_t strings, uint64_t offset,
                      const char *const names[], size_t n)
{
    char text[64] = "";
    size_t first = 0;
    uint64_t at = strings + offset;

    if (strings > file->bytes || offset > file->bytes || at > file->bytes)
        return n;
    if (!read_at(file, at, text, file->bytes - at < sizeof(text) ? file->bytes - at : sizeof(text)))
        return n;
    while (first < n && strncmp(text, names[first], strlen(names[first])) != 0)
        first++;
    return first;
}

enum { ENTRIES = 512 };

/* The dynamic section of an object, as the loader reads the section. */
struct dynamic {
    Elf64_Dyn entries[ENTRIES];
    size_t count;
    uint64_t strings, bytes; /* of its names, in the file */
};

static bool read_dynamic(const struct elf_file *file, struct dynamic *dynamic)
{
    Elf64_Phdr segments[SEGMENTS];
    unsigned n = segments_of(file, segments, SEGMENTS);
    const Elf64_Phdr *part = segments;
    size_t most;

    while (part < segments + n && part->p_type != PT_DYNAMIC)
        part++;
    if (part == segments + n)
        return false;
    most = part->p_filesz / sizeof(dynamic->entries[0]);
    most = most < ENTRIES ? most : ENTRIES;
    if (!read_at(file, part->p_offset, dynamic->entries, most * sizeof(dynamic->entries[0])))
        return false;
    dynamic->strings = UINT64_MAX;
    dynamic->bytes = 0;
    for (dynamic->count = 0; dynamic->count < most; dynamic->count++) {
        const Elf64_Dyn *entry = &dynamic->entries[dynamic->count];

        if (entry->d_tag == DT_NULL)
            break;
        if (entry->d_tag == DT_STRTAB)
            dynamic->strings = offset_of(segments, n, entry->d_un.d_ptr);
        if (entry->d_tag == DT_STRSZ)
            dynamic->bytes = entry->d_un.d_val;
    }
    return dynamic->strings <= file->bytes;
}

size_t elf_needs(const struct elf_file *file, const char *const names[], size_t n)
{
    struct dynamic dynamic;
    size_t first = n;

    if (!read_dynamic(file, &dynamic))
        return n;
    for (size_t i = 0; i < dynamic.count && first > 0; i++)
        if (dynamic.entries[i].d_tag == DT_NEEDED)
            first = name_at(file, dynamic.strings, dynamic.entries[i].d_un.d_val, names, first);
    return first;
}

bool elf_newest_glibc(const char *path, char version[SPUR_GLIBC_VERSION_BYTES])
{
    struct elf_file file;
    struct dynamic dynamic;
    char *names = NULL;

    version[0] = '\0';
    if (elf_open(&file, path) != 0)
        return false;
    if (file.is_native && read_dynamic(&file, &dynamic) && dynamic.bytes > 0 &&
        dynamic.bytes <= file.bytes)
        names = malloc(dynamic.bytes);
    if (names && read_at(&file, dynamic.strings, names, dynamic.bytes))
        spur_glibc_newest(names, dynamic.bytes, version);
    free(names);
    elf_close(&file);
    return version[0] != '\0';
}

/* The names that belong to a symbol table, allocated; no longer than the file is. */
static char *strings_of(const struct elf_file *file, const Elf64_Shdr *table, uint64_t *bytes)
{
    Elf64_Shdr strings;
    char *text;

    if (!section_at(file, table->sh_link, &strings) || strings.sh_size > file->bytes)
        return NULL;
    text = malloc(strings.sh_size + 1);
    if (text && !read_at(file, strings.sh_offset, text, strings.sh_size)) {
        free(text);
        return NULL;
    }
    *bytes = strings.sh_size;
    return text;
}

/* A visit of symbols; `each` returns false: no more symbols are wanted. */
struct symbol_visit {
    bool (*each)(struct symbol_visit *visit, const Elf64_Sym *symbol, const char *name,
                 uint64_t room);
    const char *const *names;
    size_t n;
    uint64_t *values;
    enum elf_symbol_state state;
};

static void visit_table(const struct elf_file *file, const Elf64_Shdr *table,
                        struct symbol_visit *visit)
{
    Elf64_Sym symbols[SYMBOLS_AT_ONCE];
    uint64_t bytes = 0;
    char *strings = strings_of(file, table, &bytes);
    bool goes_on = strings && table->sh_size <= file->bytes;

    for (uint64_t done = 0; goes_on && done < table->sh_size;) {
        uint64_t left = table->sh_size - done;
        size_t part = left < sizeof(symbols) ? (size_t)left : sizeof(symbols);

        goes_on = read_at(file, table->sh_offset + done, symbols, part);
        for (size_t i = 0; goes_on && i < part / sizeof(symbols[0]); i++)
            if (symbols[i].st_name < bytes)
                goes_on = visit->each(visit, &symbols[i], strings + symbols[i].st_name,
                                      bytes - symbols[i].st_name);
        done += part;
    }
    free(strings);
}

/* `room`: bytes of the file from `name` on, which may have no end. */
static bool is_called(const char *name, uint64_t room, const char *wanted)
{
    size_t length = strlen(wanted) + 1;

    return length <= room && memcmp(name, wanted, length) == 0;
}

static bool see_state(struct symbol_visit *visit, const Elf64_Sym *symbol, const char *name,
                      uint64_t room)
{
    if (is_called(name, room, visit->names[0]))
        visit->state = symbol->st_shndx != SHN_UNDEF ? ELF_SYMBOL_DEFINED : ELF_SYMBOL_IMPORTED;
    return visit->state != ELF_SYMBOL_DEFINED;
}

static bool see_values(struct symbol_visit *visit, const Elf64_Sym *symbol, const char *name,
                       uint64_t room)
{
    for (size_t i = 0; i < visit->n && symbol->st_shndx != SHN_UNDEF; i++)
        if (!visit->values[i] && is_called(name, room, visit->names[i]))
            visit->values[i] = symbol->st_value;
    return true;
}

void elf_exports(const struct elf_file *file, const char *const names[], size_t n,
                 uint64_t values[])
{
    struct symbol_visit visit = {.each = see_values, .names = names, .n = n, .values = values};
    Elf64_Shdr section;

    memset(values, 0, n * sizeof(values[0]));
    for (unsigned i = 0; i < file->header.e_shnum && section_at(file, i, &section); i++) {
        if (section.sh_type != SHT_DYNSYM)
            continue;
        visit_table(file, &section, &visit);
        return;
    }
}

enum elf_symbol_state elf_symbol(const struct elf_file *file, const char *name)
{
    struct symbol_visit visit = {.each = see_state, .names = &name, .n = 1};
    bool has_full = false;
    bool has_dynamic = false;
    Elf64_Shdr section;

    for (unsigned i = 0; i < file->header.e_shnum && section_at(file, i, &section); i++) {
        bool *seen;

        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
            continue;
        /* A linker makes a single table of each kind; more tables would only cost time. */
        seen = section.sh_type == SHT_SYMTAB ? &has_full : &has_dynamic;
        if (!*seen)
            visit_table(file, &section, &visit);
        *seen = true;
        if (visit.state == ELF_SYMBOL_DEFINED)
            break;
    }
    return visit.state;
}
