/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library offers beyond the OTF2 standard: access to an event writer's place in memory,
 * so that events outlive the process that wrote them.
 *
 * The functions of writers return OTF2_SUCCESS or an error of the standard, and are to be called by
 * the one thread that uses the writer.
 */
#ifndef OTF2X_H
#define OTF2X_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#ifdef __cplusplus
extern "C" {
#endif

/* See writer/evt_cursor.h. */
struct otf2_evt_cursor;

/*
 * Let the changing state of a writer live at `place`, which the caller provides and keeps until
 * the writer is closed; what it holds is overwritten. Before the first event only. When closing
 * the writer fails, the chunks of its memory callbacks are not given back, and the place still
 * tells of the last one.
 */
OTF2_ErrorCode OTF2X_EvtWriter_SetCursor(OTF2_EvtWriter *writer, struct otf2_evt_cursor *place);

/*
 * Go on where a dead process stopped. The writer is fresh; its file holds whole chunks only, the
 * ones that process sealed (a multiple of the archive's chunk size; no file: none). `chunk` are the
 * first `used` bytes of its last, unsealed chunk, which are checked record by record and copied.
 * With used == 0 the next event opens a new chunk behind the existing ones. Number of events and
 * time are taken from the bytes. OTF2_ERROR_INTEGRITY_FAULT names bytes that are no whole records;
 * nothing is adopted then, and closing the writer leaves the file as it is. When the end of an
 * adopted file cannot be written, its whole chunks stay as they were, so that it can be adopted
 * again.
 */
OTF2_ErrorCode OTF2X_EvtWriter_Adopt(OTF2_EvtWriter *writer, const void *chunk, uint64_t used);

/*
 * Take the oldest chunk of a writer away from it, to be its next one: only from within the memory
 * callback that is asked for a chunk of this writer. With `is_written` the chunk goes to the file
 * first, and a BufferFlush record will follow; without it its events are gone, and the file will
 * begin with a chunk whose header says a first number above 1. `chunk` receives the memory.
 * OTF2_ERROR_INVALID_CALL when there is none, or events may have to be taken back (rewind points);
 * when writing fails its error: the chunk stays where it is.
 */
OTF2_ErrorCode OTF2X_EvtWriter_Recycle(OTF2_EvtWriter *writer, bool is_written, void **chunk);

/*
 * Seal a raw event chunk: check the records in its first `used` bytes, write the number of the last
 * one into its header, fill the rest with zeros. `last` receives that number.
 */
OTF2_ErrorCode OTF2X_SealChunk(void *chunk, uint64_t chunk_bytes, uint64_t used, uint64_t *last);

/*
 * Let `run` do each transfer, which opens a file, reads or writes it and closes it again: it calls
 * transfer(data) and returns its result. NULL, as it is at first: at once, in the thread that is
 * writing. For all archives of the process, and before the first of them is opened.
 */
void OTF2X_RunTransfersBy(int (*run)(int (*transfer)(void *data), void *data));

/*
 * From now on each event writer of the process calls `other`, which calls what it is given, where
 * an event needs a new chunk: it may run that on another stack.
 */
void OTF2X_Detour(void (*other)(void (*call)(void *arg), void *arg));

/*
 * How the files of an archive that is written are found. `open` is as open(2) with the mode 0666,
 * `make_dir` as mkdir(2) with 0777, `remove` as unlink(2), and `rename` as rename(2); they return a
 * descriptor or 0, or -errno. Without them files are what their paths lead to, by symbolic links as
 * well. Directly after the archive was opened, before its other callbacks.
 */
typedef struct OTF2X_FileCallbacks {
    int (*open)(const char *path, int flags);
    int (*make_dir)(const char *path);
    int (*remove)(const char *path);
    int (*rename)(const char *from, const char *to);
} OTF2X_FileCallbacks;

/* `callbacks` is kept by the archive, not copied. */
OTF2_ErrorCode OTF2X_Archive_SetFileCallbacks(OTF2_Archive *archive,
                                              const OTF2X_FileCallbacks *callbacks);

/*
 * Ask `room` how many bytes of a chunk may be used that the memory callbacks have returned, before
 * the first of them and again when they are used up; it returns `at_least` or more, up to the size
 * of a chunk, or less where there is no more to be had: then the chunk is full. Bytes that were
 * never offered are not touched, and have to be zero in what becomes of the chunk. NULL, as it is
 * at first: all. For all archives of the process, and before the first of them is opened.
 */
void OTF2X_AskForRoom(uint64_t (*room)(const void *chunk, uint64_t at_least));

#ifdef __cplusplus
}
#endif

#endif
