/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations for the files that read debug information by libdw, opened at run time. */
#ifndef SPUR_DWARF_H
#define SPUR_DWARF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/code_lookup.h"

/* ---- libdw as we need it: opaque except for structures that callers allocate ---- */

struct Dwfl;
struct Dwfl_Module;
struct Dwarf_Line;
struct Dwarf_Lines;
struct Dwarf_Files;
struct Elf;

struct dwarf_die {
    void *address;
    void *unit;
    void *abbreviation;
    long padding;
};

struct dwarf_attribute {
    unsigned code, form;
    unsigned char *value;
    void *unit;
};

struct dwfl_callbacks {
    void *find_elf; /* for modules reported without their file */
    int (*find_debuginfo)(struct Dwfl_Module *, void **, const char *, uint64_t, const char *,
                          const char *, uint32_t, char **);
    int (*section_address)(struct Dwfl_Module *, void **, const char *, uint64_t, const char *,
                           uint32_t, const void *, uint64_t *);
    char **debuginfo_path;
};

/* Numbers of the DWARF standard. */
enum {
    TAG_ENTRY_POINT = 0x03,
    TAG_LEXICAL_BLOCK = 0x0b,
    TAG_INLINED_SUBROUTINE = 0x1d,
    TAG_SUBPROGRAM = 0x2e,
    TAG_NAMESPACE = 0x39,
    TAG_CALL_SITE = 0x48,
    TAG_GNU_CALL_SITE = 0x4109,
    AT_NAME = 0x03,
    AT_LOW_PC = 0x11,
    AT_COMP_DIR = 0x1b,
    AT_ABSTRACT_ORIGIN = 0x31,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_LINKAGE_NAME = 0x6e,
    AT_CALL_RETURN_PC = 0x7d,
    AT_CALL_ORIGIN = 0x7f,
    AT_CALL_PC = 0x81,
    AT_CALL_TAIL_CALL = 0x82,
    AT_GNU_TAIL_CALL = 0x2115,
};

struct spur_libdw {
#define CALL(type, name, parameters) type(*name) parameters;
#include "code/libdw_calls.def"
    bool is_there;
};

/* Set by spur_dwarf_is_there(). */
extern struct spur_libdw spur_libdw;

/* ---- an object ---- */

/* Addresses of a unit of the debug information. */
struct span {
    uint64_t start, end;
    struct dwarf_die *unit;
};

struct spur_dwarf {
    struct Dwfl *dwfl;
    struct Dwfl_Module *module;
    struct dwfl_callbacks callbacks;
    char *debuginfo_path; /* NULL: libdw's own */
    uint64_t bias;        /* from addresses as linked to libdw's */
    bool has_spans;
    struct span *span; /* by start */
    size_t n_spans, room;
    struct spur_dwarf_function *function; /* by name, once listed */
    size_t n_functions;
    bool has_functions;
};

/* ---- dwarf.c ---- */

/* The unit of an address of libdw's, and the difference between the unit's addresses and libdw's;
 * NULL: no unit. */
struct dwarf_die *spur_dwarf_unit(struct spur_dwarf *d, uint64_t address, uint64_t *bias);

/* The text of an attribute; if need be, of the function's declaration. "": no text. */
const char *spur_dwarf_text(struct dwarf_die *die, unsigned name);

/* The value of an attribute as a number by `form` (spur_libdw.dwarf_formudata, ...). 0: no
 * value. */
uint64_t spur_dwarf_number(struct dwarf_die *die, unsigned name,
                           int (*form)(struct dwarf_attribute *, uint64_t *));

/* The linker's name if the debug information has one, else the name in the source. "": no name. */
const char *spur_dwarf_name(struct dwarf_die *function);

/* ---- dwarf_calls.c ---- */

void spur_dwarf_free_functions(struct spur_dwarf *d);

#endif
