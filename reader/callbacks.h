/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program gave to be called: one pointer per record, NULL where it wants none. Readers copy
 * the struct when callbacks are set. Derived from the tables, in their order.
 */
#ifndef READER_CALLBACKS_H
#define READER_CALLBACKS_H

#include <otf2/OTF2_DefReaderCallbacks.h>
#include <otf2/OTF2_EvtReaderCallbacks.h>
#include <otf2/OTF2_GlobalDefReaderCallbacks.h>
#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>
#include <otf2/OTF2_GlobalSnapReaderCallbacks.h>
#include <otf2/OTF2_MarkerReaderCallbacks.h>
#include <otf2/OTF2_SnapReaderCallbacks.h>

struct OTF2_EvtReaderCallbacks_struct {
    OTF2_EvtReaderCallback_Unknown Unknown;
#define EVENT(Name, ...) OTF2_EvtReaderCallback_##Name Name;
#include <otf2/otf2_events.def>
#undef EVENT
};

struct OTF2_GlobalEvtReaderCallbacks_struct {
    OTF2_GlobalEvtReaderCallback_Unknown Unknown;
#define EVENT(Name, ...) OTF2_GlobalEvtReaderCallback_##Name Name;
#include <otf2/otf2_events.def>
#undef EVENT
};

struct OTF2_SnapReaderCallbacks_struct {
    OTF2_SnapReaderCallback_Unknown Unknown;
#define SNAP(Name, ...) OTF2_SnapReaderCallback_##Name Name;
#include <otf2/otf2_snaps.def>
#undef SNAP
};

struct OTF2_GlobalSnapReaderCallbacks_struct {
    OTF2_GlobalSnapReaderCallback_Unknown Unknown;
#define SNAP(Name, ...) OTF2_GlobalSnapReaderCallback_##Name Name;
#include <otf2/otf2_snaps.def>
#undef SNAP
};

struct OTF2_DefReaderCallbacks_struct {
    OTF2_DefReaderCallback_Unknown Unknown;
#define SHARED_DEF(Name, ...) OTF2_DefReaderCallback_##Name Name;
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
};

struct OTF2_GlobalDefReaderCallbacks_struct {
    OTF2_GlobalDefReaderCallback_Unknown Unknown;
#define SHARED_DEF(Name, ...) OTF2_GlobalDefReaderCallback_##Name Name;
#define LOCAL_DEF(...)
#define GLOBAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
};

struct OTF2_MarkerReaderCallbacks_struct {
    OTF2_MarkerReaderCallback_Unknown Unknown;
#define MARKER(Name, ...) OTF2_MarkerReaderCallback_##Name Name;
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

#endif
