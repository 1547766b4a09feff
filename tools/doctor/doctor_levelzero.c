/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether Level Zero is recorded: the loader has to call the functions that fill its tables by
 * their names, so that those of the agent come first.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/doctor/doctor_machine.h"

enum { PATH_ROOM = 4096 };

/* The relocations of a loaded library, in two tables. */
struct relocations {
    const ElfW(Rela) * all[2];
    size_t bytes[2];
    const ElfW(Sym) * symbols;
    const char *names;
};

static struct relocations relocations_of(const struct link_map *map)
{
    struct relocations r = {.names = NULL};
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)d->d_un.d_ptr; /* the loader has added the base */
        if (d->d_tag == DT_JMPREL)
            r.all[0] = at;
        else if (d->d_tag == DT_PLTRELSZ)
            r.bytes[0] = d->d_un.d_val;
        else if (d->d_tag == DT_RELA)
            r.all[1] = at;
        else if (d->d_tag == DT_RELASZ)
            r.bytes[1] = d->d_un.d_val;
        else if (d->d_tag == DT_SYMTAB)
            r.symbols = at;
        else if (d->d_tag == DT_STRTAB)
            r.names = at;
    }
    return r;
}

static bool calls_by_name(const struct link_map *map, const char *name)
{
    enum { SYMBOL_BITS = 32 };
    const struct relocations r = relocations_of(map);
    if (!r.symbols || !r.names)
        return false;
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; r.all[table] && i < r.bytes[table] / sizeof *r.all[table]; i++) {
            const ElfW(Sym) *symbol = &r.symbols[r.all[table][i].r_info >> SYMBOL_BITS];
            if (strcmp(r.names + symbol->st_name, name) == 0)
                return true;
        }
    }
    return false;
}

/* False: there is no loader. */
static bool find_loader(const char *linked, char path[PATH_ROOM], bool *is_open)
{
    void *handle = dlopen(linked ? linked : "libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map = NULL;
    bool is_found = handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0];
    if (is_found) {
        (void)snprintf(path, PATH_ROOM, "%s", map->l_name);
        *is_open = calls_by_name(map, "zeGetCommandListProcAddrTable");
    }
    if (handle)
        dlclose(handle);
    return is_found;
}

void doctor_levelzero(doctor_fact *fact, doctor_fact *problem, const char *linked)
{
    static const char traced[] = "calls, kernels and copies are traced; not tried on hardware";
    char path[PATH_ROOM];
    bool is_open = false;
    if (!find_loader(linked, path, &is_open))
        fact("Level Zero", "none linked, and this machine has no libze_loader.so.1");
    else if (is_open && linked)
        fact("Level Zero", "%s lets the agent in: %s", path, traced);
    else if (is_open)
        fact("Level Zero", "none linked; %s lets the agent in, if the program loads it: %s", path,
             traced);
    else
        (linked ? problem : fact)("Level Zero",
                                  "%s fills its tables without the agent, so Level Zero is not "
                                  "recorded; install the loader of Level Zero 1.8 or a newer one",
                                  path);
}
