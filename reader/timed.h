/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file of timed records, event by event. The bytes between the records (timestamps, attribute
 * lists, ends of chunks and of the file) are dealt with here, the records' attributes are not.
 *
 * Bytes are read in place, in the file's window. Everything is checked. Only for bytes in front of
 * `fast_end` a caller may go without checks, since OTF2_TIMED_SLACK more bytes are in memory behind
 * `fast_end` and the byte order is the host's.
 *
 * A fault in a file is reported once, where the fault is found, and ends the reading: from then on
 * each step fails. Going elsewhere in the file starts anew. One thread at a time.
 */
#ifndef READER_TIMED_H
#define READER_TIMED_H

#include "format/attributes.h"
#include "format/frame.h"
#include "format/record.h"
#include "reader/chunk_window.h"
#include "reader/reader.h"

enum {
    /* A timestamp, an attribute list, and a record of short length with a word behind it. */
    OTF2_TIMED_SLACK = OTF2_FRAME_TIME_BYTES + OTF2_ATTRIBUTES_SHORT + 264
};

/* A place between two records, and the time in force at the place. */
struct otf2_timed_mark {
    uint64_t chunk;
    uint64_t offset; /* in the chunk */
    OTF2_TimeStamp time;
};

/* A timestamp that reads as another time, by order of the program. */
struct otf2_timed_rewrite {
    uint64_t chunk;
    uint64_t offset;
    OTF2_TimeStamp time;
};

struct otf2_timed {
    const uint8_t *at;       /* the next byte */
    const uint8_t *fast_end; /* NULL: everything needs checks */
    OTF2_TimeStamp time;     /* as in the file, of the last timestamp */
    const uint8_t *end;      /* of the chunk's bytes in memory */
    uint64_t end_offset;     /* of `end` in the chunk */
    uint64_t chunk;
    uint64_t time_offset; /* in the chunk, of the last timestamp that otf2_timed_next() met */
    struct otf2_timed_mark before; /* the place in front of the record found by otf2_timed_next() */
    struct otf2_timed_mark found;  /* a record that the caller has not moved away from */
    bool is_swapped;
    bool is_begun;        /* false: nothing is in memory yet */
    bool is_broken;       /* `error` was reported */
    OTF2_ErrorCode error; /* the program's answer to the report */
    enum otf2_place place;
    struct otf2_timed_rewrite *rewrites; /* in the order of the file */
    uint64_t n_rewrites;
    uint64_t room_for_rewrites;
    struct otf2_chunks file;
};

/* A whole record in memory. */
struct otf2_timed_record {
    const struct otf2_record *row; /* NULL: unknown */
    const uint8_t *attributes;
    const uint8_t *end;
};

enum otf2_timed_step { OTF2_TIMED_RECORD, OTF2_TIMED_END, OTF2_TIMED_FAILED };

/* Opens the file of a location: see otf2_reader_open_file. Reads nothing yet. */
OTF2_ErrorCode otf2_timed_open(struct otf2_timed *s, OTF2_Reader *r, OTF2_FileType type,
                               OTF2_LocationRef location, enum otf2_place place);

/* Harmless if already closed. */
void otf2_timed_close(struct otf2_timed *s);

/*
 * Goes to the next record, which then begins at s->at; s->time is the record's time, `list` the
 * record's attribute list. The caller moves s->at to the record's end. OTF2_TIMED_FAILED: s->error
 * is to be returned.
 */
enum otf2_timed_step otf2_timed_next(struct otf2_timed *s, OTF2_AttributeList *list,
                                     struct otf2_timed_record *record);

/* Reports that the record at s->at is malformed; always OTF2_TIMED_FAILED. */
enum otf2_timed_step otf2_timed_malformed(struct otf2_timed *s, const char *what);

/* As above for any error code. */
enum otf2_timed_step otf2_timed_fail(struct otf2_timed *s, OTF2_ErrorCode code, const char *what);

/* The place of the stream; after a failure the last good place. */
struct otf2_timed_mark otf2_timed_tell(const struct otf2_timed *s);

/* Goes to a place returned by otf2_timed_tell(). False: failed, and reported. */
bool otf2_timed_go(struct otf2_timed *s, struct otf2_timed_mark mark);

/*
 * Goes to the begin of a chunk. The header gives the numbers of the chunk's first and last record.
 * The first number is 1 more than the number of records in all chunks before; without a record in
 * the chunk, the last number is equal to the number of records before. False: failed, and reported.
 */
bool otf2_timed_enter(struct otf2_timed *s, uint64_t chunk, uint64_t *first, uint64_t *last);

/*
 * From now on the timestamp at the given place reads as `time`. The file stays unchanged. False
 * without memory.
 */
bool otf2_timed_rewrite(struct otf2_timed *s, uint64_t chunk, uint64_t offset, OTF2_TimeStamp time);

#endif
