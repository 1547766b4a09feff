/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/cfi.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/spur_frames.h"
#include "agent/stacks/cfi_program.h"
#include "agent/stacks/code_map.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/readable.h"

enum { RULES = 1024, ENTRIES = 8192, RULE_BITS = 16, HEADERS_MAX = 32, ENTRY_BYTES_MAX = 4096 };

static struct {
    struct spur_lock lock;
    struct spur_cfi_rule *rule; /* distinct rules; never changed once counted */
    uint32_t rules;
    _Atomic uint64_t *known;  /* address << RULE_BITS | number of the rule, or NO_RULE */
    _Atomic uint32_t unloads; /* for which `known` holds */
    uintptr_t head, table;    /* the last object, and its search table */
    int pid;
    uint8_t cie[ENTRY_BYTES_MAX], fde[ENTRY_BYTES_MAX];
} cfi;

#define NO_RULE ((1u << RULE_BITS) - 1)

size_t spur_cfi_read(uintptr_t from, void *to, size_t bytes)
{
    const struct iovec there = {(void *)from, bytes}; // NOLINT(performance-no-int-to-ptr)
    return spur_read_vectors(cfi.pid, &(struct iovec){to, bytes}, 1, &there, 1);
}

static bool read_all(uintptr_t from, void *to, size_t bytes)
{
    return spur_cfi_read(from, to, bytes) == bytes;
}

/* ---- an address's entry in .eh_frame ---- */

/* The search table of the object whose file begins at `head`; 0: the object has no table. */
static uintptr_t find_search_table(uintptr_t head)
{
    Elf64_Ehdr elf;
    Elf64_Phdr header[HEADERS_MAX];
    if (!read_all(head, &elf, sizeof elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phnum > HEADERS_MAX ||
        elf.e_phentsize != sizeof header[0] ||
        !read_all(head + elf.e_phoff, header, elf.e_phnum * sizeof header[0]))
        return 0;
    uintptr_t bias = 0;
    uintptr_t table = 0;
    for (int i = elf.e_phnum - 1; i >= 0; i--) {
        if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
            bias = head - header[i].p_vaddr;
        else if (header[i].p_type == PT_GNU_EH_FRAME)
            table = header[i].p_vaddr;
    }
    return table ? table + bias : 0;
}

struct row {
    int32_t address, entry; /* relative to the table */
};

enum { PROBES = 16 };

/* Reads the rows `first`, `first` + `step`, ... by a single system call. */
static bool read_rows(uintptr_t rows, uint32_t first, uint32_t step, uint32_t n, struct row *to)
{
    struct iovec piece[PROBES];
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t at = rows + (uintptr_t)(first + i * step) * sizeof *to;
        piece[i] = (struct iovec){(void *)at, sizeof *to}; // NOLINT(performance-no-int-to-ptr)
    }
    const struct iovec all = {to, n * sizeof *to};
    return spur_read_vectors(cfi.pid, &all, 1, piece, n) == all.iov_len;
}

/* The entry with the highest address that is not above `pc`; 0: no entry. */
static uintptr_t search(uintptr_t table, uintptr_t pc)
{
    enum { FORM = 0x3b031b01 }; /* the form of all linkers: offsets of 4 bytes, sorted */
    struct {
        uint32_t form;
        int32_t frames;
        uint32_t n;
    } head;
    struct row row[PROBES];
    if (!read_all(table, &head, sizeof head) || head.form != FORM || head.n > INT32_MAX)
        return 0;
    uint32_t low = 0, n = head.n; /* rows that may be the wanted row */
    uintptr_t entry = 0;
    while (n) {
        uint32_t step = (n + PROBES - 1) / PROBES;
        uint32_t probes = (n + step - 1) / step;
        if (!read_rows(table + sizeof head, low, step, probes, row))
            return 0;
        uint32_t i = 0;
        while (i < probes && table + (uintptr_t)(intptr_t)row[i].address <= pc)
            i++;
        if (i == 0)
            return entry;
        entry = table + (uintptr_t)(intptr_t)row[i - 1].entry;
        n = (i < probes ? i * step : n) - (i - 1) * step - 1;
        low += (i - 1) * step + 1;
    }
    return entry;
}

