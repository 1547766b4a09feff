/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the definitions of a trace said, by kind and id, for the records that refer to them. The
 * newest definition of an id is the one that counts; everything lives until the end.
 */
#ifndef PRINT_DEFINITIONS_H
#define PRINT_DEFINITIONS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/record.h"
#include "tools/print/print_output.h"

/* Kinds of definitions: those of references, and paradigms, which are an enumeration as well. */
enum { DEFINED_PARADIGM = OTF2_REF_Marker, DEFINED_KINDS };

struct group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    OTF2_GroupFlag flags;
    uint32_t nmembers;
    uint64_t *members;
};

struct definition {
    uint64_t id;
    struct text shown; /* "name" <id>, or the id alone without a name */
    const char *name;  /* NULL when it is not known */
    /* What the kind of definition has on top of that. */
    union {
        struct {
            const struct definition *group;
            const struct definition *other; /* of an inter-communicator: the second one */
        } comm;
        struct {
            uint32_t n;
            uint32_t *members;
        } metric;
        struct group group;
        const struct definition *used; /* a window's or a topology's communicator */
        struct {
            const struct definition *caller; /* an older definition: no circles */
            OTF2_CallingContextRef parent;
        } calling_context;
    };
};

/* What a trace's text for an id that was never defined, or is no id at all, looks like. */
bool is_undefined(unsigned kind, uint64_t id);
/* NULL when there is none. */
const struct definition *definition_find(unsigned kind, uint64_t id);
/* Whether there are any of a kind. */
bool definitions_are_there(unsigned kind);

/*
 * A new definition, which the caller completes; `name` may be NULL. Says so when it replaces
 * another one, and when it is out of order, which are warnings. The undefined id gives a definition
 * that nobody finds.
 */
struct definition *definition_add(unsigned kind, uint64_t id, const char *name);
/* The two halves of it, for kinds that have something to say in between. */
struct definition *definition_replace(unsigned kind, uint64_t id, const char *name);
void definition_check_order(unsigned kind, const struct definition *definition);

/* The text of a string; NULL when it is not known. */
const char *string_of(OTF2_StringRef string);

void put_reference(unsigned kind, uint64_t id);
/* A paradigm is known by its name in the enumeration when the trace does not define it. */
void put_paradigm(OTF2_Paradigm paradigm);

/* As a text for a warning; the result lasts until the next but one. */
const char *reference_text(unsigned kind, uint64_t id);
const char *paradigm_text(OTF2_Paradigm paradigm);

/* One line on standard error; the last thing that is done when warnings are errors. */
__attribute__((format(printf, 1, 2))) void warning(const char *format, ...);
/* Tells what is going on, with --debug. */
__attribute__((format(printf, 1, 2))) void debug(const char *format, ...);

/* Memory of zeros, and a text, to be freed: never NULL, the program ends instead. */
void *need_memory(size_t size);
__attribute__((format(printf, 1, 0))) char *need_text(const char *format, va_list va);

#endif
