/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive: a directory with an anchor file, global definitions, and the events and definitions
 * of each location. Begin here to write an archive. Names and signatures are those of OTF2 3.2,
 * files those of trace format 2.
 *
 * With locking callbacks several threads may use an archive, without them one thread at a time.
 * Every function returns OTF2_ERROR_INVALID_ARGUMENT (or NULL) for a NULL pointer, unless NULL is
 * allowed.
 */
#ifndef OTF2_ARCHIVE_H
#define OTF2_ARCHIVE_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_Callbacks.h>
#include <otf2/OTF2_DefReader.h>
#include <otf2/OTF2_DefWriter.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_EvtReader.h>
#include <otf2/OTF2_EvtWriter.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_GlobalDefReader.h>
#include <otf2/OTF2_GlobalDefWriter.h>
#include <otf2/OTF2_GlobalEvtReader.h>
#include <otf2/OTF2_GlobalSnapReader.h>
#include <otf2/OTF2_MarkerReader.h>
#include <otf2/OTF2_MarkerWriter.h>
#include <otf2/OTF2_SnapReader.h>
#include <otf2/OTF2_SnapWriter.h>
#include <otf2/OTF2_Thumbnail.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Chunk sizes in bytes that suit most programs. */
#define OTF2_CHUNK_SIZE_EVENTS_DEFAULT (1024 * 1024)
#define OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT (4 * 1024 * 1024)

typedef struct OTF2_Archive_struct OTF2_Archive;

/*
 * Opens an archive.
 *   archivePath      its directory, made when the archive becomes primary.
 *   archiveName      the base name of its files, usually "traces".
 *   fileMode         OTF2_FILEMODE_WRITE: a new archive. OTF2_FILEMODE_READ: an existing archive;
 *                    its anchor file replaces the other arguments. OTF2_FILEMODE_MODIFY: the same,
 *                    switched to writing at once (OTF2_Archive_SwitchFileMode).
 *   chunkSizeEvents  bytes in which events and definitions are written,
 *   chunkSizeDefs    OTF2_CHUNK_SIZE_MIN to OTF2_CHUNK_SIZE_MAX; chunkSizeDefs may be
 *                    OTF2_UNDEFINED_UINT64, to be set by OTF2_Archive_SetDefChunkSize.
 *   fileSubstrate    OTF2_SUBSTRATE_POSIX: files; OTF2_SUBSTRATE_NONE: nothing is written.
 *                    OTF2_SUBSTRATE_SION: all locations in one file of each kind, or in one for
 *                    each local communicator, without SIONlib. OTF2_Archive_Close is what makes
 *                    them readable: without it their content is lost. Such an archive is not
 *                    compressed, and cannot be modified.
 *   compression      OTF2_COMPRESSION_NONE, or OTF2_COMPRESSION_ZLIB if the library was built with
 *                    zlib. Then there is one OTF2_WARNING, since readers of OTF2 3 refuse such
 *                    archives until they are unpacked (spur unpack).
 * Release the archive with OTF2_Archive_Close. Returns NULL if an argument is out of range, if the
 * archive cannot be read, or without memory. Set collective callbacks next; nothing is written
 * before.
 */
OTF2_API OTF2_Archive *
OTF2_Archive_Open(const char *archivePath, const char *archiveName, const OTF2_FileMode fileMode,
                  const uint64_t chunkSizeEvents, const uint64_t chunkSizeDefs,
                  const OTF2_FileSubstrate fileSubstrate, const OTF2_Compression compression);

/*
 * Closes all writers, writes their remaining records and, on the primary archive, the anchor file,
 * and releases the archive. Collective. Returns the first error, but releases the archive in any
 * case. NULL is allowed.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_Close(OTF2_Archive *archive);

/*
 * Switches an archive from reading to writing (OTF2_FILEMODE_WRITE), to add snapshots, thumbnails
 * and markers. Afterwards the archive gives writers, but no new readers; existing readers stay
 * valid. A new file replaces the old one when it is complete, and so does the anchor file when the
 * archive is closed. OTF2_ERROR_INVALID_FILE_MODE_TRANSITION for any other change.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SwitchFileMode(OTF2_Archive *archive,
                                                    OTF2_FileMode newFileMode);

/*
 * Sets the chunk size of definitions, in bytes, of an archive opened with OTF2_UNDEFINED_UINT64.
 * Collective: the size of the primary archive counts. Errors: OTF2_ERROR_INVALID_CALL without
 * collective callbacks, OTF2_ERROR_INVALID_ARGUMENT for a size out of range,
 * OTF2_ERROR_PROCESSED_WITH_FAULTS if the size is already set.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetDefChunkSize(OTF2_Archive *archive, uint64_t chunkSize);

/* Texts for the anchor file, UTF-8, copied: the machine, a description, the program that writes. */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetMachineName(OTF2_Archive *archive, const char *machineName);
OTF2_API OTF2_ErrorCode OTF2_Archive_SetDescription(OTF2_Archive *archive, const char *description);
OTF2_API OTF2_ErrorCode OTF2_Archive_SetCreator(OTF2_Archive *archive, const char *creator);

