/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/slots.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A changed slot, with the values before and after. */
struct change {
    _Atomic uintptr_t *slot;
    uintptr_t before, after;
};

/*
 * Relocations of this processor: a call, an address that only the loader writes, an address in
 * data.
 */
enum {
    ROW_OF_CALL = R_X86_64_JUMP_SLOT,
    ROW_OF_ADDRESS = R_X86_64_GLOB_DAT,
    ROW_OF_DATA = R_X86_64_64
};

/* In a mapping that doubles in size: nothing lies in the program's heap. */
static struct {
    struct change *at;
    size_t n, room;
} changes;

struct walk {
    const struct attach_object *agent;
    uintptr_t skipped[2]; /* this library and the loader: never changed */
    size_t changed;
};

static bool has_room(void)
{
    enum { FIRST = 4096 };
    if (changes.n < changes.room)
        return true;
    size_t room = changes.room ? 2 * changes.room : FIRST;
    void *grown = mmap(NULL, room * sizeof *changes.at, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (grown == MAP_FAILED)
        return false;
    if (changes.n)
        memcpy(grown, changes.at, changes.n * sizeof *changes.at);
    if (changes.at)
        munmap(changes.at, changes.room * sizeof *changes.at);
    changes.at = grown;
    changes.room = room;
    return true;
}

/* A page that the loader has made read-only is read-only again afterwards. */
static bool write_slot(const struct attach_object *object, _Atomic uintptr_t *slot, uintptr_t value)
{
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t page = (uintptr_t)slot & ~(page_bytes - 1);
    bool is_sealed = page >= (object->relro_start & ~(page_bytes - 1)) &&
                     page + page_bytes <= (object->relro_end & ~(page_bytes - 1));
    if (is_sealed && mprotect((void *)page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    atomic_store_explicit(slot, value, memory_order_release);
    if (is_sealed)
        (void)mprotect((void *)page, page_bytes, PROT_READ);
    return true;
}

/* Is this the function that an object defines by this name? */
static bool is_function(uintptr_t address, const char *name)
{
    struct attach_object object;
    return attach_object_find(&object, (const void *)address) &&
           attach_object_symbol(&object, name) == address;
}

static bool holds(const struct attach_object *object, uintptr_t address)
{
    return address >= object->start && address < object->end;
}

/*
 * Leads a slot to the agent. A slot that leads to the agent already stays: the agent has other
 * functions for libraries of its own, for example libunwind. A slot of a call may not be bound yet:
 * then the slot leads to the binding code. A slot in data is the program's: only a value written
 * there by the loader is replaced. A value of 0 is a weak reference to a missing function.
 */
static void lead_row(struct walk *walk, const struct attach_object *object, const ElfW(Rela) * row)
{
    const unsigned type = ELF64_R_TYPE(row->r_info);
    if (type != ROW_OF_CALL && type != ROW_OF_ADDRESS && type != ROW_OF_DATA)
        return;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(row->r_info)];
    const char *name = object->names + symbol->st_name;
    uintptr_t ours = *name ? attach_object_symbol(walk->agent, name) : 0;
    _Atomic uintptr_t *slot = (_Atomic uintptr_t *)(object->base + row->r_offset);
    uintptr_t before = ours && row->r_addend == 0 ? atomic_load(slot) : 0;
    if (!before || holds(walk->agent, before) || !has_room())
        return;
    if ((type == ROW_OF_DATA && !is_function(before, name)) || !write_slot(object, slot, ours))
        return;
    changes.at[changes.n++] = (struct change){slot, before, ours};
    walk->changed++;
}

static int lead_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct walk *walk = data;
    struct attach_object object;
    (void)size;
    if (!attach_object_read(&object, info) || object.base == walk->agent->base)
        return 0;
    for (size_t i = 0; i < sizeof walk->skipped / sizeof walk->skipped[0]; i++)
        if (holds(&object, walk->skipped[i]))
            return 0;
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; i < object.n_rows[table]; i++)
            lead_row(walk, &object, &object.rows[table][i]);
    return 0;
}

/*
 * A thread that is just binding a slot writes the function found over the agent's function. So the
 * slots are looked at repeatedly until nothing has changed any more.
 */
bool attach_slots_lead(const struct attach_object *agent)
{
    struct walk walk = {.agent = agent, .skipped = {(uintptr_t)&changes, _r_debug.r_ldbase}};
    dl_iterate_phdr(lead_object, &walk);
    return walk.changed != 0;
}

static int give_back_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct attach_object object;
    (void)size;
    (void)data;
    if (!attach_object_read(&object, info))
        return 0;
    for (size_t i = changes.n; i-- > 0;) {
        const struct change *change = &changes.at[i];
        if (holds(&object, (uintptr_t)change->slot) && atomic_load(change->slot) == change->after)
            (void)write_slot(&object, change->slot, change->before);
    }
    return 0;
}

void attach_slots_give_back(void)
{
    dl_iterate_phdr(give_back_object, NULL);
    changes.n = 0;
}
