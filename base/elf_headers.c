/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/elf_headers.h"

#include <elf.h>
#include <link.h> /* ElfW() */
#include <string.h>

#include "base/raw_file.h"

enum { NOTES_BYTES = 1024 };

static size_t align_note(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

static void write_hex(char *text, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

/* The build id among the notes. */
static void find_build_id(const unsigned char *notes, size_t size, char *build_id)
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at + sizeof note <= size;) {
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        if (note.n_namesz > size || note.n_descsz > size)
            return;
        size_t text = at + align_note(note.n_namesz);
        if (text + note.n_descsz > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" && note.n_descsz &&
            note.n_descsz <= SPUR_BUILD_ID_MAX && memcmp(notes + at, "GNU", sizeof "GNU") == 0) {
            write_hex(build_id, notes + text, note.n_descsz);
            return;
        }
        at = text + align_note(note.n_descsz);
    }
}

static void read_data(const ElfW(Phdr) * part, struct spur_elf *elf)
{
    uint64_t end = part->p_vaddr + part->p_memsz;
    if (part->p_type != PT_LOAD || end < part->p_vaddr)
        return;
    if (part->p_offset == 0)
        elf->base = part->p_vaddr;
    if (!(part->p_flags & PF_W))
        return;
    bool is_first = elf->data == elf->data_end;
    elf->data = is_first || part->p_vaddr < elf->data ? part->p_vaddr : elf->data;
    elf->data_end = is_first || end > elf->data_end ? end : elf->data_end;
}

/*
 * Whether a mapping that begins there in the file has code of the segment. Linkers let segments
 * begin within a page (lld, mold), and mappings begin with the page.
 */
static bool is_mapped(const ElfW(Phdr) * part, uint64_t code)
{
    bool is_before = code < part->p_offset;
    return part->p_type == PT_LOAD && part->p_flags & PF_X &&
           (is_before ? part->p_offset - code < part->p_align
                      : code - part->p_offset < part->p_filesz);
}

static void read_part(const struct spur_elf_source *source, const ElfW(Phdr) * part, uint64_t code,
                      struct spur_elf *elf)
{
    unsigned char notes[NOTES_BYTES];
    if (is_mapped(part, code) && !(elf->has_code && code < part->p_offset)) {
        elf->shift = part->p_vaddr - part->p_offset;
        elf->has_code = true;
    }
    if (part->p_type == PT_NOTE && !elf->build_id[0]) {
        size_t n = part->p_filesz < sizeof notes ? part->p_filesz : sizeof notes;
        find_build_id(notes, source->read(source, part->p_offset, notes, n), elf->build_id);
    }
}

bool spur_elf_read(const struct spur_elf_source *source, uint64_t code, struct spur_elf *elf)
{
    static const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    *elf = (struct spur_elf){.build_id = ""};
    if (source->read(source, 0, &head, sizeof head) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != class ||
        head.e_phentsize != sizeof part)
        return false;
    for (size_t i = 0; i < head.e_phnum; i++) {
        if (source->read(source, head.e_phoff + i * sizeof part, &part, sizeof part) != sizeof part)
            return false;
        read_part(source, &part, code, elf);
        read_data(&part, elf);
    }
    return true;
}

struct file {
    struct spur_elf_source source;
    int fd;
};

static size_t read_file(const struct spur_elf_source *source, uint64_t offset, void *to,
                        size_t bytes)
{
    const struct file *file = (const struct file *)(const void *)source;
    int64_t n = spur_file_read(file->fd, offset, to, bytes);
    return n > 0 ? (size_t)n : 0;
}

bool spur_elf_read_file(int fd, uint64_t code, struct spur_elf *elf)
{
    const struct file file = {{read_file}, fd};
    return spur_elf_read(&file.source, code, elf);
}
