/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI job of the calling process, if the process is a rank. The facts come from the variables
 * of the launcher and from the parent processes, before any MPI library is loaded.
 */
#ifndef TOOLS_ENGINE_JOB_H
#define TOOLS_ENGINE_JOB_H

#include <stdbool.h>

#include "wrappers/mpi/tables/mpi_layout.h"

struct job {
    bool is_one;            /* there are several ranks, or a library has to tell the number */
    unsigned long rank;     /* rank of this process */
    unsigned long size;     /* 0: not known */
    enum mpi_family family; /* the likely family of the library */
    const char *starter; /* the path of the program that has started the process; "": not known */
    long launcher;       /* the process on this host that the user has called; 0: not known */
    bool is_on_one_host; /* all ranks are on this host, according to the launcher */
    bool has_terminal;   /* the output of the launcher goes to a terminal of this host */
};

/* The result is the same at each call. */
const struct job *job_find(void);

/* The facts from the variables alone; for tests. */
void job_ask_variables(struct job *job);

#endif
