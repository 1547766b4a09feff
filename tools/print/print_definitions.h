/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions of a trace, by kind and id, for the records that refer to definitions. The newest
 * definition of an id counts; every definition lives until the end.
 */
#ifndef PRINT_DEFINITIONS_H
#define PRINT_DEFINITIONS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/record.h"
#include "tools/print/print_output.h"

/*
 * Kinds of definitions: the kinds of references, and paradigms, which are an enumeration as well.
 */
enum { DEFINED_PARADIGM = OTF2_REF_Marker, DEFINED_KINDS };

struct group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    OTF2_GroupFlag flags;
    uint32_t nmembers;
    uint64_t *members;
    const struct group *ranks; /* of the paradigm, when the group was defined; NULL: none */
};

struct definition {
    uint64_t id;
    struct text shown; /* "name" <id>, or the id alone without a name */
    const char *name;  /* NULL: not known */
    /* Further members by kind of definition. */
    union {
        struct {
            const struct definition *group;
            const struct definition *other; /* of an inter-communicator: the second group */
        } comm;
        struct {
            uint32_t n;
            uint32_t *members;
            bool is_abstract;
        } metric;
        struct group group;
        struct {
            OTF2_LocationGroupRef group;
            OTF2_LocationType type;
        } location;
        const struct definition *used; /* a window's or a topology's communicator */
        struct {
            const struct definition *caller; /* an older definition: no circles */
            OTF2_CallingContextRef parent;
        } calling_context;
    };
};

/*
 * Is the id the undefined value of the kind, a reference to no definition? Paradigms have no
 * undefined value.
 */
bool is_undefined(unsigned kind, uint64_t id);
/* NULL: not defined. */
const struct definition *definition_find(unsigned kind, uint64_t id);
/* Whether a kind has any definitions. */
bool definitions_are_there(unsigned kind);

/*
 * A new definition, to be completed by the caller; `name` may be NULL. Warns if the definition
 * replaces an earlier definition, or is out of order. The undefined id gives a definition that no
 * search finds.
 */
struct definition *definition_add(unsigned kind, uint64_t id, const char *name);
/* The two halves of definition_add(), for kinds with messages in between. */
struct definition *definition_replace(unsigned kind, uint64_t id, const char *name);
void definition_check_order(unsigned kind, const struct definition *definition);

/* The text of a string; NULL: not known. */
const char *string_of(OTF2_StringRef string);

void put_reference(unsigned kind, uint64_t id);
/* Without a definition in the trace, a paradigm has its name from the enumeration. */
void put_paradigm(OTF2_Paradigm paradigm);

/* As a text for a warning; the result lasts until the next call but one. */
const char *reference_text(unsigned kind, uint64_t id);
const char *paradigm_text(OTF2_Paradigm paradigm);

/* Prints a line on standard error; if warnings are errors, the program then ends. */
__attribute__((format(printf, 1, 2))) void warning(const char *format, ...);
/* Reports the progress, with --debug. */
__attribute__((format(printf, 1, 2))) void debug(const char *format, ...);

/* Zeroed memory, and a text, to be freed: never NULL; without memory the program ends. */
void *need_memory(size_t size);
__attribute__((format(printf, 1, 0))) char *need_text(const char *format, va_list va);

#endif
