/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes (spur_agent.h) that only processes of the same host need. With SPUR_LOCAL they lie on the
 * host, and the file system that all hosts share sees nothing of them.
 */
#ifndef SPUR_HOST_NOTES_H
#define SPUR_HOST_NOTES_H

#include <stdbool.h>

/* The name of such a note begins with this. It tells the host, if hosts may have equal ones. */
#define SPUR_HOST_NOTE "host"

/* Do they lie elsewhere than other notes? */
bool spur_host_notes_are_apart(void);

#endif
