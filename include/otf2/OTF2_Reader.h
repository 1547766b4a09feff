/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive for reading. Begin here to read an archive. Names and signatures are those of OTF2
 * 3.0, files those of trace format 1 and 2, in both byte orders.
 *
 * In this order: open, set collective callbacks, read the global definitions, select locations,
 * open the locations' files, read the local definitions, read events. (Substrates with a file per
 * location can do without collective callbacks, selection and opening of files; other substrates
 * cannot.)
 *
 * With locking callbacks several threads may use a reader, without locking callbacks one thread at
 * a time. Each reader returned by an OTF2_Reader may be used by one thread at a time; different
 * threads may use different readers. Every function returns OTF2_ERROR_INVALID_ARGUMENT (or NULL)
 * for a NULL pointer, unless NULL is allowed.
 */
#ifndef OTF2_READER_H
#define OTF2_READER_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_Archive.h>
#include <otf2/OTF2_ErrorCodes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_Reader_struct OTF2_Reader;

/*
 * Opens an archive.
 *   anchorFilePath  the anchor file, "somewhere/traces.otf2".
 *
 * Release the reader with OTF2_Reader_Close. Returns NULL if the file cannot be read, is no anchor
 * file or has a later format, or without memory.
 */
OTF2_API OTF2_Reader *OTF2_Reader_Open(const char *anchorFilePath);

/*
 * Closes all readers returned by this reader, and releases this reader. Collective. Returns the
 * first error, but releases the reader in any case. NULL is allowed.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_Close(OTF2_Reader *reader);

/*
 * Gives advice. Errors: OTF2_ERROR_HINT_INVALID for a hint without a meaning for reading,
 * OTF2_ERROR_HINT_LOCKED for a hint that was set before, OTF2_ERROR_HINT_INVALID_VALUE.
 *   value  of OTF2_HINT_GLOBAL_READER: an OTF2_Boolean, whether events are read by a global reader.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_SetHint(OTF2_Reader *reader, OTF2_Hint hint, void *value);

/*
 * Sets how the processes that read this archive communicate. Collective, once per reader.
 *   globalCommContext  all processes that read this archive.
 *   localCommContext   the processes that share a physical file (SION only), or NULL.
 *
 * Errors: OTF2_ERROR_INVALID_CALL when callbacks are set already, OTF2_ERROR_COLLECTIVE_CALLBACK.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_SetCollectiveCallbacks(
    OTF2_Reader *reader, const OTF2_CollectiveCallbacks *collectiveCallbacks, void *collectiveData,
    OTF2_CollectiveContext *globalCommContext, OTF2_CollectiveContext *localCommContext);

/* The same for a single process. */
OTF2_API OTF2_ErrorCode OTF2_Reader_SetSerialCollectiveCallbacks(OTF2_Reader *reader);

