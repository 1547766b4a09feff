/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call of a library while the call lasts, on the wrapper's stack. Left also by unwinding.
 *
 *     struct FORMAT_FRAME(frame);
 *     format_enter(&frame, ...);       its region, and the guard
 *     ...                              the library is asked; records at the time of the Enter
 *     format_run(&frame, &above);      the guard is down: calls of the library are recorded
 *     ret = real(...);
 *     struct spur_above above = format_ran(&frame);   the guard, and the clock
 *     ...                              records at the time of the Leave
 *
 * A call inside a call of the same library is not recorded, and neither are spur's questions to the
 * library.
 */
#ifndef FORMAT_FRAME_H
#define FORMAT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "wrappers/formats/format_library.h"
#include "wrappers/formats/format_objects.h"

struct format_operation {
    OTF2_IoHandleRef handle; /* undefined: no operation */
    uint64_t id, bytes;
};

struct format_frame {
    const struct format_library *library;
    const struct format_interface *interface;
    struct spur_loc *loc; /* NULL: not recorded, or over */
    struct spur_call *call;
    struct spur_callback callback;
    bool is_running;
    struct format_operation operation; /* under way */
    int64_t set; /* HDF5: the event set of a call that may go on in the background; 0: no set */
    uint64_t counter; /* of the set, before the call */
};

void format_end(struct format_frame *frame);
#define FORMAT_FRAME(name) format_frame name __attribute__((cleanup(format_end)))

/* `frame` is new, except for its interface and library. */
void format_enter(struct format_frame *frame, size_t index, struct spur_caller caller);

/* The object of a call, if open; and the object of a call that opens a file with this name. */
struct spur_above format_above(const struct format_frame *frame, OTF2_IoHandleRef handle);
struct spur_above format_above_new(const struct format_frame *frame, const char *path);

void format_run(struct format_frame *frame, const struct spur_above *above);
struct spur_above format_ran(struct format_frame *frame);

/* An operation begins, before format_run(). `bytes`: OTF2_UNDEFINED_UINT64, not known. */
void format_begin(struct format_frame *frame, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                  OTF2_IoOperationFlag flags, uint64_t bytes);
/* Behind format_ran(). A failed operation has moved nothing. */
void format_complete(struct format_frame *frame, bool is_done);

#endif
