/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish agent */
/* Patterns and filter files as Score-P's manual and its users have them. */
#include <criterion/criterion.h>
#include <string.h>

#include "settings/filter.h"

/* ---- patterns ---- */

static const struct {
    const char *pattern, *name;
    bool matches;
} patterns[] = {
    {"foo", "foo", true},
    {"foo", "foo1", false},
    {"foo", "fo", false},
    {"", "", true},
    {"", "a", false},
    {"*", "", true},
    {"*", "anything at all", true},
    {"foo*", "foo", true},
    {"foo*", "foobar", true},
    {"*foo", "xfoo", true},
    {"*foo", "foox", false},
    {"*foo*bar*", "a foo and a bar.", true},
    {"*foo*bar*", "a bar and a foo", false},
    {"a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    {"*ab", "aab", true},
    {"*.c", "src/deep/file.c", true}, /* a star takes slashes */
    {"?oo", "foo", true},
    {"?oo", "oo", false},
    {"MPI_?send", "MPI_Isend", true},
    {"MPI_?send", "MPI_Send", false},
    {"[fg]oo", "goo", true},
    {"[fg]oo", "hoo", false},
    {"[a-f]oo", "eoo", true},
    {"[a-f]oo", "goo", false},
    {"[!a-f]oo", "goo", true},
    {"[!a-f]oo", "aoo", false},
    {"[^f]oo", "foo", false},
    {"[^f]oo", "zoo", true},
    {"[]x]", "]", true},
    {"[!]x]", "]", false},
    {"[a-]", "-", true},
    {"[[:digit:]]*", "7 seas", true},
    {"[[:digit:]]*", "x7", false},
    {"[[:alpha:]_]*", "_x", true},
    {"x[", "x[", true}, /* no list without an end */
    {"x[ab", "x[ab", true},
    {"x[ab", "xa", false},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"a\\ b", "a b", true},
    {"\\#1", "#1", true},
    {"\\[a\\]", "[a]", true},
    {"[\\]]", "]", true},
    {"operator\\*", "operator*", true},
    {"!$omp\\ parallel*", "!$omp parallel @solver.c:42", true},
    {"std::*<*>::push_back*", "std::vector<int>::push_back(int&&)", true},
};

Test(filter, patterns)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        cr_expect(spur_pattern_matches(patterns[i].pattern, patterns[i].name) ==
                      patterns[i].matches,
                  "%s and %s", patterns[i].pattern, patterns[i].name);
}

Test(filter, patterns_take_no_time, .timeout = 10)
{
    char name[4096], pattern[256] = "";
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < 60; i++)
        strcat(pattern, "*a");
    strcat(pattern, "b");
    cr_expect(!spur_pattern_matches(pattern, name));
}

/* ---- files ---- */

#define REGIONS(rules) "SCOREP_REGION_NAMES_BEGIN\n" rules "\nSCOREP_REGION_NAMES_END\n"
#define FILES(rules) "SCOREP_FILE_NAMES_BEGIN\n" rules "\nSCOREP_FILE_NAMES_END\n"

static bool excludes(const char *text, struct spur_filter_subject subject)
{
    uint32_t line;
    const char *why;
    struct spur_filter *filter = spur_filter_parse(text, &line, &why);
    cr_assert(filter, "line %u %s:\n%s", line, why, text);
    return spur_filter_excludes(filter, &subject);
}

#define WRAPPED(name_)                                                                             \
    {                                                                                              \
        .name = (name_), .is_wrapped = true                                                        \
    }
#define PLACED(name_)                                                                              \
    {                                                                                              \
        .name = (name_), .is_wrapped = true, .is_open_ended = true                                 \
    }

