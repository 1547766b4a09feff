/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI job that this process may be a rank of: what a launcher's variables and the processes
 * above this one tell, before any MPI library is there.
 */
#ifndef TOOLS_ENGINE_JOB_H
#define TOOLS_ENGINE_JOB_H

#include <stdbool.h>

#include "wrappers/mpi/tables/mpi_layout.h"

struct job {
    bool is_one;            /* there are several ranks, or a library has to say how many */
    unsigned long rank;     /* of this process */
    unsigned long size;     /* 0: not known */
    enum mpi_family family; /* which is likely */
    const char *starter;    /* the path of the program that has started it; "": not known */
    long launcher;          /* the process of this host that the user has called; 0: not known */
    bool is_on_one_host;    /* the launcher says so */
    bool has_terminal;      /* what the launcher says goes to a terminal of this host */
};

/* The same at each call. */
const struct job *job_find(void);

/* What the variables say; for tests. */
void job_ask_variables(struct job *job);

#endif
