/* SPDX-License-Identifier: BSD-3-Clause */
/* spur-finish: make the archive of a session out of what its processes left. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finish/finish.h"
#include "settings/families.h"

enum { WAIT_MS = 3000 };

static int usage(FILE *out)
{
    fprintf(out, "usage: spur recover [--quiet] [--recover] [--leave] DIR\n"
                 "Finishes the archive of a run that was cut off.\n"
                 "  -q, --quiet    no summary (also with SPUR_VERBOSE=0)\n"
                 "  -r, --recover  treat processes of other hosts that did not end as dead\n"
                 "  -l, --leave    if processes still run, let the last one finish DIR at its end\n"
                 "For the launcher: --child PID:STATUS, its child ended with this wait status.\n");
    return out == stdout ? 0 : 2;
}

static bool is_option(const char *word, const char *brief, const char *full)
{
    return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

/* "PID:STATUS" */
static bool take_child(const char *word, struct spur_finish_options *options)
{
    char *end;
    options->child = (int)strtol(word, &end, 10);
    if (end == word || *end != ':')
        return false;
    options->child_status = (int)strtol(end + 1, NULL, 10);
    return true;
}

/* As agent/process/follow.c has it. */
static bool records_processes(void)
{
    const char *families = secure_getenv("SPUR_WRAP");
    const char *session = secure_getenv("SPUR_SESSION");
    return families ? (spur_families_listed(families) >> SPUR_FAMILY_PROCESS & 1)
                    : session && strcmp(session, "mixed") == 0;
}

int main(int argc, char **argv)
{
    const char *verbose = secure_getenv("SPUR_VERBOSE");
    signal(SIGXFSZ, SIG_IGN); /* the error alone tells of it */
    struct spur_finish_options options = {.quiet = verbose && strcmp(verbose, "0") == 0,
                                          .wait_ms = WAIT_MS};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (is_option(argv[i], "-q", "--quiet"))
            options.quiet = true;
        else if (is_option(argv[i], "-r", "--recover"))
            options.recover = true;
        else if (is_option(argv[i], "-l", "--leave"))
            options.leaves = options.is_tree = true;
        else if (is_option(argv[i], "-c", "--child") && i + 1 < argc &&
                 take_child(argv[i + 1], &options))
            i++;
        else if (is_option(argv[i], "-h", "--help"))
            return usage(stdout);
        else
            return usage(stderr);
    }
    if (i != argc - 1)
        return usage(stderr);
    options.is_tree = options.is_tree && records_processes();
    char *dir = argv[i];
    for (size_t n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
        dir[n - 1] = '\0';
    return spur_finish(dir, &options) ? 1 : 0;
}
