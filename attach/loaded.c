/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "attach/loaded.h"

/* Addresses in the dynamic section are those in memory for glibc, but for objects of the kernel. */
static uintptr_t place(const struct attach_object *object, ElfW(Addr) value)
{
    return value >= object->base ? value : object->base + value;
}

static void take_entry(struct attach_object *object, const ElfW(Dyn) * entry)
{
    uintptr_t at = place(object, entry->d_un.d_ptr);
    size_t n = entry->d_un.d_val / sizeof(ElfW(Rela));
    switch (entry->d_tag) {
    case DT_SYMTAB:
        object->symbols = (const void *)at;
        break;
    case DT_STRTAB:
        object->names = (const void *)at;
        break;
    case DT_GNU_HASH:
        object->hash = (const void *)at;
        break;
    case DT_HASH:
        object->old_hash = (const void *)at;
        break;
    case DT_RELA:
        object->rows[0] = (const void *)at;
        break;
    case DT_RELASZ:
        object->n_rows[0] = n;
        break;
    case DT_JMPREL:
        object->rows[1] = (const void *)at;
        break;
    case DT_PLTRELSZ:
        object->n_rows[1] = n;
        break;
    default:
        break;
    }
}

static bool take_dynamic(struct attach_object *object, const ElfW(Dyn) * dynamic)
{
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        take_entry(object, dynamic);
    return object->symbols && object->names;
}

bool attach_object_read(struct attach_object *object, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    memset(object, 0, sizeof *object);
    object->base = info->dlpi_addr;
    object->start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const void *)at;
        if (part->p_type == PT_GNU_RELRO) {
            object->relro_start = at;
            object->relro_end = at + part->p_memsz;
        }
        if (part->p_type != PT_LOAD)
            continue;
        object->start = at < object->start ? at : object->start;
        if (at + part->p_memsz > object->end)
            object->end = at + part->p_memsz;
    }
    return take_dynamic(object, dynamic);
}

bool attach_object_read_map(struct attach_object *object, const struct link_map *map)
{
    memset(object, 0, sizeof *object);
    object->base = map->l_addr;
    return take_dynamic(object, map->l_ld);
}

struct search {
    struct attach_object *object;
    uintptr_t address;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    (void)size;
    return attach_object_read(search->object, info) && search->address >= search->object->start &&
           search->address < search->object->end;
}

bool attach_object_find(struct attach_object *object, const void *address)
{
    struct search search = {object, (uintptr_t)address};
    return dl_iterate_phdr(look, &search) != 0;
}

/* ---- names ---- */

static uint32_t hash_of(const char *name)
{
    enum { START = 5381, FACTOR = 33 };
    uint32_t hash = START;
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        hash = hash * FACTOR + *at;
    return hash;
}

/* 0: it is not the function. */
static uintptr_t function_of(const struct attach_object *object, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &object->symbols[i];
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                   strcmp(object->names + symbol->st_name, name) == 0
               ? object->base + symbol->st_value
               : 0;
}

/* DT_GNU_HASH: four words, the filter, the buckets, and the chains behind them. */
static uintptr_t find_by_hash(const struct attach_object *object, const char *name)
{
    const uint32_t *head = object->hash;
    const uint32_t *buckets = head + 4 + head[2] * (sizeof(ElfW(Addr)) / sizeof *head);
    const uint32_t *chains = buckets + head[0];
    const uint32_t hash = hash_of(name);
    for (uint32_t i = buckets[hash % head[0]]; i >= head[1]; i++) {
        const uint32_t chain = chains[i - head[1]];
        const uintptr_t found = (chain | 1) == (hash | 1) ? function_of(object, i, name) : 0;
        if (found || chain & 1)
            return found;
    }
    return 0;
}

/* DT_HASH tells how many symbols there are. */
uintptr_t attach_object_symbol(const struct attach_object *object, const char *name)
{
    uintptr_t found = 0;
    if (object->hash)
        return find_by_hash(object, name);
    for (uint32_t i = 1; object->old_hash && !found && i < object->old_hash[1]; i++)
        found = function_of(object, i, name);
    return found;
}