/* Reads the bytes of an entry behind its length; 0: the entry is too long, or gone. */
static size_t read_entry(uintptr_t at, uint8_t *to)
{
    uint32_t length;
    if (!read_all(at, &length, sizeof length) || length < sizeof length ||
        length > ENTRY_BYTES_MAX || !read_all(at + sizeof length, to, length))
        return 0;
    return length;
}

/* Finds the entries of .eh_frame for `pc`; false: no entries. */
static bool find_entries(uintptr_t pc, struct cfi_entry *cie, struct cfi_entry *fde)
{
    uintptr_t head = spur_code_head((const void *)pc); // NOLINT(performance-no-int-to-ptr)
    if (head != cfi.head)
        cfi.table = head ? find_search_table(head) : 0;
    cfi.head = head;
    uintptr_t entry = cfi.table ? search(cfi.table, pc) : 0;
    *fde = (struct cfi_entry){.bytes = cfi.fde, .at = entry + sizeof(uint32_t)};
    fde->length = entry ? read_entry(entry, cfi.fde) : 0;
    if (!fde->length)
        return false;
    uint32_t back;
    memcpy(&back, cfi.fde, sizeof back);
    *cie = (struct cfi_entry){.bytes = cfi.cie, .at = fde->at - back + sizeof(uint32_t)};
    cie->length = read_entry(fde->at - back, cfi.cie);
    return cie->length;
}

static const struct cfi_processor *const processor = &cfi_processors[SPUR_HERE];

/*
 * Derives the rule from the code. A handler returns to the beginning of the code at its end, so
 * `pc` is the byte before: an odd address, and no address of an instruction. On some systems
 * .eh_frame does not describe that code well enough.
 */
static bool derive_by_code(uintptr_t pc, bool is_end, struct spur_cfi_rule *rule)
{
    uint8_t code[CFI_CODE_BYTES];
    size_t bytes = SPUR_CELL(PUSHED) ? 0 : spur_cfi_read(pc + (pc & is_end), code, sizeof code);
    return bytes && cfi_by_code(processor, code, bytes, is_end, rule);
}

static bool derive(uintptr_t pc, struct spur_cfi_rule *rule)
{
    struct cfi_entry cie, fde;
    if (derive_by_code(pc, true, rule))
        return true;
    if (find_entries(pc, &cie, &fde) && cfi_run(processor, &cie, &fde, pc, rule))
        return true;
    return derive_by_code(pc, false, rule);
}

/* ---- known rules ---- */

static size_t place_of(uintptr_t pc)
{
    return (size_t)((pc * 0x9e3779b97f4a7c15u) >> 32) & (ENTRIES - 1);
}

static bool is_same_place(const struct spur_cfi_place *a, const struct spur_cfi_place *b)
{
    return a->base == b->base && a->is_read == b->is_read && a->offset == b->offset;
}

static bool is_same(const struct spur_cfi_rule *a, const struct spur_cfi_rule *b)
{
    return is_same_place(&a->frame, &b->frame) && is_same_place(&a->pointer, &b->pointer) &&
           is_same_place(&a->address, &b->address) && a->is_signal == b->is_signal &&
           a->is_plt == b->is_plt;
}

/* Call with the lock. Returns the number of the rule, or NO_RULE. */
static uint32_t intern(const struct spur_cfi_rule *rule)
{
    for (uint32_t i = 0; i < cfi.rules; i++)
        if (is_same(&cfi.rule[i], rule))
            return i;
    if (cfi.rules == RULES)
        return NO_RULE;
    cfi.rule[cfi.rules] = *rule;
    return cfi.rules++;
}

static void forget_object(void)
{
    cfi.head = cfi.table = 0;
}

