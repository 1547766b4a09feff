/* SPDX-License-Identifier: BSD-3-Clause */
/* The reading side as the writing side sees it. */
#include "format/reading.h"

#include "reader/reader.h"

static const struct otf2_anchor *anchor_of(const OTF2_Reader *reader)
{
    return &reader->anchor;
}

const struct otf2_reading otf2_reading = {.open = OTF2_Reader_Open,
                                          .close = OTF2_Reader_Close,
                                          .anchor = anchor_of,
                                          .set_locks = OTF2_Reader_SetLockingCallbacks,
                                          .set_hint = OTF2_Reader_SetHint,
                                          .select = OTF2_Reader_SelectLocation,
#define X(Type) .get_##Type = OTF2_Reader_Get##Type, .close_##Type = OTF2_Reader_Close##Type,
                                          OTF2_READERS_OF_LOCATION(X) OTF2_READERS_SINGLE(X)
                                              X(ThumbReader)
#undef X
};
