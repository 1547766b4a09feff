/* SPDX-License-Identifier: BSD-3-Clause */
/* A loaded object of the process, as its headers and its dynamic section in memory tell. */
#ifndef ATTACH_LOADED_H
#define ATTACH_LOADED_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attach_object {
    uintptr_t base, start, end;       /* where it is loaded */
    uintptr_t relro_start, relro_end; /* read-only once it has been relocated */
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;       /* DT_GNU_HASH; NULL: none */
    const uint32_t *old_hash;   /* DT_HASH; NULL: none */
    const ElfW(Rela) * rows[2]; /* relocations of data, and of calls; borrowed */
    size_t n_rows[2];
};

/* By its program headers. False: it has no symbols. */
bool attach_object_read(struct attach_object *object, const struct dl_phdr_info *info);

/* The same but for where its parts are, by what the loader has listed; reads memory, no more. */
bool attach_object_read_map(struct attach_object *object, const struct link_map *map);

/* The object that an address lies in. Asks the loader. */
bool attach_object_find(struct attach_object *object, const void *address);

/* The address of the function that the object defines by this name, 0: none. */
uintptr_t attach_object_symbol(const struct attach_object *object, const char *name);

#endif
