/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <link.h> /* ElfW() */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"
#include "code/code_lookup.h"

enum { TABLE_MAX = 1 << 30, SECTIONS_MAX = 1 << 20 };

struct symbol {
    uint64_t start, size; /* size 0: up to the next one */
    const char *name;
};

struct spur_symbols {
    char *text;        /* the names */
    struct symbol *at; /* by start */
    size_t n;
};

void *spur_code_load(int fd, uint64_t offset, uint64_t bytes)
{
    struct stat file;
    if (fstat(fd, &file) < 0 || bytes > TABLE_MAX || offset > (uint64_t)file.st_size ||
        bytes > (uint64_t)file.st_size - offset)
        return NULL;
    char *memory = malloc((size_t)bytes + 1);
    if (!memory)
        return NULL;
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = pread(fd, memory + done, (size_t)(bytes - done), (off_t)(offset + done));
        if (n <= 0) {
            free(memory);
            return NULL;
        }
        done += (uint64_t)n;
    }
    memory[bytes] = '\0';
    return memory;
}

static ElfW(Shdr) * load_sections(int fd, uint64_t *n)
{
    ElfW(Ehdr) *head = spur_code_load(fd, 0, sizeof *head);
    ElfW(Shdr) *sections = NULL;
    *n = 0;
    if (head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_shoff &&
        head->e_shentsize == sizeof *sections) {
        *n = head->e_shnum;
        if (*n == 0) { /* more than the field holds: the first section tells */
            ElfW(Shdr) *first = spur_code_load(fd, head->e_shoff, sizeof *first);
            *n = first && first->sh_size < SECTIONS_MAX ? first->sh_size : 0;
            free(first);
        }
        sections = spur_code_load(fd, head->e_shoff, *n * sizeof *sections);
    }
    free(head);
    return sections;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    int order = (left->start > right->start) - (left->start < right->start);
    return order ? order : (left->name > right->name) - (left->name < right->name);
}

static bool is_of(enum spur_symbol_kind kind, const ElfW(Sym) * symbol)
{
    unsigned type = symbol->st_info & 0xf;
    if (kind == SPUR_VARIABLES)
        return type == STT_OBJECT && symbol->st_size;
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static void take_symbols(struct spur_symbols *symbols, enum spur_symbol_kind kind,
                         const ElfW(Sym) * symbol, uint64_t n, uint64_t text_bytes)
{
    symbols->at = calloc((size_t)n, sizeof *symbols->at);
    for (uint64_t i = 0; i < n && symbols->at; i++) {
        if (is_of(kind, &symbol[i]) && symbol[i].st_shndx != SHN_UNDEF &&
            symbol[i].st_name < text_bytes)
            symbols->at[symbols->n++] = (struct symbol){symbol[i].st_value, symbol[i].st_size,
                                                        symbols->text + symbol[i].st_name};
    }
    if (symbols->n)
        qsort(symbols->at, symbols->n, sizeof *symbols->at, compare_symbols);
}

static struct spur_symbols *take_table(int fd, enum spur_symbol_kind kind, const ElfW(Shdr) * table,
                                       const ElfW(Shdr) * names)
{
    struct spur_symbols *symbols = calloc(1, sizeof *symbols);
    ElfW(Sym) *symbol = spur_code_load(fd, table->sh_offset, table->sh_size);
    if (symbols)
        symbols->text = spur_code_load(fd, names->sh_offset, names->sh_size);
    if (symbol && symbols && symbols->text)
        take_symbols(symbols, kind, symbol, table->sh_size / sizeof *symbol, names->sh_size);
    free(symbol);
    if (symbols && symbols->n)
        return symbols;
    if (symbols)
        spur_symbols_close(symbols);
    return NULL;
}

struct spur_symbols *spur_symbols_open(int fd, enum spur_symbol_kind kind)
{
    static const uint32_t tables[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct spur_symbols *symbols = NULL;
    uint64_t n;
    ElfW(Shdr) *section = load_sections(fd, &n);
    for (int table = 0; section && table < 2; table++)
        for (uint64_t i = 0; i < n && !symbols; i++)
            if (section[i].sh_type == tables[table] && section[i].sh_link < n)
                symbols = take_table(fd, kind, &section[i], &section[section[i].sh_link]);
    free(section);
    return symbols;
}

/*
 * Code is made where other code was: of two lines that overlap, the later one tells what is there
 * now. Names lie in the file as their lines do, so the later one is that of the greater name.
 */
static void drop_replaced(struct spur_symbols *symbols)
{
    size_t kept = 0;
    for (size_t i = 0; i < symbols->n; i++) {
        const struct symbol *next = &symbols->at[i];
        bool is_replaced = false;
        while (kept && next->start - symbols->at[kept - 1].start < symbols->at[kept - 1].size &&
               !is_replaced) {
            is_replaced = next->name < symbols->at[kept - 1].name;
            kept -= !is_replaced;
        }
        if (!is_replaced)
            symbols->at[kept++] = *next;
    }
    symbols->n = kept;
}

/* "start size name", numbers in hexadecimal, in any order. */
struct spur_symbols *spur_symbols_open_perf(int fd)
{
    struct stat file;
    struct spur_symbols *symbols = calloc(1, sizeof *symbols);
    size_t lines = 1;
    if (symbols && fstat(fd, &file) == 0)
        symbols->text = spur_code_load(fd, 0, (uint64_t)file.st_size);
    for (const char *at = symbols ? symbols->text : NULL; at; at = strchr(at + 1, '\n'))
        lines++;
    if (symbols && symbols->text)
        symbols->at = calloc(lines, sizeof *symbols->at);
    char *rest = NULL;
    for (char *line = symbols && symbols->at ? strtok_r(symbols->text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *at = line;
        uint64_t start = strtoull(at, &at, 16), size = strtoull(at, &at, 16);
        if (size && *at == ' ')
            symbols->at[symbols->n++] = (struct symbol){start, size, at + 1};
    }
    if (symbols && symbols->n) {
        qsort(symbols->at, symbols->n, sizeof *symbols->at, compare_symbols);
        drop_replaced(symbols);
        return symbols;
    }
    if (symbols)
        spur_symbols_close(symbols);
    return NULL;
}

void spur_symbols_close(struct spur_symbols *symbols)
{
    free(symbols->text);
    free(symbols->at);
    free(symbols);
}

const char *spur_symbols_find(const struct spur_symbols *symbols, uint64_t address,
                              uint64_t *distance)
{
    size_t n = spur_bisect(symbols->at, symbols->n, sizeof *symbols->at, address);
    if (n == 0)
        return NULL;
    const struct symbol *symbol = &symbols->at[n - 1];
    *distance = address - symbol->start;
    return symbol->size == 0 || *distance < symbol->size ? symbol->name : NULL;
}
