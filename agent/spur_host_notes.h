/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes (spur_agent.h) that only processes of the same host need. With SPUR_LOCAL they lie on the
 * host, and the file system that all hosts share sees nothing of them.
 */
#ifndef SPUR_HOST_NOTES_H
#define SPUR_HOST_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* The name of such a note begins with this. It tells the host, if hosts may have equal ones. */
#define SPUR_HOST_NOTE "host"

/* Do they lie elsewhere than other notes? */
bool spur_host_notes_are_apart(void);

/*
 * Memory that the processes of the host share under that name, all 0 at first; the name is one that
 * no other host has. NULL: there is none, as notes. It stays mapped; a child of fork() keeps it.
 */
void *spur_host_note_map(const char *name, size_t bytes);

#endif