/*
 * Sets the callbacks that decide when buffers are written, see OTF2_Callbacks.h. Without them no
 * events are written.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetFlushCallbacks(OTF2_Archive *archive,
                                                       const OTF2_FlushCallbacks *flushCallbacks,
                                                       void *flushData);

/*
 * Sets the callbacks that provide memory for chunks. Without them each writer keeps up to 128 MiB.
 * OTF2_ERROR_INTEGRITY_FAULT if a callback is missing.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetMemoryCallbacks(OTF2_Archive *archive,
                                                        const OTF2_MemoryCallbacks *memoryCallbacks,
                                                        void *memoryData);

/*
 * Sets how the processes that write this archive communicate. Collective, once per archive.
 * Rank OTF2_COLLECTIVES_ROOT becomes primary and makes the directory.
 *   globalCommContext  all processes of the archive.
 *   localCommContext   those that share a physical file (SION only), or NULL.
 * Errors: OTF2_ERROR_INVALID_CALL when callbacks are set already, OTF2_ERROR_COLLECTIVE_CALLBACK,
 * errors of making the directory (an archive of that name exists: OTF2_ERROR_EEXIST).
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetCollectiveCallbacks(
    OTF2_Archive *archive, const OTF2_CollectiveCallbacks *collectiveCallbacks,
    void *collectiveData, OTF2_CollectiveContext *globalCommContext,
    OTF2_CollectiveContext *localCommContext);

/* The same for a single process. */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetSerialCollectiveCallbacks(OTF2_Archive *archive);

/* Stores whether this process owns the anchor file and the global definitions. */
OTF2_API OTF2_ErrorCode OTF2_Archive_IsPrimary(OTF2_Archive *archive, bool *result);

/* The same. */
OTF2_API OTF2_ErrorCode OTF2_Archive_IsMaster(OTF2_Archive *archive, bool *result);

/*
 * Sets locks, so that threads may use the archive (not the same writer) at the same time. Once per
 * archive, before any writer is asked for; OTF2_ERROR_INVALID_CALL when locks are set already.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetLockingCallbacks(
    OTF2_Archive *archive, const OTF2_LockingCallbacks *lockingCallbacks, void *lockingData);

/*
 * Gives advice. Errors: OTF2_ERROR_HINT_INVALID when it makes no sense in this file mode,
 * OTF2_ERROR_HINT_LOCKED when it was set or used before, OTF2_ERROR_HINT_INVALID_VALUE.
 *   value  of OTF2_HINT_GLOBAL_READER: an OTF2_Boolean.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetHint(OTF2_Archive *archive, OTF2_Hint hint, void *value);

/*
 * Sets a property of the archive.
 *   name       at least two words of [A-Za-z0-9_-] joined by "::"; kept in upper case.
 *              OTF2 3.0 refuses an archive that has a name with a dash.
 *   value      text, copied; "" removes the property.
 *   overwrite  whether an existing value may be replaced.
 * Errors: OTF2_ERROR_PROPERTY_NAME_INVALID, OTF2_ERROR_PROPERTY_EXISTS,
 * OTF2_ERROR_PROPERTY_NOT_FOUND when there is nothing to remove.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetProperty(OTF2_Archive *archive, const char *name,
                                                 const char *value, bool overwrite);

/* The same with the value "true" or "false". */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetBoolProperty(OTF2_Archive *archive, const char *name,
                                                     bool value, bool overwrite);

/*
 * Stores the number of properties and an array of their names: one block of memory that the caller
 * releases by free(), NULL when there are none.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetPropertyNames(OTF2_Archive *archive,
                                                      uint32_t *numberOfProperties, char ***names);

/* Stores a copy of a property's value, to be released by free(). OTF2_ERROR_PROPERTY_NOT_FOUND. */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetProperty(OTF2_Archive *archive, const char *name,
                                                 char **value);

