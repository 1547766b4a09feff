/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event sets of HDF5 1.14. The library says how many calls of a set go on, and not which ones: what
 * was begun for a set is over when nothing of the set goes on any more.
 */
#include "wrappers/formats/hdf5_emit.h"
#include "wrappers/kit/wrapper_ids.h"

void hdf5_starts(struct format_frame *frame, hdf5_id set)
{
    if (!frame->loc || !hdf5_is(frame->library, set, HDF5_EVENT_SET))
        return;
    frame->set = set;
    frame->counter = hdf5_set_counter(frame->library, set);
}

/* Another thread may have counted as well: then the operation ends with the set. */
bool hdf5_goes_on(const struct format_frame *frame)
{
    return frame->loc && frame->set &&
           hdf5_set_counter(frame->library, frame->set) != frame->counter;
}

void hdf5_keep_going(const struct format_frame *frame, uint64_t operation, OTF2_IoHandleRef handle,
                     uint64_t bytes)
{
    struct format_object object = format_nothing();
    if (handle == OTF2_UNDEFINED_IO_HANDLE)
        return;
    object.handle = handle;
    object.operation = operation;
    object.bytes = bytes;
    object.set = frame->set;
    /* No id of the library, nor of a file that was opened unseen. */
    const struct format_key key = {frame->library, INT64_MIN + (int64_t)wrapper_operation_id()};
    format_keep(key, &object, NULL);
}

struct hdf5_waiting hdf5_waits(struct format_frame *frame, hdf5_id set, bool ends)
{
    struct hdf5_waiting waiting = {.ends = ends};
    if (frame->loc && hdf5_is(frame->library, set, HDF5_EVENT_SET))
        waiting = (struct hdf5_waiting){set, ends, hdf5_set_has_failed(frame->library, set)};
    hdf5_works(frame, set);
    return waiting;
}

static void end(struct spur_loc *loc, const struct format_object *object, bool is_cancelled,
                bool is_known)
{
    if (object->operation == HDF5_CLOSES)
        spur_put_IoDestroyHandle(loc, object->handle);
    else if (is_cancelled)
        spur_put_IoOperationCancelled(loc, object->handle, object->operation);
    else
        spur_put_IoOperationComplete(loc, object->handle,
                                     is_known ? object->bytes : OTF2_UNDEFINED_UINT64,
                                     object->operation);
}

/* If some calls have failed, or could not be cancelled, the library does not say which ones. */
void hdf5_waited(struct format_frame *frame, const struct hdf5_waiting *waiting,
                 const size_t *not_cancelled, int ret)
{
    struct format_object object;
    (void)format_ran(frame);
    if (!frame->loc || ret < 0 || !waiting->set ||
        (!waiting->ends && !hdf5_set_is_idle(frame->library, waiting->set)))
        return;
    const bool is_known =
        !not_cancelled &&
        !(waiting->ends ? waiting->has_failed : hdf5_set_has_failed(frame->library, waiting->set));
    const bool is_cancelled = not_cancelled && *not_cancelled == 0;
    while (object = format_take_in_set(frame->library, waiting->set), format_is_known(&object))
        end(frame->loc, &object, is_cancelled, is_known);
}
