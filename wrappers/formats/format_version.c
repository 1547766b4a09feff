/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which version of a symbol an object asks for: the relocations name the symbol, the table of
 * versions has its number, and the list of what the object needs says what the number means.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "wrappers/formats/format_library.h"

struct object {
    const ElfW(Sym) * symbols;
    const char *texts;
    const ElfW(Half) * versions; /* of the symbols; NULL: none has one */
    const ElfW(Verneed) * needs;
    const ElfW(Rela) * relocations[2];
    size_t bytes[2];
};

/* The loader has made addresses of some of the offsets. */
static const void *there_of(const struct link_map *map, ElfW(Addr) value)
{
    return (const void *)(value < map->l_addr // NOLINT(performance-no-int-to-ptr)
                              ? value + map->l_addr
                              : value);
}

static struct object read_object(const struct link_map *map)
{
    struct object object = {0};
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        const void *there = there_of(map, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object.symbols = there;
            break;
        case DT_STRTAB:
            object.texts = there;
            break;
        case DT_VERSYM:
            object.versions = there;
            break;
        case DT_VERNEED:
            object.needs = there;
            break;
        case DT_JMPREL:
            object.relocations[0] = there;
            break;
        case DT_PLTRELSZ:
            object.bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            object.relocations[1] = there;
            break;
        case DT_RELASZ:
            object.bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return object;
}

static const char *version_called(const struct object *object, unsigned number)
{
    const char *at = (const char *)object->needs;
    while (at) {
        const ElfW(Verneed) *need = (const void *)at;
        const char *inner = at + need->vn_aux;
        for (unsigned i = 0; i < need->vn_cnt; i++) {
            const ElfW(Vernaux) *aux = (const void *)inner;
            if (aux->vna_other == number)
                return object->texts + aux->vna_name;
            inner += aux->vna_next;
        }
        at = need->vn_next ? at + need->vn_next : NULL;
    }
    return NULL;
}

const char *format_version(const void *address, const char *name)
{
    enum { HIDDEN = 0x8000 };
    struct link_map *map = NULL;
    Dl_info info;
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    const struct object object = read_object(map);
    if (!object.symbols || !object.texts || !object.versions || !object.needs)
        return NULL;
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; i < object.bytes[table] / sizeof(ElfW(Rela)); i++) {
            size_t symbol = ELF64_R_SYM(object.relocations[table][i].r_info);
            if (symbol && strcmp(object.texts + object.symbols[symbol].st_name, name) == 0)
                return version_called(&object, object.versions[symbol] & ~(unsigned)HIDDEN);
        }
    return NULL;
}
