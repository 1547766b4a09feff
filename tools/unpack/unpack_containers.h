/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of locations out of SION containers, in the folder beside the archive's. */
#ifndef TOOLS_UNPACK_CONTAINERS_H
#define TOOLS_UNPACK_CONTAINERS_H

#include "tools/unpack/remake.h"

/* `base`: the path of the anchor file without its ending. */
bool unpack_containers(struct made *made, const char *base);

#endif
