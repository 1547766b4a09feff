/* SPDX-License-Identifier: BSD-3-Clause */
/* The private OTF2 archive of a process: the library's callbacks onto the agent's buffers. */
#ifndef SPUR_EVENT_FILES_H
#define SPUR_EVENT_FILES_H

#include <otf2/otf2.h>

struct spur_loc;

/*
 * Open the archive "traces" in `dir` for writing, with event chunks of `chunk_bytes`; a thread
 * keeps `buffer_bytes` of chunks before a flush. NULL on failure. Only event files are ever
 * written: finishing makes definitions and anchor.
 */
OTF2_Archive *spur_event_files_open(const char *dir, uint64_t chunk_bytes, uint64_t buffer_bytes);

/* The end of a location, by the writing thread: the events are gathered, or go to the event
 * file. */
OTF2_ErrorCode spur_event_files_close(struct spur_loc *loc);

/* A record could not be written, on the calling thread: the library's callbacks end here. */
void spur_event_files_failed(void);

/* The same for the end of a location's file: the slot keeps the events missing in the file. */
void spur_event_files_kept(void);
/* Is a thread, other than the calling thread, writing event files? */
bool spur_event_files_are_written(void);
/* In a child of fork(). */
void spur_event_files_after_fork(void);

#endif