/*
 * Call with the lock. A thread that finds the new number in `unloads` finds no older rule in
 * `known`.
 */
static void forget_unloaded(void)
{
    uint32_t unloads = spur_code_unloads();
    if (atomic_load_explicit(&cfi.unloads, memory_order_relaxed) == unloads)
        return;
    forget_object();
    for (size_t i = 0; i < ENTRIES; i++)
        atomic_store_explicit(&cfi.known[i], 0, memory_order_relaxed);
    atomic_store_explicit(&cfi.unloads, unloads, memory_order_release);
}

static uint32_t learn_here(uintptr_t pc)
{
    struct spur_cfi_rule rule;
    memset(&rule, 0, sizeof rule);
    int saved = errno;
    spur_lock_take(&cfi.lock);
    forget_unloaded();
    uint32_t number = derive(pc, &rule) ? intern(&rule) : NO_RULE;
    atomic_store_explicit(&cfi.known[place_of(pc)], (uint64_t)pc << RULE_BITS | number,
                          memory_order_release);
    spur_lock_give(&cfi.lock);
    errno = saved;
    return number;
}
static uint32_t learn(uintptr_t pc);
SPUR_DOOR(uint32_t, learn, (uintptr_t, pc))

bool spur_cfi_find(uintptr_t pc, struct spur_cfi_rule *rule)
{
    if (!cfi.known)
        return false;
    bool is_of_now =
        atomic_load_explicit(&cfi.unloads, memory_order_acquire) == spur_code_unloads();
    uint64_t entry = atomic_load_explicit(&cfi.known[place_of(pc)], memory_order_acquire);
    bool is_known =
        is_of_now && entry && entry >> RULE_BITS == (uint64_t)pc << RULE_BITS >> RULE_BITS;
    uint32_t number = is_known ? (uint32_t)entry & NO_RULE : learn(pc);
    if (number == NO_RULE)
        return false;
    *rule = cfi.rule[number];
    return true;
}

/* ---- parts of functions ---- */

static bool find_part(uintptr_t address, struct spur_code_part *part)
{
    struct cfi_entry cie, fde;
    spur_lock_take(&cfi.lock);
    bool is_known = find_entries(address, &cie, &fde) &&
                    cfi_range(processor, &cie, &fde, &part->start, &part->end) &&
                    address >= part->start && address < part->end;
    spur_lock_give(&cfi.lock);
    return is_known;
}

/* A function begins with only the return address on the stack. */
static bool spur_code_part_here(uintptr_t address, struct spur_code_part *part)
{
    struct spur_cfi_rule rule;
    int saved = errno;
    bool is_known =
        spur_cfi_start() && find_part(address, part) && spur_cfi_find(part->start, &rule);
    errno = saved;
    if (is_known)
        part->is_beginning = rule.frame.base == SPUR_CELL(STACK) && !rule.frame.is_read &&
                             rule.frame.offset == SPUR_CELL(PUSHED);
    return is_known;
}
SPUR_DOOR(bool, spur_code_part, (uintptr_t, address), (struct spur_code_part *, part))

/* ---- the start ---- */

bool spur_cfi_start(void)
{
    uint32_t word;
    if (SPUR_HERE == SPUR_NONE)
        return false;
    cfi.pid = (int)getpid();
    if (cfi.known)
        return true;
    if (!read_all((uintptr_t)&cfi.lock, &word, sizeof word))
        return false;
    cfi.rule = spur_mem_new(RULES * sizeof *cfi.rule);
    _Atomic uint64_t *known = spur_mem_new(ENTRIES * sizeof *known);
    if (cfi.rule)
        cfi.known = known;
    return cfi.known;
}

/* Known rules stay true: the child has the same objects at the same addresses. */
void spur_cfi_after_fork(void)
{
    spur_lock_reset(&cfi.lock);
    forget_object(); /* a thread of the parent may have been between the head and the table */
    cfi.pid = (int)getpid();
}