/*
 * Sets locks, so that threads may use the reader at the same time. Once per reader, before any
 * other reader is asked for; OTF2_ERROR_INVALID_CALL when locks are set already.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_SetLockingCallbacks(
    OTF2_Reader *reader, const OTF2_LockingCallbacks *lockingCallbacks, void *lockingData);

/*
 * Set the callbacks for records, as OTF2_EvtReader_SetCallbacks and similar functions do. Callbacks
 * are copied; each callback gets userData.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_RegisterEvtCallbacks(OTF2_Reader *reader,
                                                         OTF2_EvtReader *evtReader,
                                                         const OTF2_EvtReaderCallbacks *callbacks,
                                                         void *userData);
OTF2_API OTF2_ErrorCode OTF2_Reader_RegisterGlobalEvtCallbacks(
    OTF2_Reader *reader, OTF2_GlobalEvtReader *evtReader,
    const OTF2_GlobalEvtReaderCallbacks *callbacks, void *userData);
OTF2_API OTF2_ErrorCode OTF2_Reader_RegisterDefCallbacks(OTF2_Reader *reader,
                                                         OTF2_DefReader *defReader,
                                                         const OTF2_DefReaderCallbacks *callbacks,
                                                         void *userData);
OTF2_API OTF2_ErrorCode OTF2_Reader_RegisterGlobalDefCallbacks(
    OTF2_Reader *reader, OTF2_GlobalDefReader *defReader,
    const OTF2_GlobalDefReaderCallbacks *callbacks, void *userData);
OTF2_API OTF2_ErrorCode OTF2_Reader_RegisterSnapCallbacks(OTF2_Reader *reader,
                                                          OTF2_SnapReader *snapReader,
                                                          const OTF2_SnapReaderCallbacks *callbacks,
                                                          void *userData);
OTF2_API OTF2_ErrorCode OTF2_Reader_RegisterGlobalSnapCallbacks(
    OTF2_Reader *reader, OTF2_GlobalSnapReader *evtReader,
    const OTF2_GlobalSnapReaderCallbacks *callbacks, void *userData);
OTF2_API OTF2_ErrorCode
OTF2_Reader_RegisterMarkerCallbacks(OTF2_Reader *reader, OTF2_MarkerReader *markerReader,
                                    const OTF2_MarkerReaderCallbacks *callbacks, void *userData);

/*
 * Read up to the requested number of records, or all remaining records, and call back for each.
 *   eventsRead, ...  receives the number of records: smaller than requested only at the end, at an
 *                    error and after an interruption.
 *
 * Errors: OTF2_ERROR_INTERRUPTED_BY_CALLBACK, after which reading can continue after the record;
 * the errors of OTF2_EvtReader_ReadEvents, OTF2_DefReader_ReadDefinitions and similar functions.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadLocalEvents(OTF2_Reader *reader, OTF2_EvtReader *evtReader,
                                                    uint64_t eventsToRead, uint64_t *eventsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllLocalEvents(OTF2_Reader *reader,
                                                       OTF2_EvtReader *evtReader,
                                                       uint64_t *eventsRead);

/* Reads backward, beginning with the event before the event that was read last. */
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadLocalEventsBackward(OTF2_Reader *reader,
                                                            OTF2_EvtReader *evtReader,
                                                            uint64_t eventsToRead,
                                                            uint64_t *eventsRead);

/*
 * Read one event of all locations; test whether there is an event (*flag is 1 or 0); read several.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadGlobalEvent(OTF2_Reader *reader,
                                                    OTF2_GlobalEvtReader *evtReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_HasGlobalEvent(OTF2_Reader *reader,
                                                   OTF2_GlobalEvtReader *evtReader, int *flag);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadGlobalEvents(OTF2_Reader *reader,
                                                     OTF2_GlobalEvtReader *evtReader,
                                                     uint64_t eventsToRead, uint64_t *eventsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllGlobalEvents(OTF2_Reader *reader,
                                                        OTF2_GlobalEvtReader *evtReader,
                                                        uint64_t *eventsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadLocalDefinitions(OTF2_Reader *reader,
                                                         OTF2_DefReader *defReader,
                                                         uint64_t definitionsToRead,
                                                         uint64_t *definitionsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllLocalDefinitions(OTF2_Reader *reader,
                                                            OTF2_DefReader *defReader,
                                                            uint64_t *definitionsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadGlobalDefinitions(OTF2_Reader *reader,
                                                          OTF2_GlobalDefReader *defReader,
                                                          uint64_t definitionsToRead,
                                                          uint64_t *definitionsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllGlobalDefinitions(OTF2_Reader *reader,
                                                             OTF2_GlobalDefReader *defReader,
                                                             uint64_t *definitionsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadLocalSnapshots(OTF2_Reader *reader,
                                                       OTF2_SnapReader *snapReader,
                                                       uint64_t recordsToRead,
                                                       uint64_t *recordsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllLocalSnapshots(OTF2_Reader *reader,
                                                          OTF2_SnapReader *snapReader,
                                                          uint64_t *recordsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadGlobalSnapshots(OTF2_Reader *reader,
                                                        OTF2_GlobalSnapReader *snapReader,
                                                        uint64_t recordsToRead,
                                                        uint64_t *recordsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllGlobalSnapshots(OTF2_Reader *reader,
                                                           OTF2_GlobalSnapReader *snapReader,
                                                           uint64_t *recordsRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadMarkers(OTF2_Reader *reader,
                                                OTF2_MarkerReader *markerReader,
                                                uint64_t markersToRead, uint64_t *markersRead);
OTF2_API OTF2_ErrorCode OTF2_Reader_ReadAllMarkers(OTF2_Reader *reader,
                                                   OTF2_MarkerReader *markerReader,
                                                   uint64_t *markersRead);

/*
 * The readers of each kind. The same arguments give the same reader until the reader is closed.
 * Borrowed: a reader is valid until the functions below, or until the OTF2_Reader is closed. NULL
 * on error, for example if the file does not exist.
 *   location  a location selected by OTF2_Reader_SelectLocation.
 *   number    of the thumbnail, from 0.
 */
