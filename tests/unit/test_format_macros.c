/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/*
 * A program may have macros of the names that our tables use, and has them still behind our
 * headers. Compiles such a program, for the kinds are known at run time only.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/record.h"

static const char *const table_words[] = {"KIND",  "EVENT",      "SNAP",       "THUMB",     "X",
                                          "POSIX", "SHARED_DEF", "GLOBAL_DEF", "LOCAL_DEF", "ENUM",
                                          "ALIAS", "ENUM_END",   "MAPPING",    "VALUE_TYPE"};

enum { WORDS = sizeof table_words / sizeof table_words[0] };

static const char *word(int i)
{
    return i < WORDS ? table_words[i] : otf2_kinds[i - WORDS].name;
}

static void write_program(FILE *out)
{
    for (int i = 0; i < WORDS + OTF2_KINDS; i++)
        fprintf(out, "#undef %s\n#define %s -%d\n", word(i), word(i), i + 1);
    fprintf(out, "#define Boolean )\n#define Type )\n#define Metric )\n#define Enter )\n#define "
                 "String )\n#define Group )\n"
                 "#include <otf2/otf2.h>\n"
                 "#include <otf2/OTF2_EventSizeEstimator.h>\n"
                 "#include <otf2/OTF2_Pthread_Locks.h>\n");
    for (int i = 0; i < WORDS + OTF2_KINDS; i++)
        fprintf(out, "#if 0 %s != -%d\n#error %s\n#endif\n", word(i), i + 1, word(i));
}

static int compile(const char *compiler)
{
    char command[4096];
    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    if (system(command) != 0)
        return -1;
    snprintf(command, sizeof command,
             "%s -Wall -Wextra -Werror -fsyntax-only -I" SOURCE_ROOT "/include -", compiler);
    FILE *out = popen(command, "w");
    cr_assert_not_null(out);
    write_program(out);
    return pclose(out);
}

Test(format_macros, of_the_program_stay_its_own)
{
    static const char *const compilers[] = {"cc -x c -std=c11", "c++ -x c++ -std=c++11"};
    for (int i = 0; i < 2; i++) {
        int status = compile(compilers[i]);
        cr_assert(status <= 0, "%s", compilers[i]);
    }
}