/*
 * Stores the number that tells the archive from all others. OTF2_ERROR_INVALID_CALL while the
 * archive is being written: the number is chosen at the end.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetTraceId(OTF2_Archive *archive, uint64_t *id);

/* Stores how many locations, global definitions, snapshots, thumbnails the archive has so far. */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetNumberOfLocations(OTF2_Archive *archive,
                                                          uint64_t *numberOfLocations);
OTF2_API OTF2_ErrorCode OTF2_Archive_GetNumberOfGlobalDefinitions(OTF2_Archive *archive,
                                                                  uint64_t *numberOfDefinitions);
OTF2_API OTF2_ErrorCode OTF2_Archive_GetNumberOfSnapshots(OTF2_Archive *archive, uint32_t *number);
OTF2_API OTF2_ErrorCode OTF2_Archive_GetNumberOfThumbnails(OTF2_Archive *archive, uint32_t *number);

/* Sets the number of snapshots, which the library does not count itself. */
OTF2_API OTF2_ErrorCode OTF2_Archive_SetNumberOfSnapshots(OTF2_Archive *archive, uint32_t number);

/* Store copies of the texts above; release them with free(). OTF2_ERROR_MEM_FAULT: not set. */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetMachineName(OTF2_Archive *archive, char **machineName);
OTF2_API OTF2_ErrorCode OTF2_Archive_GetDescription(OTF2_Archive *archive, char **description);
OTF2_API OTF2_ErrorCode OTF2_Archive_GetCreator(OTF2_Archive *archive, char **creator);

/* Stores the version of the library that wrote the archive. */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetVersion(OTF2_Archive *archive, uint8_t *major,
                                                uint8_t *minor, uint8_t *bugfix);

/* Stores both chunk sizes, in bytes. OTF2_ERROR_INTEGRITY_FAULT: the second one is not set. */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetChunkSize(OTF2_Archive *archive, uint64_t *chunkSizeEvents,
                                                  uint64_t *chunkSizeDefs);

/* Stores how the files are kept, and how they are compressed. */
OTF2_API OTF2_ErrorCode OTF2_Archive_GetFileSubstrate(OTF2_Archive *archive,
                                                      OTF2_FileSubstrate *substrate);
OTF2_API OTF2_ErrorCode OTF2_Archive_GetCompression(OTF2_Archive *archive,
                                                    OTF2_Compression *compression);

/*
 * The writer of a location's events. The same location gives the same writer until it is closed;
 * OTF2_UNDEFINED_LOCATION gives a new one each time, which gets its location later by
 * OTF2_EvtWriter_SetLocationID.
 * Flush callbacks must be set. Before the collective callbacks are set, it writes only into memory.
 * Borrowed: it is valid until OTF2_Archive_CloseEvtWriter, or until the archive is closed. NULL on
 * error.
 */
OTF2_API OTF2_EvtWriter *OTF2_Archive_GetEvtWriter(OTF2_Archive *archive,
                                                   OTF2_LocationRef location);

/* The writer of a location's own definitions, in the same way. The location must be known. */
OTF2_API OTF2_DefWriter *OTF2_Archive_GetDefWriter(OTF2_Archive *archive,
                                                   OTF2_LocationRef location);

/* The writer of the global definitions; NULL unless the archive is primary. */
OTF2_API OTF2_GlobalDefWriter *OTF2_Archive_GetGlobalDefWriter(OTF2_Archive *archive);

/* The writer of a location's snapshots, as that of its definitions. */
OTF2_API OTF2_SnapWriter *OTF2_Archive_GetSnapWriter(OTF2_Archive *archive,
                                                     OTF2_LocationRef location);

/* The writer of markers; NULL unless the archive is primary. */
OTF2_API OTF2_MarkerWriter *OTF2_Archive_GetMarkerWriter(OTF2_Archive *archive);

/*
 * The writer of a new thumbnail, with its header written; NULL unless the archive is primary. It is
 * valid until the archive is closed.
 *   name, description  texts for the reader; copied.
 *   type               what the refs mean, an OTF2_THUMBNAIL_TYPE_...; stored without a check.
 *   numberOfSamples    that will be written by OTF2_ThumbWriter_WriteSample, at least one.
 *   numberOfMetrics    values in each sample, at least one, and references in refsToDefs, which is
 *                      copied.
 */