OTF2_API OTF2_EvtReader *OTF2_Reader_GetEvtReader(OTF2_Reader *reader, OTF2_LocationRef location);

/* Reads the events of all selected locations; opens the necessary event readers. */
OTF2_API OTF2_GlobalEvtReader *OTF2_Reader_GetGlobalEvtReader(OTF2_Reader *reader);
OTF2_API OTF2_DefReader *OTF2_Reader_GetDefReader(OTF2_Reader *reader, OTF2_LocationRef location);
OTF2_API OTF2_GlobalDefReader *OTF2_Reader_GetGlobalDefReader(OTF2_Reader *reader);
OTF2_API OTF2_SnapReader *OTF2_Reader_GetSnapReader(OTF2_Reader *reader, OTF2_LocationRef location);
OTF2_API OTF2_GlobalSnapReader *OTF2_Reader_GetGlobalSnapReader(OTF2_Reader *reader);
OTF2_API OTF2_ThumbReader *OTF2_Reader_GetThumbReader(OTF2_Reader *reader, uint32_t number);
OTF2_API OTF2_MarkerReader *OTF2_Reader_GetMarkerReader(OTF2_Reader *reader);

/* A writer that adds markers to the archive. Close the writer before you read markers. */
OTF2_API OTF2_MarkerWriter *OTF2_Reader_GetMarkerWriter(OTF2_Reader *reader);

/* Release a reader. OTF2_ERROR_INVALID_ARGUMENT for a reader of another OTF2_Reader. */
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseEvtReader(OTF2_Reader *reader, OTF2_EvtReader *evtReader);

