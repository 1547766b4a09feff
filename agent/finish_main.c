/* SPDX-License-Identifier: BSD-3-Clause */
/* spur-finish: make the archive of a session out of what its processes left. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/finish.h"

static int usage(FILE *out)
{
    fprintf(out, "usage: spur-finish [--quiet] [--recover] DIR\n"
                 "  -q, --quiet    no summary (also with SPUR_VERBOSE=0)\n"
                 "  -r, --recover  take processes of other hosts that did not end for dead\n");
    return out == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"quiet", no_argument, NULL, 'q'},
                                            {"recover", no_argument, NULL, 'r'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *verbose = getenv("SPUR_VERBOSE");
    struct spur_finish_options chosen = {.quiet = verbose && strcmp(verbose, "0") == 0};
    for (int c; (c = getopt_long(argc, argv, "qrh", options, NULL)) != -1;) {
        if (c == 'q')
            chosen.quiet = true;
        else if (c == 'r')
            chosen.recover = true;
        else
            return usage(c == 'h' ? stdout : stderr);
    }
    if (optind != argc - 1)
        return usage(stderr);
    char *dir = argv[optind];
    for (size_t n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
        dir[n - 1] = '\0';
    return spur_finish(dir, &chosen) ? 1 : 0;
}
