/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `spur print`, which is that of otf2-print. */
#ifndef PRINT_OPTIONS_H
#define PRINT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM "spur print"

struct options {
    const char *path;   /* of the anchor file */
    const char *output; /* NULL: standard output */
    bool all;
    bool global_definitions;
    bool info;
    bool thumbnails;
    bool samples; /* of thumbnails */
    bool mappings;
    bool clock_offsets;
    bool local_definitions; /* are read at all */
    bool snapshots;
    bool times_are_relative;
    bool system_tree;
    bool as_3_0; /* the text of otf2-print 3.0.2 instead of 3.2 */
    bool silent;
    bool unwind;
    bool warnings_are_errors;
    bool debug;
    bool one_location;
    uint64_t location;
    unsigned threads; /* 0: as many as are of use */
    uint64_t step;    /* UINT64_MAX: all at once */
    uint64_t min_time, max_time;
};

extern struct options options;

/* Ends the program after --help, --version (status 0), and after a mistake (one line, status 1). */
void print_options(char **words);

#endif
