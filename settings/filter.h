/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SPUR_FILTER: which regions are not recorded, in the syntax of Score-P's filter files:
 *
 *     SCOREP_REGION_NAMES_BEGIN
 *       EXCLUDE *                         # a comment
 *       INCLUDE solve_* MANGLED _ZN4mesh*
 *     SCOREP_REGION_NAMES_END
 *     SCOREP_FILE_NAMES_BEGIN
 *       EXCLUDE *.h
 *     SCOREP_FILE_NAMES_END
 *
 * Words are separated by blanks; patterns belong to the last EXCLUDE or INCLUDE, on this line or an
 * earlier one. A backslash makes the next character literal: a blank, "#" or a wildcard. The last
 * matching rule of a block counts; a region without a matching rule is recorded. A region whose
 * file is excluded stays excluded, whatever its name. MANGLED applies the following patterns to the
 * name that the linker knows, up to the next EXCLUDE, INCLUDE or DEMANGLED.
 *
 * Pure functions over memory. A filter never changes after parsing, so any thread may use it.
 */
#ifndef SPUR_FILTER_H
#define SPUR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spur_filter_subject {
    const char *name;
    const char *mangled; /* NULL: the name */
    const char *file;    /* NULL: not known */
    /*
     * It is a library's function or construct: it has no source file, and patterns of nothing but
     * "*" and
     * "?" do not mean it. Score-P's filters leave such regions out altogether.
     */
    bool is_wrapped;
    bool is_open_ended; /* the name is only its beginning: its place in the code is not known yet */
};

struct spur_filter;

/*
 * The rules in `text`. NULL, and then *line says where it is wrong and *why what is (a text of
 * ours), or there is no memory (*line is 0). The text is not kept.
 */
struct spur_filter *spur_filter_parse(const char *text, uint32_t *line, const char **why);

bool spur_filter_excludes(const struct spur_filter *filter,
                          const struct spur_filter_subject *subject);

/* As fnmatch(3) without flags, for bytes: *, ?, [a-z], [!a-z], [^a-z], [[:alpha:]], \x. */
bool spur_pattern_matches(const char *pattern, const char *name);

#endif