static const struct {
    const char *text;
    struct spur_filter_subject subject;
    bool excludes;
} cases[] = {
    {"", {"foo", NULL, NULL, false, false}, false},
    {"# only a comment\n\n", {"foo", NULL, NULL, false, false}, false},
    {REGIONS("EXCLUDE foo"), {"foo", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE foo"), {"bar", NULL, NULL, false, false}, false},
    /* The last rule that matches counts. */
    {REGIONS("EXCLUDE *\nINCLUDE foo*"), {"foobar", NULL, NULL, false, false}, false},
    {REGIONS("EXCLUDE *\nINCLUDE foo*"), {"bar", NULL, NULL, false, false}, true},
    {REGIONS("INCLUDE foo*\nEXCLUDE *"), {"foobar", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE foo*\nINCLUDE foobar\nEXCLUDE *bar"),
     {"foobar", NULL, NULL, false, false},
     true},
    /* Several patterns on a line and on those that follow; words on one line. */
    {REGIONS("EXCLUDE a b\n  c\td # e\n f"), {"c", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE a b\n  c\td # e\n f"), {"d", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE a b\n  c\td # e\n f"), {"e", NULL, NULL, false, false}, false},
    {REGIONS("EXCLUDE a b\n  c\td # e\n f"), {"f", NULL, NULL, false, false}, true},
    {"SCOREP_REGION_NAMES_BEGIN EXCLUDE\nbinvcrhs*\nmatmul_sub*\n",
     {"matmul_sub_", NULL, NULL, false, false},
     true}, /* without an end, as many are written */
    {"SCOREP_REGION_NAMES_BEGIN EXCLUDE a INCLUDE a SCOREP_REGION_NAMES_END",
     {"a", NULL, NULL, false, false},
     false},
    {REGIONS("EXCLUDE\r\n foo\r"), {"foo", NULL, NULL, false, false}, true},
    /* What is escaped. */
    {REGIONS("EXCLUDE with\\ blank \\#hash a\\*b"), {"with blank", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE with\\ blank \\#hash a\\*b"), {"#hash", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE with\\ blank \\#hash a\\*b"), {"axb", NULL, NULL, false, false}, false},
    {REGIONS("EXCLUDE foo#bar"), {"foo", NULL, NULL, false, false}, true},
    /* Names as the linker knows them. */
    {REGIONS("EXCLUDE MANGLED _Z3foov"), {"foo()", "_Z3foov", NULL, false, false}, true},
    {REGIONS("EXCLUDE MANGLED foo*"), {"foo()", "_Z3foov", NULL, false, false}, false},
    {REGIONS("EXCLUDE MANGLED foo"), {"foo", NULL, NULL, false, false}, true},
    {REGIONS("EXCLUDE MANGLED _Z* DEMANGLED foo*"), {"foo()", "x", NULL, false, false}, true},
    {REGIONS("EXCLUDE MANGLED _Z*\nEXCLUDE foo*"), {"foo()", "x", NULL, false, false}, true},
    /* Files; a region of an excluded file cannot be had back by its name. */
    {FILES("EXCLUDE *.h"), {"foo", NULL, "include/foo.h", false, false}, true},
    {FILES("EXCLUDE *.h"), {"foo", NULL, "foo.c", false, false}, false},
    {FILES("EXCLUDE *.h"), {"foo", NULL, NULL, false, false}, false},
    {FILES("EXCLUDE *\nINCLUDE */solver/*"), {"foo", NULL, "src/solver/cg.c", false, false}, false},
    {FILES("EXCLUDE *.h") REGIONS("INCLUDE foo"), {"foo", NULL, "foo.h", false, false}, true},
    {REGIONS("EXCLUDE foo") FILES("INCLUDE *"), {"foo", NULL, "foo.c", false, false}, true},
    {REGIONS("EXCLUDE foo") REGIONS("INCLUDE foo"), {"foo", NULL, NULL, false, false}, false},
    /* Calls of libraries: by patterns that say something, whatever the file rules are. */
    {REGIONS("EXCLUDE *"), WRAPPED("MPI_Send"), false},
    {REGIONS("EXCLUDE ?*"), WRAPPED("MPI_Send"), false},
    {REGIONS("EXCLUDE MPI_*\nINCLUDE *"), WRAPPED("MPI_Send"), true},
    {REGIONS("EXCLUDE MPI_*"), WRAPPED("MPI_Send"), true},
    {REGIONS("EXCLUDE MPI_* INCLUDE MPI_?send"), WRAPPED("MPI_Isend"), false},
    {FILES("EXCLUDE *"), WRAPPED("MPI_Send"), false},
    {REGIONS("EXCLUDE *"), {.name = "", .is_open_ended = true}, true},
    {REGIONS("EXCLUDE foo*"), {.name = "", .is_open_ended = true}, false},
    /* Constructs whose place is not known yet. */
    {REGIONS("EXCLUDE *"), PLACED("!$omp parallel"), false},
    {REGIONS("EXCLUDE !$omp*"), PLACED("!$omp parallel"), true},
    {REGIONS("EXCLUDE !$omp\\ parallel*"), PLACED("!$omp parallel"), true},
    {REGIONS("EXCLUDE !$omp\\ parallel*"), PLACED("!$omp for"), false},
    {REGIONS("EXCLUDE !$omp\\ parallel\\ @solver.c:42"), PLACED("!$omp parallel"), false},
    {REGIONS("EXCLUDE !$omp* INCLUDE !$omp\\ parallel\\ @solver.c*"), PLACED("!$omp parallel"),
     true},
};

Test(filter, files)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect(excludes(cases[i].text, cases[i].subject) == cases[i].excludes,
                  "case %zu: %s\n%s", i, cases[i].subject.name, cases[i].text);
}

/* ---- mistakes ---- */

static const struct {
    const char *text;
    uint32_t line;
} mistakes[] = {
    {"foo", 1},
    {"\n\nEXCLUDE foo", 3},
    {"SCOREP_REGION_NAMES_BEGIN\nfoo\n", 2},
    {"SCOREP_REGION_NAMES_END", 1},
    {"SCOREP_REGION_NAMES_BEGIN\nSCOREP_FILE_NAMES_END", 2},
    {"SCOREP_REGION_NAMES_BEGIN\n#\nSCOREP_FILE_NAMES_BEGIN", 3},
    {"SCOREP_FILE_NAMES_BEGIN\nEXCLUDE MANGLED x", 2},
    {"SCOREP_REGION_NAMES_BEGIN\nMANGLED x", 2},
    {"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE a\\\nb", 2},
    {"{\"exclude\": \"everything\"}", 1},
};

Test(filter, mistakes)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        uint32_t line;
        const char *why;
        cr_expect(!spur_filter_parse(mistakes[i].text, &line, &why), "case %zu", i);
        cr_expect(line == mistakes[i].line, "case %zu: line %u", i, line);
        cr_expect(why && *why);
    }
}
