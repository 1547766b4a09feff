/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usual way to decode the attributes of a definition: straight-line code for each record, in
 * place of the loop over descriptors of otf2_record_decode().
 */
#ifndef FORMAT_DEF_DECODE_H
#define FORMAT_DEF_DECODE_H

#include "format/record.h"

enum {
    /* Readable bytes that must stand behind `end`, whatever they are: a record has at most 16
     * cells, and a cell is looked at without asking whether the record goes on. */
    OTF2_DEF_SLACK = 192
};

/*
 * As otf2_record_decode(), for attributes in [at, end) in the byte order of the host. False for all
 * that is not usual (records of older versions, id maps, malformed ones): then nothing has happened
 * but that *data is undefined, and otf2_record_decode() has the last word.
 */
bool otf2_def_decode(const uint8_t *at, const uint8_t *end, const struct otf2_record *rec,
                     void *data, void *scratch, size_t room);

#endif
