/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes into which container: a task for each process, whose host, or whose number, says in
 * which container. By the folder of the archive and by its definitions, so that all workers make
 * the same plan.
 */
#ifndef TOOLS_UNPACK_PACK_PLAN_H
#define TOOLS_UNPACK_PACK_PLAN_H

#include "tools/unpack/remake.h"
#include "writer/pack_files.h"

struct pack_plan {
    struct otf2_pack pack; /* .files and the names are the caller's */
    mode_t mode;           /* of the containers: who may read all that is in them */
};

/*
 * `anchor`: the path of the anchor file; `folder`: of the files of locations. n_files: how many
 * containers of each kind, 0: one for each host. False: a fault is kept.
 */
bool pack_plan_make(struct pack_plan *plan, struct made *made, const char *anchor,
                    const char *folder, unsigned n_files);
void pack_plan_free(struct pack_plan *plan);

#endif
