/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 from 1.10 on, with ids of 64 bits. Calls of older libraries are not recorded.
 *
 * The library is asked before the real call: each function of the library begins with an empty
 * stack of errors, so the program sees the errors of the real call. Behind the real call, spur asks
 * only about a file that was closed, and a closing leaves no errors. spur asks nothing about a bad
 * id, since the question would print an error.
 */
#ifndef HDF5_EMIT_H
#define HDF5_EMIT_H

#include <stdint.h>
#include <sys/types.h>

#include "wrappers/formats/format_frame.h"

typedef int64_t hdf5_id;

enum hdf5_row {
#define HDF5_CALL(type, name, ...) HDF5_##name,
#define HDF5_HAND(type, name, ROLE) HDF5_##name,
#include "wrappers/formats/hdf5_calls.def"
#undef HDF5_HAND
#undef HDF5_CALL
    HDF5_CALLS,
    HDF5_BEFORE_ASKED_ = HDF5_CALLS - 1,
#define HDF5_ASKED(type, name, parameters) HDF5_##name,
#include "wrappers/formats/hdf5_asked.def"
#undef HDF5_ASKED
    HDF5_FUNCTIONS
};

#define HDF5_ASKED(type, name, parameters) typedef type hdf5_type_##name parameters;
#include "wrappers/formats/hdf5_asked.def"
#undef HDF5_ASKED
/* The function for a question. */
#define HDF5_ASK(library_, name) ((hdf5_type_##name *)(library_)->function[HDF5_##name])

extern struct format_interface hdf5;

/* Results of H5Iget_type(), in all versions. */
enum hdf5_kind {
    HDF5_FILE = 1,
    HDF5_GROUP,
    HDF5_DATATYPE,
    HDF5_DATASPACE,
    HDF5_DATASET,
    HDF5_EVENT_SET = 16
};

/* ---- questions: errno is kept ---- */

/* Is the id the id of an object of this kind? */
bool hdf5_is(const struct format_library *library, hdf5_id object, enum hdf5_kind kind);
bool hdf5_is_valid(const struct format_library *library, hdf5_id object);
/* Is the id the last reference, so that the object ends with the id? */
bool hdf5_is_last(const struct format_library *library, hdf5_id object);
/* The file's name into `path`; and the name of an object in the file. False: not known. */
bool hdf5_file_name(const struct format_frame *frame, hdf5_id object, char *path, size_t room);
bool hdf5_name(const struct format_frame *frame, hdf5_id object, char *name, size_t room);
/* The bytes of a transfer between the file and the program; OTF2_UNDEFINED_UINT64: not known. */
uint64_t hdf5_bytes(const struct format_frame *frame, hdf5_id set, hdf5_id type, hdf5_id memory,
                    hdf5_id space);
/* Do all processes transfer together? */
bool hdf5_is_collective(const struct format_library *library, hdf5_id transfer);
/* Event sets: the number of calls so far that went on in the background; does one go on now? */
uint64_t hdf5_set_counter(const struct format_library *library, hdf5_id set);
bool hdf5_set_is_idle(const struct format_library *library, hdf5_id set);
bool hdf5_set_has_failed(const struct format_library *library, hdf5_id set);

/* ---- records; `before` the real call and behind it ---- */

/* The object being opened, and its name, of FORMAT_NAME_BYTES; NULL: no name. */
struct hdf5_opening {
    struct format_object file;
    char *name;
};

void hdf5_opens(struct format_frame *frame, const char *path);
void hdf5_opened(struct format_frame *frame, hdf5_id id, const char *path, unsigned flags,
                 bool is_new);
struct hdf5_opening hdf5_reopens(struct format_frame *frame, hdf5_id file);
void hdf5_reopened(struct format_frame *frame, struct hdf5_opening *opening, hdf5_id id);
void hdf5_deleted(struct format_frame *frame, const char *path, int ret);

/* A dataset, or maybe another object. */
struct hdf5_opening hdf5_opens_set(struct format_frame *frame, hdf5_id loc, const char *name);
void hdf5_set_opened(struct format_frame *frame, struct hdf5_opening *opening, hdf5_id id,
                     bool is_new);

/* Will the id be invalid afterwards? */
bool hdf5_closes(struct format_frame *frame, hdf5_id id);
void hdf5_closed(struct format_frame *frame, hdf5_id id, bool is_gone);

void hdf5_works(struct format_frame *frame, hdf5_id object);
void hdf5_moves(struct format_frame *frame, OTF2_IoOperationMode mode, hdf5_id set, uint64_t bytes,
                hdf5_id transfer);
void hdf5_flushes(struct format_frame *frame, hdf5_id object);
void hdf5_moved(struct format_frame *frame, int ret);

/* A call for several datasets: an operation for each of them. */
struct hdf5_transfers {
    size_t n;
    const hdf5_id *sets, *types, *memories, *spaces;
    hdf5_id transfer;
};
struct hdf5_many {
    size_t n;
    struct format_operation *of;
};
struct hdf5_many hdf5_moves_many(struct format_frame *frame, OTF2_IoOperationMode mode,
                                 const struct hdf5_transfers *all);
void hdf5_moved_many(struct format_frame *frame, struct hdf5_many *many, int ret);

/* ---- event sets (hdf5_sets.c) ---- */

/* Before a call for an event set: the call may go on in the background when it has returned. */
void hdf5_starts(struct format_frame *frame, hdf5_id set);
/* Behind such a call, if it has succeeded: does it go on? */
bool hdf5_goes_on(const struct format_frame *frame);
/* Then its operation, or the end of the handle, is recorded when the set is done. */
enum { HDF5_CLOSES = 0 }; /* for the id of an operation */
void hdf5_keep_going(const struct format_frame *frame, uint64_t operation, OTF2_IoHandleRef handle,
                     uint64_t bytes);
/* Before a call that waits for a set, cancels the calls of the set or ends the set; and behind. */
struct hdf5_waiting {
    hdf5_id set;
    bool ends, has_failed;
};
struct hdf5_waiting hdf5_waits(struct format_frame *frame, hdf5_id set, bool ends);
/* `not_cancelled`: how many calls could not be cancelled; NULL: the call cancels nothing. */
void hdf5_waited(struct format_frame *frame, const struct hdf5_waiting *waiting,
                 const size_t *not_cancelled, int ret);

#endif
