/* SPDX-License-Identifier: BSD-3-Clause */
/* What the callbacks of records have in common. */
#ifndef TOOLS_BASE_EVENT_CALLBACKS_H
#define TOOLS_BASE_EVENT_CALLBACKS_H

#include <stdint.h>

#include <otf2/otf2.h>

/* The parameters that callbacks of events begin with: of a reader of all locations, ... */
#define MERGED_EVENT                                                                               \
    OTF2_LocationRef location __attribute__((unused)),                                             \
        OTF2_TimeStamp time __attribute__((unused)), void *user,                                   \
        OTF2_AttributeList *attributes __attribute__((unused))
/* ... and of a reader of one. */
#define LOCAL_EVENT                                                                                \
    OTF2_LocationRef location __attribute__((unused)),                                             \
        OTF2_TimeStamp time __attribute__((unused)), uint64_t position __attribute__((unused)),    \
        void *user, OTF2_AttributeList *attributes __attribute__((unused))

/* In a function whose `c` is an object with callbacks: `function` hears of the records `Name`. */
#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)
#define READ_LOCAL(Name, function) OTF2_EvtReaderCallbacks_Set##Name##Callback(c, function)
#define READ_DEFINITION(Name, function)                                                            \
    OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(c, function)

#endif
