/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of a file without times (definitions, markers, thumbnails), one after the other, over
 * all chunks of the file. One thread at a time uses a cursor.
 */
#ifndef READER_RECORDS_H
#define READER_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

#include "format/record.h"
#include "reader/chunk_window.h"
#include "reader/reader.h"

struct otf2_records {
    struct otf2_chunks file;
    enum otf2_place place; /* the meaning of ids */
    uint64_t chunk;        /* the next record begins at byte `at` of this chunk */
    uint64_t at;
    uint64_t record_at; /* begin of the last record, counted from the begin of the unpacked file */
    bool is_swapped;    /* this chunk has the opposite byte order */
    bool is_at_end;     /* the end mark was read */
    void *scratch;      /* for arrays */
    size_t room;
};

/* Opens a file at its first record. Errors are reported here and leave nothing to close. */
OTF2_ErrorCode otf2_records_open(struct otf2_records *c, const char *path, uint64_t chunk_bytes,
                                 OTF2_Compression compression, enum otf2_place place);

/*
 * The same for a file of an archive, with the parameters that follow from the file's kind.
 *   number  the location or thumbnail, as for otf2_reader_open_file.
 */
OTF2_ErrorCode otf2_records_open_file(struct otf2_records *c, OTF2_Reader *r, OTF2_FileType type,
                                      uint64_t number);

void otf2_records_close(struct otf2_records *c);

/* The result of otf2_records_next. */
struct otf2_read {
    bool is_any;                   /* false at the end of the file */
    const struct otf2_record *rec; /* NULL: a kind unknown to this version */
    union otf2_any_record data;    /* borrows from the cursor; an id map belongs to the caller */
};

/*
 * Reads the next record. An error is reported here, and nothing was read. After an error in the
 * content of a record, reading can go on behind the record. A file that is cut, or whose structure
 * is broken, gives the same error again.
 */
OTF2_ErrorCode otf2_records_next(struct otf2_records *c, struct otf2_read *read);

/*
 * Reports an error about the last record, with the file's name and the record's place. Never a
 * success.
 */
__attribute__((format(printf, 3, 4))) OTF2_ErrorCode
otf2_records_fault(const struct otf2_records *c, OTF2_ErrorCode code, const char *format, ...);

#endif