/* Closes the event readers of all locations as well. */
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseGlobalEvtReader(OTF2_Reader *reader,
                                                         OTF2_GlobalEvtReader *globalEvtReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseDefReader(OTF2_Reader *reader, OTF2_DefReader *defReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseGlobalDefReader(OTF2_Reader *reader,
                                                         OTF2_GlobalDefReader *globalDefReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseSnapReader(OTF2_Reader *reader,
                                                    OTF2_SnapReader *snapReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseGlobalSnapReader(OTF2_Reader *reader,
                                                          OTF2_GlobalSnapReader *globalSnapReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseThumbReader(OTF2_Reader *reader,
                                                     OTF2_ThumbReader *thumbReader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseMarkerReader(OTF2_Reader *reader,
                                                      OTF2_MarkerReader *markerReader);

/* Writes the remaining markers, and releases the marker writer. */
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseMarkerWriter(OTF2_Reader *reader,
                                                      OTF2_MarkerWriter *markerWriter);

/* Stores the version of the library that wrote the archive. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetVersion(OTF2_Reader *reader, uint8_t *major, uint8_t *minor,
                                               uint8_t *bugfix);

/* Stores both chunk sizes, in bytes. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetChunkSize(OTF2_Reader *reader, uint64_t *chunkSizeEvents,
                                                 uint64_t *chunkSizeDefinitions);

/* Stores how the files are kept, and how they are compressed. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetFileSubstrate(OTF2_Reader *reader,
                                                     OTF2_FileSubstrate *substrate);
OTF2_API OTF2_ErrorCode OTF2_Reader_GetCompression(OTF2_Reader *reader,
                                                   OTF2_Compression *compression);

/* Stores how many locations and global definitions there are, as the anchor file says. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetNumberOfLocations(OTF2_Reader *reader,
                                                         uint64_t *numberOfLocations);
OTF2_API OTF2_ErrorCode OTF2_Reader_GetNumberOfGlobalDefinitions(OTF2_Reader *reader,
                                                                 uint64_t *numberOfDefinitions);

/* Store copies of texts of the anchor file, to be released by free(). */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetMachineName(OTF2_Reader *reader, char **machineName);
OTF2_API OTF2_ErrorCode OTF2_Reader_GetCreator(OTF2_Reader *reader, char **creator);
OTF2_API OTF2_ErrorCode OTF2_Reader_GetDescription(OTF2_Reader *reader, char **description);

/*
 * Stores the number of properties and an array of their names: a block of memory that the caller
 * releases by free(), NULL when there are no properties.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetPropertyNames(OTF2_Reader *reader,
                                                     uint32_t *numberOfProperties, char ***names);

/* Stores a copy of a property's value, to be released by free(). OTF2_ERROR_PROPERTY_NOT_FOUND. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetProperty(OTF2_Reader *reader, const char *name,
                                                char **value);

/*
 * Stores a property's value as a truth value. OTF2_ERROR_PROPERTY_NOT_FOUND,
 * OTF2_ERROR_PROPERTY_VALUE_INVALID when the value is neither "true" nor "false".
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetBoolProperty(OTF2_Reader *reader, const char *name,
                                                    bool *value);

/* Stores the number that distinguishes the archive from all other archives. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetTraceId(OTF2_Reader *reader, uint64_t *id);

/* Stores how many snapshots and thumbnails there are, as the anchor file says. */
OTF2_API OTF2_ErrorCode OTF2_Reader_GetNumberOfSnapshots(OTF2_Reader *reader, uint32_t *number);
OTF2_API OTF2_ErrorCode OTF2_Reader_GetNumberOfThumbnails(OTF2_Reader *reader, uint32_t *number);

/*
 * Bracket the life of the readers of event, local definition and snapshot files. Collective: each
 * process calls the functions in the same order, even if the process reads no locations.
 */
OTF2_API OTF2_ErrorCode OTF2_Reader_OpenEvtFiles(OTF2_Reader *reader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseEvtFiles(OTF2_Reader *reader);
OTF2_API OTF2_ErrorCode OTF2_Reader_OpenDefFiles(OTF2_Reader *reader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseDefFiles(OTF2_Reader *reader);
OTF2_API OTF2_ErrorCode OTF2_Reader_OpenSnapFiles(OTF2_Reader *reader);
OTF2_API OTF2_ErrorCode OTF2_Reader_CloseSnapFiles(OTF2_Reader *reader);

/* Announces a location that this process will read, before its files are opened. */
OTF2_API OTF2_ErrorCode OTF2_Reader_SelectLocation(OTF2_Reader *reader, OTF2_LocationRef location);

/* Store whether this process owns the anchor file and the global definitions; both are equal. */
OTF2_API OTF2_ErrorCode OTF2_Reader_IsPrimary(OTF2_Reader *reader, bool *result);
OTF2_API OTF2_ErrorCode OTF2_Reader_IsMaster(OTF2_Reader *reader, bool *result);

#ifdef __cplusplus
}
#endif

#endif
