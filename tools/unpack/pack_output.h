/* SPDX-License-Identifier: BSD-3-Clause */
/* Where `spur pack` makes the containers: beside the archive's folder, or in a new directory. */
#ifndef TOOLS_UNPACK_PACK_OUTPUT_H
#define TOOLS_UNPACK_PACK_OUTPUT_H

#include "tools/unpack/pack_plan.h"

struct pack_output {
    const char *anchor; /* of the plain archive */
    const char *dir;    /* the new directory; NULL: in place */
    char *base;         /* of the new archive: its path without an ending */
    bool is_new_dir;    /* and made here */
    bool is_begun;
    LIST(char *) copies; /* files that were made there */
};

/* The names of both archives, for the plan. */
void pack_output_name(struct pack_output *out, const char *anchor, const char *dir,
                      struct otf2_pack *pack);

/* Functions by which containers are opened that those of this mode may read. */
const OTF2X_FileCallbacks *pack_output_files(mode_t mode);

/* By one process: before the containers, and when they are whole. False: a fault is kept. */
bool pack_output_begin(struct pack_output *out, struct made *made);
bool pack_output_end(struct pack_output *out, struct made *made, const struct mapped *anchor);

/* Removes what was made, after a fault. */
void pack_output_drop(const struct pack_output *out);

#endif
