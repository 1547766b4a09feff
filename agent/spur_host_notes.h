/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes (spur_agent.h) for processes of the same host only. With SPUR_LOCAL the notes lie on the
 * host, and the file system shared by all hosts sees nothing of them.
 */
#ifndef SPUR_HOST_NOTES_H
#define SPUR_HOST_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of the name of a note of the host. The name contains the host if several hosts may
 * put notes with equal names. */
#define SPUR_HOST_NOTE "host"

/* Do the notes of the host lie elsewhere than all further notes? */
bool spur_host_notes_are_apart(void);

/*
 * Memory that the processes of the host share under the name, all 0 at first; no other host has the
 * name. NULL: no memory, in the same cases where notes fail. The memory stays mapped; a child of
 * fork() keeps the mapping.
 */
void *spur_host_note_map(const char *name, size_t bytes);

#endif
