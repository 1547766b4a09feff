/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPUR_LAUNCHERS_H
#define SPUR_LAUNCHERS_H

#include <stdbool.h>

/* Is this the name of a program that starts the ranks of MPI jobs? It may be cut at 15 bytes. */
bool spur_session_is_launcher_name(const char *name);

#endif