OTF2_API OTF2_ThumbWriter *
OTF2_Archive_GetThumbWriter(OTF2_Archive *archive, const char *name, const char *description,
                            OTF2_ThumbnailType type, uint32_t numberOfSamples,
                            uint32_t numberOfMetrics, const uint64_t *refsToDefs);

/*
 * Write a writer's remaining records, with `final` for the flush callback, and release the writer.
 * NULL is allowed. OTF2_ERROR_INVALID_ARGUMENT for a writer of another archive.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseEvtWriter(OTF2_Archive *archive, OTF2_EvtWriter *writer);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseDefWriter(OTF2_Archive *archive, OTF2_DefWriter *writer);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseGlobalDefWriter(OTF2_Archive *archive,
                                                          OTF2_GlobalDefWriter *writer);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseSnapWriter(OTF2_Archive *archive,
                                                     OTF2_SnapWriter *writer);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseMarkerWriter(OTF2_Archive *archive,
                                                       OTF2_MarkerWriter *writer);

/*
 * The readers of an archive, as OTF2_Reader_GetEvtReader and similar functions return them.
 * Borrowed: they are valid until the functions below, or until the archive is closed. NULL on
 * error, and for an archive that is being written.
 */
OTF2_API OTF2_EvtReader *OTF2_Archive_GetEvtReader(OTF2_Archive *archive,
                                                   OTF2_LocationRef location);
OTF2_API OTF2_GlobalEvtReader *OTF2_Archive_GetGlobalEvtReader(OTF2_Archive *archive);
OTF2_API OTF2_DefReader *OTF2_Archive_GetDefReader(OTF2_Archive *archive,
                                                   OTF2_LocationRef location);
OTF2_API OTF2_GlobalDefReader *OTF2_Archive_GetGlobalDefReader(OTF2_Archive *archive);
OTF2_API OTF2_SnapReader *OTF2_Archive_GetSnapReader(OTF2_Archive *archive,
                                                     OTF2_LocationRef location);
OTF2_API OTF2_GlobalSnapReader *OTF2_Archive_GetGlobalSnapReader(OTF2_Archive *archive);
OTF2_API OTF2_ThumbReader *OTF2_Archive_GetThumbReader(OTF2_Archive *archive, uint32_t number);
OTF2_API OTF2_MarkerReader *OTF2_Archive_GetMarkerReader(OTF2_Archive *archive);

/* Release a reader. OTF2_ERROR_INVALID_ARGUMENT for a reader of another archive. */
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseEvtReader(OTF2_Archive *archive, OTF2_EvtReader *reader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseGlobalEvtReader(OTF2_Archive *archive,
                                                          OTF2_GlobalEvtReader *globalEvtReader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseDefReader(OTF2_Archive *archive, OTF2_DefReader *reader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseGlobalDefReader(OTF2_Archive *archive,
                                                          OTF2_GlobalDefReader *globalDefReader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseSnapReader(OTF2_Archive *archive,
                                                     OTF2_SnapReader *reader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseGlobalSnapReader(OTF2_Archive *archive,
                                                           OTF2_GlobalSnapReader *globalSnapReader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseThumbReader(OTF2_Archive *archive,
                                                      OTF2_ThumbReader *reader);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseMarkerReader(OTF2_Archive *archive,
                                                       OTF2_MarkerReader *markerReader);

/*
 * Bracket the life of the writers, or readers, of event, local definition and snapshot files.
 * Collective: each process calls them in the same order, even without locations. They always
 * succeed with substrates that keep one file per location, since these need nothing here.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_OpenEvtFiles(OTF2_Archive *archive);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseEvtFiles(OTF2_Archive *archive);
OTF2_API OTF2_ErrorCode OTF2_Archive_OpenDefFiles(OTF2_Archive *archive);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseDefFiles(OTF2_Archive *archive);
OTF2_API OTF2_ErrorCode OTF2_Archive_OpenSnapFiles(OTF2_Archive *archive);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseSnapFiles(OTF2_Archive *archive);

/*
 * Announces a location that this process will read. OTF2_ERROR_INVALID_CALL when the archive is
 * written.
 */
OTF2_API OTF2_ErrorCode OTF2_Archive_SelectLocation(OTF2_Archive *archive,
                                                    OTF2_LocationRef location);

#ifdef __cplusplus
}
#endif

#endif
