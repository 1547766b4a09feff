/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Markers that a program writes to an archive that it reads. The writing side does it, by the
 * public functions, as for any other archive.
 */
#include "reader/reader.h"

static OTF2_Archive *open_archive(const OTF2_Reader *r)
{
    OTF2_Archive *archive = OTF2_Archive_Open(r->path, r->name, OTF2_FILEMODE_READ,
                                              OTF2_UNDEFINED_UINT64, OTF2_UNDEFINED_UINT64,
                                              OTF2_SUBSTRATE_UNDEFINED, OTF2_COMPRESSION_UNDEFINED);
    if (archive)
        (void)OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    return archive;
}

OTF2_MarkerWriter *OTF2_Reader_GetMarkerWriter(OTF2_Reader *reader)
{
    bool is_primary = false;
    if (OTF2_Reader_IsPrimary(reader, &is_primary))
        return NULL;
    if (!is_primary) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "not the primary reader");
        return NULL;
    }
    otf2_reader_lock(reader);
    if (!reader->markers_to)
        reader->markers_to = open_archive(reader);
    OTF2_MarkerWriter *writer =
        reader->markers_to ? OTF2_Archive_GetMarkerWriter(reader->markers_to) : NULL;
    otf2_reader_unlock(reader);
    return writer;
}

OTF2_ErrorCode OTF2_Reader_CloseMarkerWriter(OTF2_Reader *reader, OTF2_MarkerWriter *markerWriter)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader");
    if (!markerWriter)
        return OTF2_SUCCESS;
    otf2_reader_lock(reader);
    OTF2_ErrorCode error =
        reader->markers_to
            ? OTF2_Archive_CloseMarkerWriter(reader->markers_to, markerWriter)
            : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not a writer of this archive");
    otf2_reader_unlock(reader);
    return error;
}
