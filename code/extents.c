/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <link.h> /* ElfW() */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "code/code_lookup.h"

/* Encodings of DWARF's, and the only ones that linkers use for the header. */
enum { VERSION = 1, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };

struct header {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
    struct {
        int32_t function, entry; /* as seen from the header */
    } at[];                      /* by function */
};

struct spur_extents {
    int fd;
    ElfW(Phdr) * segments;
    uint64_t n_segments;
    uint64_t address; /* of the header */
    size_t n;
    struct extent {
        uint64_t begin; /* first: spur_bisect() */
        uint64_t entry; /* address of what .eh_frame says of the function */
    } * at;
};

static bool take_header(struct spur_extents *extents, const struct header *header, uint64_t bytes)
{
    if (header->version != VERSION || header->count_encoding != UDATA4 ||
        header->table_encoding != DATAREL_SDATA4 ||
        header->count > (bytes - sizeof *header) / sizeof *header->at)
        return false;
    extents->n = header->count;
    extents->at = calloc(extents->n + 1, sizeof *extents->at);
    for (size_t i = 0; extents->at && i < extents->n; i++)
        extents->at[i] =
            (struct extent){extents->address + (uint64_t)(int64_t)header->at[i].function,
                            extents->address + (uint64_t)(int64_t)header->at[i].entry};
    return extents->at != NULL;
}

static bool load_header(struct spur_extents *extents)
{
    for (uint64_t i = 0; extents->segments && i < extents->n_segments; i++) {
        const ElfW(Phdr) *segment = &extents->segments[i];
        if (segment->p_type != PT_GNU_EH_FRAME || segment->p_filesz < sizeof(struct header))
            continue;
        struct header *header = spur_code_load(extents->fd, segment->p_offset, segment->p_filesz);
        extents->address = segment->p_vaddr;
        bool is_taken = header && take_header(extents, header, segment->p_filesz);
        free(header);
        return is_taken;
    }
    return false;
}

struct spur_extents *spur_extents_open(int fd)
{
    struct spur_extents *extents = calloc(1, sizeof *extents);
    ElfW(Ehdr) *head = spur_code_load(fd, 0, sizeof *head);
    bool is_there = false;
    if (extents && head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
        head->e_phentsize == sizeof *extents->segments) {
        extents->fd = fd;
        extents->n_segments = head->e_phnum;
        extents->segments =
            spur_code_load(fd, head->e_phoff, extents->n_segments * sizeof *extents->segments);
        is_there = load_header(extents);
    }
    free(head);
    if (is_there)
        return extents;
    if (extents)
        spur_extents_close(extents);
    return NULL;
}

void spur_extents_close(struct spur_extents *extents)
{
    free(extents->segments);
    free(extents->at);
    free(extents);
}

/* False: no segment of the file has all these bytes. */
static bool read_at(const struct spur_extents *extents, uint64_t address, void *to, size_t bytes)
{
    for (uint64_t i = 0; i < extents->n_segments; i++) {
        const ElfW(Phdr) *segment = &extents->segments[i];
        uint64_t distance = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && distance < segment->p_filesz &&
            bytes <= segment->p_filesz - distance)
            return pread(extents->fd, to, bytes, (off_t)(segment->p_offset + distance)) ==
                   (ssize_t)bytes;
    }
    return false;
}

/*
 * Behind length and CIE an entry has the function's beginning, as seen from there, and its length,
 * in 4 or in 8 bytes each. The CIE tells which; so does the beginning, which is known.
 */
static uint64_t length_of(const struct spur_extents *extents, const struct extent *extent)
{
    enum { HEAD = 8 };
    int64_t wide[2];
    int32_t narrow[2];
    uint64_t here = extent->entry + HEAD;
    if (read_at(extents, here, narrow, sizeof narrow) &&
        here + (uint64_t)(int64_t)narrow[0] == extent->begin)
        return (uint32_t)narrow[1];
    if (read_at(extents, here, wide, sizeof wide) && here + (uint64_t)wide[0] == extent->begin)
        return (uint64_t)wide[1];
    return 0;
}

bool spur_extents_find(const struct spur_extents *extents, uint64_t address, uint64_t *begin)
{
    size_t n = spur_bisect(extents->at, extents->n, sizeof *extents->at, address);
    if (n == 0 || address - extents->at[n - 1].begin >= length_of(extents, &extents->at[n - 1]))
        return false;
    *begin = extents->at[n - 1].begin;
    return true;
}
