/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the files of an archive that is read lie: each by itself, or in containers. */
#include "format/paths.h"
#include "reader/chunk_window.h"
#include "reader/containers.h"
#include "reader/reader.h"

OTF2_ErrorCode otf2_reader_find_containers(OTF2_Reader *r)
{
    struct otf2_fault fault;
    if (r->anchor.substrate != OTF2_SUBSTRATE_SION || r->containers)
        return OTF2_SUCCESS;
    r->containers = otf2_containers_new(r->path, r->name, &fault);
    return r->containers ? OTF2_SUCCESS : otf2_fault_report(&fault);
}

/* The other files of an archive with containers are plain ones. */
static bool is_in_container(const OTF2_Reader *r, OTF2_FileType type)
{
    return r->anchor.substrate == OTF2_SUBSTRATE_SION &&
           (type == OTF2_FILETYPE_EVENTS || type == OTF2_FILETYPE_LOCAL_DEFS ||
            type == OTF2_FILETYPE_SNAPSHOTS);
}

OTF2_ErrorCode otf2_reader_open_file(OTF2_Reader *r, OTF2_FileType type, uint64_t number,
                                     uint64_t chunk_bytes, OTF2_Compression compression,
                                     struct otf2_chunks *f)
{
    char path[OTF2_PATH_BYTES];
    struct otf2_fault fault;
    if (!otf2_path_make(r->path, r->name, type, number, path, sizeof path)) {
        OTF2_ErrorCode answer =
            OTF2_ERROR(OTF2_ERROR_ENAMETOOLONG, "%s: the path is too long", r->path);
        return answer ? answer : OTF2_ERROR_ENAMETOOLONG;
    }
    if (!is_in_container(r, type))
        return otf2_chunks_open(f, path, chunk_bytes, compression);
    OTF2_ErrorCode error = otf2_reader_find_containers(r);
    if (error)
        return error;
    const struct otf2_pieces *pieces = otf2_containers_find(r->containers, type, number, &fault);
    return pieces ? otf2_chunks_open_pieces(f, path, pieces, chunk_bytes)
                  : otf2_fault_report(&fault);
}
