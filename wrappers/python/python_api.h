/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter in the process, if any: its functions, version and layout. */
#ifndef PYTHON_API_H
#define PYTHON_API_H

#include "wrappers/kit/wrapper.h"

/* Words of python_layouts.def. */
enum python_instruction { PYTHON_BYTES, PYTHON_UNITS, PYTHON_POINTER };
enum python_entry { PYTHON_ALL, PYTHON_FLAGGED, PYTHON_SHIM };
enum python_lines { PYTHON_STEPS, PYTHON_RANGES, PYTHON_ENTRIES };
enum { PYTHON_DIRECT = -1 };

struct python_layout {
    int minor;
    int state, top, code, caller;
    enum python_instruction how;
    int instruction;
    enum python_entry entry;
    int mark, ascii, compact;
    enum python_lines lines;
};

/* A row of tp_members, as PyMemberDef. */
struct python_member {
    const char *name;
    int type;
    int64_t offset;
    int flags;
    const char *doc;
};

struct python {
#define API(type, name, parameters) type(*name) parameters;
#define API_OR(type, name, other, parameters) type(*name) parameters;
#define API_TYPE(name) const char *name;
#include "wrappers/python/python_api.def"
    char version[16];                   /* "3.11.2" */
    const struct python_layout *layout; /* NULL: of an unknown version */
    /* In a code object: pointers to objects, but for `begin`, a number; and the instructions. */
    int function, file, lines, begin, instructions;
};

/*
 * The interpreter of the process. NULL: no interpreter, or an interpreter without a needed symbol.
 * Takes the loader's lock when the interpreter is not known yet.
 */
const struct python *python_find(void);
/* The same for an interpreter that begins: `caller` is an address in the interpreter. */
const struct python *python_find_for(const void *caller);
/* The version of an interpreter without a needed symbol, such as an old version; NULL: no such
 * interpreter. */
const char *python_unknown(void);
/* The oldest and the newest version, 3.oldest and 3.newest, that have a layout. */
struct python_minors {
    int oldest, newest;
};
struct python_minors python_minors(void);
/* At the start, if the interpreter is there already: later the loader may be at work. */
void python_find_early(void);
/* The interpreter, if already found. Async-signal-safe. */
const struct python *python_found(void);

/* A symbol of the interpreter, NULL if missing. Takes the loader's lock. */
void *python_symbol(const char *name);
/* The same, for `*to`, a pointer of any type. */
bool python_find_symbol(const char *name, void *to);

/* A word of an object. */
static inline const char *python_pointer(const char *object, int offset)
{
    const char *pointer;
    memcpy(&pointer, object + offset, sizeof pointer);
    return pointer;
}

static inline int64_t python_number(const char *object, int offset)
{
    int64_t number;
    memcpy(&number, object + offset, sizeof number);
    return number;
}

static inline int python_int(const char *object, int offset)
{
    int number;
    memcpy(&number, object + offset, sizeof number);
    return number;
}

/* The heads of objects, the same in all versions. */
enum {
    PYTHON_TYPE = 8,     /* of an object */
    PYTHON_SIZE = 16,    /* number of items: of strings characters */
    PYTHON_HASH = 24,    /* of a string, -1: not computed */
    PYTHON_STATE = 32,   /* of a string */
    PYTHON_CONTENT = 32, /* of a bytes object */
    PYTHON_TYPE_NAME = 24,
    PYTHON_TYPE_BYTES = 32,    /* of an object without items */
    PYTHON_TYPE_MEMBERS = 240, /* a table of struct python_member */
};

#endif
