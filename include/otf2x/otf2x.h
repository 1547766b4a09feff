/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library offers beyond the OTF2 standard: access to an event writer's place in memory,
 * so that events outlive the process that wrote them.
 *
 * The functions of writers return OTF2_SUCCESS or an error of the standard. Only the thread that
 * uses the writer may call them.
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
 * Keeps the changing state of a writer at `place`. The caller provides the place and keeps it until
 * the writer is closed; its content is overwritten. Allowed before the first event only. If closing
 * the writer fails, the chunks of the memory callbacks are not given back, and the place still
 * describes the last chunk.
 */
OTF2_ErrorCode OTF2X_EvtWriter_SetCursor(OTF2_EvtWriter *writer, struct otf2_evt_cursor *place);

/*
 * Continues where a dead process stopped. The writer is new. Its file has only the whole chunks
 * that the process sealed (a multiple of the archive's chunk size; without a file: none). `chunk`
 * has the first `used` bytes of the last, unsealed chunk; they are checked record by record and
 * copied. With used == 0 the next event opens a new chunk after the existing ones. The number of
 * events and the time are taken from the bytes. OTF2_ERROR_INTEGRITY_FAULT: the bytes are no whole
 * records. Then nothing is adopted, and closing the writer leaves the file as it is. If the end of
 * an adopted file cannot be written, the whole chunks stay as they were, so that the file can be
 * adopted again.
 */
OTF2_ErrorCode OTF2X_EvtWriter_Adopt(OTF2_EvtWriter *writer, const void *chunk, uint64_t used);

/*
 * Takes the oldest chunk of a writer, to be the writer's next chunk. Allowed only in the memory
 * callback that is asked for a chunk of this writer. With `is_written` the chunk goes to the file
 * first, and a BufferFlush record follows. Without `is_written` the events of the chunk are lost,
 * and the file begins with a chunk whose header has a first number above 1. `chunk` receives the
 * memory. OTF2_ERROR_INVALID_CALL: there is no chunk, or events may have to be taken back (rewind
 * points). After an error of writing the chunk stays where it is.
 */
OTF2_ErrorCode OTF2X_EvtWriter_Recycle(OTF2_EvtWriter *writer, bool is_written, void **chunk);

/*
 * Seals a raw event chunk: checks the records in its first `used` bytes, writes the number of the
 * last record into the header, and fills the rest with zeros. `last` receives that number.
 */
OTF2_ErrorCode OTF2X_SealChunk(void *chunk, uint64_t chunk_bytes, uint64_t used, uint64_t *last);

/*
 * Lets `run` do each transfer. A transfer opens a file, reads or writes it, and closes it. `run`
 * calls transfer(data) and returns its result. NULL (the default): the writing thread does it at
 * once. Holds for all archives of the process. Call it before the first archive is opened.
 */
void OTF2X_RunTransfersBy(int (*run)(int (*transfer)(void *data), void *data));

/*
 * From now on, each event writer of the process calls `other` when an event needs a new chunk.
 * `other` calls the function that it is given, for example on another stack.
 */
void OTF2X_Detour(void (*other)(void (*call)(void *arg), void *arg));

/*
 * Functions that open and change the files of an archive that is written. `open` works as open(2)
 * with the mode 0666, `make_dir` as mkdir(2) with 0777, `remove` as unlink(2), and `rename` as
 * rename(2). They return a descriptor or 0, or -errno. Without them the library uses paths, and
 * follows symbolic links. Set them directly after the archive was opened, before its other
 * callbacks.
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
 * The version of OTF2 in the anchor file: by default this library's, or the version that an
 * existing archive has.
 */
OTF2_ErrorCode OTF2X_Archive_SetVersion(OTF2_Archive *archive, uint8_t major, uint8_t minor,
                                        uint8_t bugfix);

/*
 * Asks `room` how many bytes of a chunk of the memory callbacks may be used: before the first byte,
 * and again when these bytes are used up. `room` returns at least `at_least` bytes, at most the
 * size of a chunk. If it returns fewer, the chunk is full. The library does not touch bytes that
 * `room` never offered; the caller must see to it that they are zero in the file. NULL (the
 * default): all bytes. Holds for all archives of the process. Call it before the first archive is
 * opened.
 */
void OTF2X_AskForRoom(uint64_t (*room)(const void *chunk, uint64_t at_least));

/*
 * While an event writer is closed, calls `told` for each chunk of the memory callbacks that is in
 * the file as a whole, at once. The library reads and writes nothing of the chunk any more; the
 * callback that frees all chunks still follows. Not for files that are compressed, in containers or
 * replaced, whose bytes come later, and not for the last chunk. NULL (the default): nobody is told.
 * Holds for all archives of the process. Call it before the first archive is opened.
 */
void OTF2X_TellWritten(void (*told)(void *chunk));

/*
 * From now on, global event readers of the process leave out the locations whose event files cannot
 * be opened. By default OTF2_Reader_GetGlobalEvtReader returns NULL if OTF2_Reader_GetEvtReader has
 * failed for a location, as the reference library does.
 */
void OTF2X_LeaveOutLocations(void);

#ifdef __cplusplus
}
#endif

#endif
