/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of an archive for reading, shared by the files of this folder. Each kind of reader has
 * an open function, called once per handle by the kind's OTF2_Reader_Get*Reader, and a close
 * function; both report their own errors.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_Reader.h>

#include "format/anchor.h"
#include "format/error.h"
#include "reader/context_regions.h"
#include "reader/location_state.h"

struct otf2_chunks;
struct otf2_containers;

/*
 * An anchor file may promise more thumbnails than memory can hold: a list of open thumbnails, not
 * an array of all.
 */
struct otf2_thumb_slot {
    uint32_t number;
    OTF2_ThumbReader *reader;
};

struct OTF2_Reader_struct {
    char *path; /* of the directory */
    char *name; /* of the archive, usually "traces" */
    uint8_t *anchor_bytes;
    struct otf2_anchor anchor; /* borrows from anchor_bytes */

    OTF2_LockingCallbacks locking;
    void *locking_data;
    bool has_locks;
    OTF2_Lock lock; /* made by the program's callback, which may return NULL */
    bool has_collectives;
    OTF2_CollectiveCallbacks collectives;
    void *collective_data;
    OTF2_CollectiveContext *global_context;
    OTF2_CollectiveContext *local_context;
    bool is_global_reader_hinted; /* OTF2_HINT_GLOBAL_READER */
    bool is_hint_locked;          /* the hint was set before */

    struct otf2_containers *containers; /* of substrate SION, after the first use */
    struct otf2_locations locations;
    struct otf2_context_regions context_regions;
    OTF2_GlobalEvtReader *global_evt; /* NULL: not open */
    OTF2_GlobalDefReader *global_def;
    OTF2_GlobalSnapReader *global_snap;
    OTF2_MarkerReader *marker;
    struct otf2_thumb_slot *thumbs; /* the open readers */
    uint32_t n_thumbs;
    uint32_t thumbs_room;
    OTF2_Archive *markers_to; /* of OTF2_Reader_GetMarkerWriter */
    uint64_t last_closed;     /* place of the last closed reader of a location */
};

void otf2_reader_lock(OTF2_Reader *r);
void otf2_reader_unlock(OTF2_Reader *r);

/*
 * Opens a file of the archive, wherever the bytes lie; see otf2_chunks_open. `number` as for
 * otf2_path_make. Called with the lock held.
 */
OTF2_ErrorCode otf2_reader_open_file(OTF2_Reader *r, OTF2_FileType type, uint64_t number,
                                     uint64_t chunk_bytes, OTF2_Compression compression,
                                     struct otf2_chunks *f);

/*
 * Of an archive of substrate SION: reads the archive's rank map, unless already read. Errors are
 * reported.
 */
OTF2_ErrorCode otf2_reader_find_containers(OTF2_Reader *r);

/*
 * Openers and closers of the readers of each kind, called with the lock held. NULL: a failure,
 * already reported.
 */
OTF2_EvtReader *otf2_evt_reader_open(OTF2_Reader *r, struct otf2_location *location);
void otf2_evt_reader_close(OTF2_EvtReader *e);
OTF2_GlobalEvtReader *otf2_global_evt_reader_open(OTF2_Reader *r);
void otf2_global_evt_reader_close(OTF2_GlobalEvtReader *g);
OTF2_SnapReader *otf2_snap_reader_open(OTF2_Reader *r, struct otf2_location *location);
void otf2_snap_reader_close(OTF2_SnapReader *s);
OTF2_GlobalSnapReader *otf2_global_snap_reader_open(OTF2_Reader *r);
void otf2_global_snap_reader_close(OTF2_GlobalSnapReader *g);
OTF2_DefReader *otf2_def_reader_open(OTF2_Reader *r, struct otf2_location *location);
void otf2_def_reader_close(OTF2_DefReader *d);
OTF2_GlobalDefReader *otf2_global_def_reader_open(OTF2_Reader *r);
void otf2_global_def_reader_close(OTF2_GlobalDefReader *d);
OTF2_MarkerReader *otf2_marker_reader_open(OTF2_Reader *r);
void otf2_marker_reader_close(OTF2_MarkerReader *m);
OTF2_ThumbReader *otf2_thumb_reader_open(OTF2_Reader *r, uint32_t number);
void otf2_thumb_reader_close(OTF2_ThumbReader *t);

/* Closes all open readers. */
void otf2_reader_close_all(OTF2_Reader *r);

#endif
