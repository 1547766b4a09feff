/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the events of an archive in all directions; for targets that have events in their input. */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include "fuzz.h"
#include "touch.h"

static inline OTF2_EvtReaderCallbacks *local_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
#define EVENT(Name, ...) OTF2_EvtReaderCallbacks_Set##Name##Callback(c, evt_##Name);
    EVENT(Unknown, )
#include <otf2/otf2_events.def>
#undef EVENT
    return c;
}

static inline OTF2_GlobalEvtReaderCallbacks *merged_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
#define EVENT(Name, ...) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, merged_##Name);
    EVENT(Unknown, )
#include <otf2/otf2_events.def>
#undef EVENT
    return c;
}

/* Until nothing comes any more, or something is wrong. */
static inline void read_on(OTF2_Reader *r, OTF2_EvtReader *e, bool is_backward, uint64_t piece)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = is_backward ? OTF2_Reader_ReadLocalEventsBackward(r, e, piece, &read)
                           : OTF2_Reader_ReadLocalEvents(r, e, piece, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
            code = OTF2_SUCCESS;
    }
}

/* `how` says where to seek, how much to read at a time, and how often callbacks interrupt. */
static inline void read_location(OTF2_Reader *r, uint8_t how)
{
    enum { FEW = 3, MANY = 1000, SEEKS = 6, SIZES = 7 };
    uint64_t position = 0;
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    OTF2_EvtReaderCallbacks *c = local_callbacks();
    if (e) {
        OTF2_Reader_RegisterEvtCallbacks(r, e, c, NULL);
        uint64_t piece = how % 2 ? MANY : 1 + how % SIZES;
        for (unsigned i = 0; i < SEEKS; i++)
            if (!OTF2_EvtReader_Seek(e, 1 + how * i % SIZES * FEW))
                read_on(r, e, i % 2, i < FEW ? FEW : piece);
        OTF2_EvtReader_GetPos(e, &position);
        OTF2_EvtReader_Seek(e, 1);
        read_on(r, e, false, piece);
        read_on(r, e, true, piece);
        OTF2_Reader_CloseEvtReader(r, e);
    }
    OTF2_EvtReaderCallbacks_Delete(c);
}

static inline void read_merged(OTF2_Reader *r)
{
    enum { PIECE = 100 };
    for (OTF2_LocationRef l = 0; l < FUZZ_LOCATIONS; l++)
        OTF2_Reader_GetEvtReader(r, l);
    OTF2_GlobalEvtReader *g = OTF2_Reader_GetGlobalEvtReader(r);
    OTF2_GlobalEvtReaderCallbacks *c = merged_callbacks();
    OTF2_ErrorCode code =
        g ? OTF2_Reader_RegisterGlobalEvtCallbacks(r, g, c, NULL) : OTF2_ERROR_INVALID;
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = OTF2_Reader_ReadGlobalEvents(r, g, PIECE, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
            code = OTF2_SUCCESS;
    }
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
}

/* The archive's events: those of one location to and fro, then those of all. */
static inline void read_events(uint8_t how)
{
    enum { STOPS = 5 };
    uint64_t read = 0;
    stop_every = how % STOPS;
    OTF2_Reader *r = fuzz_open();
    OTF2_Reader_OpenDefFiles(r);
    OTF2_DefReader *d = OTF2_Reader_GetDefReader(r, 0);
    if (d)
        OTF2_Reader_ReadAllLocalDefinitions(r, d, &read);
    OTF2_Reader_OpenEvtFiles(r);
    read_location(r, how);
    read_merged(r);
    OTF2_Reader_Close(r);
}

#endif
