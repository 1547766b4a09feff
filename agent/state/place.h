/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of the process's records on this host: with SPUR_LOCAL, not in the session
 * directory. */
#ifndef SPUR_PLACE_H
#define SPUR_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "settings/config.h"

/*
 * Make the directory of this process, PLACE/.spur/NAME. The buffers have room for SPUR_PATH_BYTES
 * and SPUR_NAME_BYTES. 0 or -errno, with `dir` naming the culprit. If SPUR_LOCAL cannot be used,
 * the place is `dir`, and *complaint tells the reason; else *complaint is NULL. Called apart.
 */
int spur_place_open(const struct spur_config *config, uint64_t start_ns, char *dir, char *place,
                    char *name, const char **complaint);

/* Is the place of the process another one than the session directory? */
bool spur_place_is_local(void);

/*
 * The place where this process records, or would record: the session directory, or its place on
 * this host. Borrowed from the process, or in `room` of SPUR_PATH_BYTES; NULL: not known yet.
 */
const char *spur_place_here(char *room);

#endif
