/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an address in an object, as linked, to function, file and line. Part of the program
 * spur-code, never of a traced program: the functions use the C library's heap, and libraries
 * opened at run time, which may be led astray by the content of a file. One thread.
 */
#ifndef SPUR_CODE_LOOKUP_H
#define SPUR_CODE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One function at an address. Texts are never NULL; "" and 0: not known. */
struct spur_frame {
    const char *function; /* as in its source, demangled */
    const char *file;     /* absolute if the compiler wrote an absolute path */
    uint32_t line;
    const char *source; /* where the function is declared: a file as above, */
    uint32_t begin;     /* and a line */
    uint64_t offset;    /* where a function without a name begins; 0: not known */
};

/* Called from the innermost function outwards: depth 0, 1, ... The frame is borrowed. */
typedef void spur_frame_each(void *data, uint32_t depth, const struct spur_frame *frame);

/* ---- dwarf.c: debug information, by libdw ---- */

/* Is there a usable libdw.so.1? */
bool spur_dwarf_is_there(void);

/*
 * An object and its debug information. The debug information may be in a separate file, where the
 * distribution puts such files; nothing is fetched from the network. `fd` is not kept. NULL: no
 * libdw, or libdw cannot read the object. Without debug information the functions come from the
 * symbol table.
 */
struct spur_dwarf *spur_dwarf_open(const char *path, int fd);
void spur_dwarf_close(struct spur_dwarf *dwarf);
/* False: nothing is known of the address, and `each` was not called. */
bool spur_dwarf_find(struct spur_dwarf *dwarf, uint64_t address, spur_frame_each *each, void *data);
/*
 * The variable at the address, as the linker calls it, borrowed; NULL: no variable. *distance: from
 * the beginning of the variable to the address.
 */
const char *spur_dwarf_variable(const struct spur_dwarf *dwarf, uint64_t address,
                                uint64_t *distance);

/* ---- dwarf_calls.c: calls that were jumps ---- */

/*
 * Functions on no stack, since their last act was a jump to the next function (a tail call): `each`
 * is called for the functions between the call that returns to address + 1 and the function that
 * was found to be called, from the innermost outwards. The called function is the function at
 * `callee`, or the function with the name, if not NULL. Where several ways lead from the call to
 * the function, only the common beginning and the common end of the ways count, as in gdb.
 */
void spur_dwarf_tail_calls(struct spur_dwarf *dwarf, uint64_t address, uint64_t callee,
                           const char *name, spur_frame_each *each, void *data);

/* ---- symbols.c: without libdw ---- */

enum spur_symbol_kind { SPUR_FUNCTIONS, SPUR_VARIABLES };

/* The symbols of an object's symbol table, or of its dynamic symbol table. NULL: no symbols. */
struct spur_symbols *spur_symbols_open(int fd, enum spur_symbol_kind kind);
/* The symbols of /tmp/perf-PID.map, for code that a program has made. */
struct spur_symbols *spur_symbols_open_perf(int fd);
void spur_symbols_close(struct spur_symbols *symbols);
/* The symbol at the address, as spur_dwarf_variable(). */
const char *spur_symbols_find(const struct spur_symbols *symbols, uint64_t address,
                              uint64_t *distance);

/* `bytes` of the file and a zero behind them, the caller's; NULL: beyond the file, or too many. */
void *spur_code_load(int fd, uint64_t offset, uint64_t bytes);

/* ---- extents.c: functions without a name ---- */

/*
 * Where the functions of an object begin and end, by the table for unwinding that even a stripped
 * object has (.eh_frame_hdr, Linux Standard Base). `fd` is kept. NULL: no table.
 */
struct spur_extents *spur_extents_open(int fd);
void spur_extents_close(struct spur_extents *extents);
/* The beginning of the function around the address; false: not known. */
bool spur_extents_find(const struct spur_extents *extents, uint64_t address, uint64_t *begin);

/* ---- demangle.c ---- */

/*
 * A linker's name as in the source, if libstdc++ or libiberty knows the encoding; else unchanged.
 * Borrowed till the next call.
 */
const char *spur_demangle(const char *name);

#endif
