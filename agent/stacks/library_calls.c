/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/library_calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { OF_CALL = R_X86_64_JUMP_SLOT, OF_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { OF_CALL = R_AARCH64_JUMP_SLOT, OF_ADDRESS = R_AARCH64_GLOB_DAT };
#elif defined(__riscv)
enum { OF_CALL = R_RISCV_JUMP_SLOT, OF_ADDRESS = R_RISCV_64 };
#else
enum { OF_CALL = -1, OF_ADDRESS = -2 };
#endif

struct tables {
    const struct link_map *map;
    const Elf64_Sym *symbol;
    const char *name;
    const Elf64_Rela *call, *other;
    size_t call_bytes, other_bytes;
};

/* The C library has added to the addresses where the object lies, or has not. */
static const void *address_of(const struct link_map *map, const Elf64_Dyn *entry)
{
    Elf64_Addr at = entry->d_un.d_ptr;
    at = at < map->l_addr ? at + map->l_addr : at;
    return (const void *)at; // NOLINT(performance-no-int-to-ptr)
}

static bool find_tables(void *library, struct tables *t)
{
    struct link_map *map;
    if (dlinfo(library, RTLD_DI_LINKMAP, (void *)&map) != 0)
        return false;
    *t = (struct tables){.map = map};
    for (const Elf64_Dyn *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            t->symbol = address_of(map, entry);
        else if (entry->d_tag == DT_STRTAB)
            t->name = address_of(map, entry);
        else if (entry->d_tag == DT_JMPREL)
            t->call = address_of(map, entry);
        else if (entry->d_tag == DT_RELA)
            t->other = address_of(map, entry);
        else if (entry->d_tag == DT_PLTRELSZ)
            t->call_bytes = entry->d_un.d_val;
        else if (entry->d_tag == DT_RELASZ)
            t->other_bytes = entry->d_un.d_val;
    }
    return t->symbol && t->name;
}

/* Its page has become read-only where all addresses were known at the start; it does so again. */
static void put(uintptr_t slot, void (*function)(void))
{
    void *at = (void *)slot; // NOLINT(performance-no-int-to-ptr)
    const struct iovec here = {&function, sizeof function}, there = {at, sizeof function};
    long written = syscall(SYS_process_vm_writev, (long)getpid(), &here, 1L, &there, 1L, 0L);
    if (written == (long)sizeof function)
        return;
    bool is_sealed = errno == EFAULT;
    uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)(slot & ~(bytes - 1)); // NOLINT(performance-no-int-to-ptr)
    if (mprotect(page, bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    memcpy(at, &function, sizeof function);
    if (is_sealed)
        (void)mprotect(page, bytes, PROT_READ);
}

static void redirect(const struct tables *t, const Elf64_Rela *entry,
                     const struct spur_library_call *calls, size_t n)
{
    uint32_t type = ELF64_R_TYPE(entry->r_info);
    if (type != (uint32_t)OF_CALL && type != (uint32_t)OF_ADDRESS)
        return;
    const char *name = t->name + t->symbol[ELF64_R_SYM(entry->r_info)].st_name;
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, calls[i].name) == 0)
            put(t->map->l_addr + entry->r_offset, calls[i].instead);
}

void spur_library_redirect(void *library, const struct spur_library_call *calls, size_t n)
{
    struct tables t;
    int saved = errno;
    if (find_tables(library, &t)) {
        for (size_t i = 0; i < t.call_bytes / sizeof *t.call; i++)
            redirect(&t, &t.call[i], calls, n);
        for (size_t i = 0; i < t.other_bytes / sizeof *t.other; i++)
            redirect(&t, &t.other[i], calls, n);
    }
    errno = saved;
}
