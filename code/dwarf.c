/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/dwarf.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"

struct spur_libdw spur_libdw;

static bool find_call(void *library, const char *name, void *call)
{
    void *address = dlsym(library, name);
    if (address)
        memcpy(call, &address, sizeof address); /* ISO C knows no cast from data to function */
    return address != NULL;
}

bool spur_dwarf_is_there(void)
{
    static bool was_tried;
    if (was_tried)
        return spur_libdw.is_there;
    was_tried = true;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    spur_libdw.is_there = library != NULL;
#define CALL(type, name, parameters)                                                               \
    spur_libdw.is_there =                                                                          \
        spur_libdw.is_there && find_call(library, #name, (void *)&spur_libdw.name);
#include "code/libdw_calls.def"
    return spur_libdw.is_there;
}

/* ---- an object ---- */

struct spur_dwarf *spur_dwarf_open(const char *path, int fd)
{
    struct spur_dwarf *d = spur_dwarf_is_there() ? calloc(1, sizeof *d) : NULL;
    int own = d ? dup(fd) : -1;
    if (own < 0) {
        free(d);
        return NULL;
    }
    d->callbacks =
        (struct dwfl_callbacks){NULL, spur_libdw.dwfl_standard_find_debuginfo,
                                spur_libdw.dwfl_offline_section_address, &d->debuginfo_path};
    d->dwfl = spur_libdw.dwfl_begin(&d->callbacks);
    d->module = d->dwfl ? spur_libdw.dwfl_report_offline(d->dwfl, path, path, own) : NULL;
    if (!d->module)
        close(own);
    if (d->module && spur_libdw.dwfl_report_end(d->dwfl, NULL, NULL) == 0 &&
        spur_libdw.dwfl_module_getelf(d->module, &d->bias))
        return d;
    spur_dwarf_close(d);
    return NULL;
}

void spur_dwarf_close(struct spur_dwarf *dwarf)
{
    if (dwarf->dwfl)
        spur_libdw.dwfl_end(dwarf->dwfl);
    free(dwarf->span);
    spur_dwarf_free_functions(dwarf);
    free(dwarf);
}

/* ---- the unit of an address ---- */

static void add_span(struct spur_dwarf *d, struct span span)
{
    enum { FIRST_ROOM = 1024 };
    if (d->n_spans == d->room) {
        size_t room = d->room ? 2 * d->room : FIRST_ROOM;
        struct span *more = realloc(d->span, room * sizeof *more);
        if (!more)
            return;
        d->span = more;
        d->room = room;
    }
    d->span[d->n_spans++] = span;
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/*
 * Not all compilers write the table of addresses that libdw uses; the units contain the addresses
 * as well.
 */
static void list_spans(struct spur_dwarf *d)
{
    uint64_t bias, base, start, end;
    d->has_spans = true;
    for (struct dwarf_die *unit = NULL;
         (unit = spur_libdw.dwfl_module_nextcu(d->module, unit, &bias)) != NULL;)
        for (ptrdiff_t at = 0; (at = spur_libdw.dwarf_ranges(unit, at, &base, &start, &end)) > 0;)
            add_span(d, (struct span){start + bias, end + bias, unit});
    if (d->n_spans)
        qsort(d->span, d->n_spans, sizeof *d->span, compare_spans);
}

struct dwarf_die *spur_dwarf_unit(struct spur_dwarf *d, uint64_t address, uint64_t *bias)
{
    struct dwarf_die *unit = spur_libdw.dwfl_module_addrdie(d->module, address, bias);
    if (unit)
        return unit;
    if (!d->has_spans)
        list_spans(d);
    size_t n = spur_bisect(d->span, d->n_spans, sizeof *d->span, address);
    if (n == 0 || address >= d->span[n - 1].end)
        return NULL;
    /* The bias is the same for all units of a file. */
    (void)spur_libdw.dwfl_module_nextcu(d->module, NULL, bias);
    return d->span[n - 1].unit;
}

/* ---- contents of an entry ---- */

const char *spur_dwarf_text(struct dwarf_die *die, unsigned name)
{
    struct dwarf_attribute attribute;
    const char *text = spur_libdw.dwarf_attr_integrate(die, name, &attribute)
                           ? spur_libdw.dwarf_formstring(&attribute)
                           : NULL;
    return text ? text : "";
}

uint64_t spur_dwarf_number(struct dwarf_die *die, unsigned name,
                           int (*form)(struct dwarf_attribute *, uint64_t *))
{
    struct dwarf_attribute attribute;
    uint64_t number;
    return spur_libdw.dwarf_attr(die, name, &attribute) && form(&attribute, &number) == 0 ? number
                                                                                          : 0;
}

const char *spur_dwarf_name(struct dwarf_die *function)
{
    const char *linkage = spur_dwarf_text(function, AT_LINKAGE_NAME);
    return linkage[0] ? linkage : spur_dwarf_text(function, AT_NAME);
}

static bool is_function(struct dwarf_die *die)
{
    int tag = spur_libdw.dwarf_tag(die);
    return tag == TAG_INLINED_SUBROUTINE || tag == TAG_SUBPROGRAM || tag == TAG_ENTRY_POINT;
}

/* File and line of a frame. */
struct position {
    char file[PATH_MAX];
    uint32_t line;
};

/*
 * A path may be relative to the working directory of the compiler. If the directory is relative
 * itself, the directory is no help.
 */
static void set_file(struct position *position, struct dwarf_die *unit, const char *file)
{
    const char *folder = file && file[0] != '/' ? spur_dwarf_text(unit, AT_COMP_DIR) : "";
    bool is_prefixed = folder[0] == '/';
    snprintf(position->file, sizeof position->file, "%s%s%s", is_prefixed ? folder : "",
             is_prefixed ? "/" : "", file ? file : "");
}

static void set_position(struct position *position, struct dwarf_die *unit, struct Dwarf_Line *line)
{
    int number = 0;
    *position = (struct position){.line = 0};
    if (!line || spur_libdw.dwarf_lineno(line, &number) != 0 || number <= 0)
        return;
    set_file(position, unit, spur_libdw.dwarf_linesrc(line, NULL, NULL));
    position->line = (uint32_t)number;
}

static uint64_t address_of(struct Dwarf_Lines *lines, size_t row)
{
    uint64_t address = 0;
    (void)spur_libdw.dwarf_lineaddr(spur_libdw.dwarf_onesrcline(lines, row), &address);
    return address;
}

static bool begins_statement(struct Dwarf_Line *line)
{
    bool begins = false, ends = true;
    return spur_libdw.dwarf_linebeginstatement(line, &begins) == 0 && begins &&
           spur_libdw.dwarf_lineendsequence(line, &ends) == 0 && !ends;
}

/*
 * The row of the line table for a function that begins at the address: the first row of the address
 * that begins a statement. Other rows may belong to the code that ends there. NULL: no row.
 */
static struct Dwarf_Line *first_line(struct dwarf_die *unit, uint64_t address)
{
    struct Dwarf_Lines *lines;
    size_t n, from = 0;
    if (spur_libdw.dwarf_getsrclines(unit, &lines, &n) != 0)
        return NULL;
    for (size_t to = n; from < to;) {
        size_t middle = from + (to - from) / 2;
        if (address_of(lines, middle) < address)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < n && address_of(lines, from) == address; from++) {
        struct Dwarf_Line *line = spur_libdw.dwarf_onesrcline(lines, from);
        if (begins_statement(line))
            return line;
    }
    return NULL;
}

/* The position of the call into which the function `die` was inlined. */
static void find_call_position(struct dwarf_die *unit, struct dwarf_die *die,
                               struct position *position)
{
    struct Dwarf_Files *files;
    size_t n;
    uint64_t file = spur_dwarf_number(die, AT_CALL_FILE, spur_libdw.dwarf_formudata);
    uint64_t line = spur_dwarf_number(die, AT_CALL_LINE, spur_libdw.dwarf_formudata);
    *position = (struct position){.line = 0};
    if (line == 0 || line > INT_MAX || spur_libdw.dwarf_getsrcfiles(unit, &files, &n) != 0 ||
        file >= n)
        return;
    set_file(position, unit, spur_libdw.dwarf_filesrc(files, (size_t)file, NULL, NULL));
    position->line = (uint32_t)line;
}

/* The position of a function's declaration. */
static void find_declaration(struct dwarf_die *unit, struct dwarf_die *die,
                             struct position *position)
{
    int line = 0;
    const char *file = spur_libdw.dwarf_decl_file(die);
    *position = (struct position){.line = 0};
    if (!file || spur_libdw.dwarf_decl_line(die, &line) != 0 || line <= 0)
        return;
    set_file(position, unit, file);
    position->line = (uint32_t)line;
}

/* Tells the functions around the innermost scope; false: there are no functions. */
static bool each_function(struct dwarf_die *unit, struct dwarf_die *scope, int n,
                          struct position *position, spur_frame_each *each, void *data)
{
    uint32_t depth = 0;
    struct position source;
    for (int i = 0; i < n; i++) {
        if (!is_function(&scope[i]))
            continue;
        find_declaration(unit, &scope[i], &source);
        each(data, depth++,
             &(struct spur_frame){spur_demangle(spur_dwarf_name(&scope[i])), position->file,
                                  position->line, source.file, source.line, 0});
        if (spur_libdw.dwarf_tag(&scope[i]) != TAG_INLINED_SUBROUTINE)
            return true;
        find_call_position(unit, &scope[i], position);
    }
    return depth > 0;
}

/* The function that owns the code, whatever is inlined there. */
static int first_not_inlined(struct dwarf_die *scope, int n)
{
    int i = 0;
    while (i < n &&
           (!is_function(&scope[i]) || spur_libdw.dwarf_tag(&scope[i]) == TAG_INLINED_SUBROUTINE))
        i++;
    return i;
}

static bool find_functions(struct dwarf_die *unit, uint64_t address, bool is_beginning,
                           struct position *position, spur_frame_each *each, void *data)
{
    struct dwarf_die *lexical = NULL, *physical = NULL;
    int n = spur_libdw.dwarf_getscopes(unit, address, &lexical);
    /*
     * Lexically an inlined function is inside its origin; here the place of the inlining is wanted.
     */
    n = n > 0 ? spur_libdw.dwarf_getscopes_die(&lexical[0], &physical) : 0;
    int first = is_beginning ? first_not_inlined(physical, n) : 0;
    bool is_found =
        first < n && each_function(unit, &physical[first], n - first, position, each, data);
    free(lexical);
    free(physical);
    return is_found;
}

/* Without a prologue, the first statement of a function stands at the function's beginning. */
bool spur_dwarf_find(struct spur_dwarf *dwarf, uint64_t address, spur_frame_each *each, void *data)
{
    struct position position = {.line = 0};
    uint64_t bias = 0, offset, at = address + dwarf->bias;
    Elf64_Sym symbol;
    struct dwarf_die *unit = spur_dwarf_unit(dwarf, at, &bias);
    const char *name =
        spur_libdw.dwfl_module_addrinfo(dwarf->module, at, &offset, &symbol, NULL, NULL, NULL);
    if (unit) {
        struct Dwarf_Line *line = name && offset == 0 ? first_line(unit, at - bias) : NULL;
        set_position(&position, unit, line ? line : spur_libdw.dwarf_getsrc_die(unit, at - bias));
        if (find_functions(unit, at - bias, line != NULL, &position, each, data))
            return true;
    }
    if (!name && !position.line)
        return false;
    each(data, 0,
         &(struct spur_frame){name ? spur_demangle(name) : "", position.file, position.line, "", 0,
                              0});
    return true;
}

const char *spur_dwarf_variable(const struct spur_dwarf *dwarf, uint64_t address,
                                uint64_t *distance)
{
    Elf64_Sym symbol;
    const char *name = spur_libdw.dwfl_module_addrinfo(dwarf->module, address + dwarf->bias,
                                                       distance, &symbol, NULL, NULL, NULL);
    /* The nearest variable may end before the address. */
    bool is_there = name && (symbol.st_info & 0xf) == STT_OBJECT && *distance < symbol.st_size;
    return is_there ? name : NULL;
}
