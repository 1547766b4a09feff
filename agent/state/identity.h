/* SPDX-License-Identifier: BSD-3-Clause */
/* Who the process is, and where it records: one per address space, renewed in a child of fork(). */
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
    uint32_t generation;       /* how many forks away from the first: stamps cached regions */
    bool is_launcher;          /* mpirun and the like: never recorded */
    bool is_rank;              /* of an MPI job: what is of interest in it is its ranks */
    bool has_forked;           /* `start` is that of a child that is not yet armed */
    char dir[SPUR_PATH_BYTES]; /* session directory, absolute, once it exists */
    char
        place[SPUR_PATH_BYTES]; /* where it records: `dir`, or the place of session/local_place.h */
    char name[SPUR_NAME_BYTES]; /* of its directory in PLACE/.spur, "" before it exists */
    char own_name[SPUR_NAME_BYTES]; /* what `name` is or would be; in a child its parent's */
    char parent[SPUR_NAME_BYTES]; /* the same of those it may come from, see struct spur_segment */
    OTF2_Archive *archive;        /* private: PLACE/.spur/<name>/traces/<thread>.evt */
};

extern struct spur_process spur_process;

#endif
