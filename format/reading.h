/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the writing side reaches the reading side, for archives that are read, or read and modified,
 * by OTF2_Archive_Open: the two do not know each other. What is linked without the reading side
 * finds otf2_reading absent.
 *
 * A table and not the public functions themselves: libspur.so lives in programs that may have
 * another OTF2 library, whose functions a weak reference would find.
 */
#ifndef FORMAT_READING_H
#define FORMAT_READING_H

#include <otf2/OTF2_Reader.h>

#include "format/anchor.h"

/* The kinds of readers: those of a location, and those that exist once. */
#define OTF2_READERS_OF_LOCATION(X) X(EvtReader) X(DefReader) X(SnapReader)
#define OTF2_READERS_SINGLE(X)                                                                     \
    X(GlobalEvtReader) X(GlobalDefReader) X(GlobalSnapReader) X(MarkerReader)

struct otf2_reading {
    OTF2_Reader *(*open)(const char *anchor_path);
    OTF2_ErrorCode (*close)(OTF2_Reader *reader);
    const struct otf2_anchor *(*anchor)(const OTF2_Reader *reader); /* borrowed */
    OTF2_ErrorCode (*set_locks)(OTF2_Reader *reader, const OTF2_LockingCallbacks *callbacks,
                                void *user);
    OTF2_ErrorCode (*set_hint)(OTF2_Reader *reader, OTF2_Hint hint, void *value);
    OTF2_ErrorCode (*select)(OTF2_Reader *reader, OTF2_LocationRef location);
#define X(Type)                                                                                    \
    OTF2_##Type *(*get_##Type)(OTF2_Reader * reader, OTF2_LocationRef location);                   \
    OTF2_ErrorCode (*close_##Type)(OTF2_Reader * reader, OTF2_##Type * handle);
    OTF2_READERS_OF_LOCATION(X)
#undef X
#define X(Type)                                                                                    \
    OTF2_##Type *(*get_##Type)(OTF2_Reader * reader);                                              \
    OTF2_ErrorCode (*close_##Type)(OTF2_Reader * reader, OTF2_##Type * handle);
    OTF2_READERS_SINGLE(X)
#undef X
    OTF2_ThumbReader *(*get_ThumbReader)(OTF2_Reader *reader, uint32_t number);
    OTF2_ErrorCode (*close_ThumbReader)(OTF2_Reader *reader, OTF2_ThumbReader *handle);
};

extern const struct otf2_reading otf2_reading __attribute__((weak, visibility("hidden")));

static inline const struct otf2_reading *otf2_reading_find(void)
{
    return &otf2_reading;
}

#endif
