/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands in a file around its records: single bytes, of which some begin more; and the first
 * bytes of events.
 */
#ifndef FORMAT_FRAME_H
#define FORMAT_FRAME_H

enum otf2_frame {
    OTF2_FRAME_END_OF_CHUNK, /* the rest of the chunk is not used */
    OTF2_FRAME_END_OF_BUFFER,
    OTF2_FRAME_END_OF_FILE,
    OTF2_FRAME_HEADER, /* of a chunk: the byte order, the numbers of its first and last record */
    OTF2_FRAME_RESERVED,
    OTF2_FRAME_TIME,
    OTF2_FRAME_ATTRIBUTES,        /* of the record behind */
    OTF2_FRAME_FIRST_RECORD = 10, /* from here on ids are those of records */
};

enum {
    OTF2_FRAME_TIME_BYTES = 9,
    OTF2_FRAME_FIRST_AT = 2, /* in a chunk's header */
    OTF2_FRAME_LAST_AT = 10,
    OTF2_FRAME_HEADER_BYTES = 18,
};

enum otf2_evt_id {
#define EVENT(Name, NAME, id, ...) OTF2_EVT_ID_##Name = (id),
#include <otf2/otf2_events.def>
#undef EVENT
};

#endif
