/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of the process, and the place of its records: once per address space, renewed in a
 * child of fork(). */
#ifndef SPUR_IDENTITY_H
#define SPUR_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "session/segment.h"

enum { SPUR_PATH_BYTES = 4096 };

struct spur_process {
    int pid;
    struct spur_moment start;
    enum spur_clock_kind clock;
    _Atomic uint64_t clock_id; /* 0: not yet asked for */
    uint32_t generation;       /* number of forks since the first process: stamps cached regions */
    bool is_launcher;          /* mpirun and the like: never recorded */
    bool is_rank;              /* a rank of an MPI job: of the job, only ranks are of interest */
    bool has_forked;           /* `start` is the start of a child that is not yet armed */
    char dir[SPUR_PATH_BYTES]; /* session directory, absolute, once it exists */
    char
        place[SPUR_PATH_BYTES]; /* where it records: `dir`, or the place of session/local_place.h */
    char name[SPUR_NAME_BYTES]; /* of its directory in PLACE/.spur, "" before */
    char own_name[SPUR_NAME_BYTES]; /* `name`, now or later; in a child the parent's */
    char parent[SPUR_NAME_BYTES];   /* own_name of the possible parents, see struct spur_segment */
    OTF2_Archive *archive;          /* private: PLACE/.spur/<name>/traces/<thread>.evt */
};

extern struct spur_process spur_process;

#endif
