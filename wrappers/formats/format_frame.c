/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/format_frame.h"

#include "wrappers/kit/wrapper_ids.h"

void format_enter(struct format_frame *frame, size_t index, struct spur_caller caller)
{
    frame->call = &frame->interface->calls[index];
    frame->operation.handle = OTF2_UNDEFINED_IO_HANDLE;
    if (frame->interface->is_on && !spur_above_has(frame->interface->paradigm))
        frame->loc = spur_enter_from(frame->call, caller);
}

struct spur_above format_above(const struct format_frame *frame, OTF2_IoHandleRef handle)
{
    return (struct spur_above){frame->interface->paradigm, handle, OTF2_UNDEFINED_IO_FILE,
                               OTF2_UNDEFINED_COMM};
}

struct spur_above format_above_new(const struct format_frame *frame, const char *path)
{
    return (struct spur_above){frame->interface->paradigm, OTF2_UNDEFINED_IO_HANDLE,
                               frame->loc && path ? spur_def_io_file(path) : OTF2_UNDEFINED_IO_FILE,
                               OTF2_UNDEFINED_COMM};
}

void format_run(struct format_frame *frame, const struct spur_above *above)
{
    if (!frame->loc)
        return;
    frame->is_running = true;
    spur_callback_begin(&frame->callback, frame->loc, frame->call);
    spur_above_begin(&frame->callback, above);
}

struct spur_above format_ran(struct format_frame *frame)
{
    struct spur_above above = format_above(frame, OTF2_UNDEFINED_IO_HANDLE);
    if (!frame->is_running)
        return above;
    frame->is_running = false;
    above = spur_above_end(&frame->callback);
    frame->loc = spur_callback_end(&frame->callback);
    if (frame->loc)
        spur_tick(frame->loc);
    return above;
}

void format_end(struct format_frame *frame)
{
    if (frame->is_running)
        (void)format_ran(frame);
    if (frame->loc)
        spur_leave(frame->loc, frame->call);
    frame->loc = NULL;
}

void format_begin(struct format_frame *frame, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                  OTF2_IoOperationFlag flags, uint64_t bytes)
{
    frame->operation.handle = OTF2_UNDEFINED_IO_HANDLE;
    if (!frame->loc || handle == OTF2_UNDEFINED_IO_HANDLE)
        return;
    frame->operation = (struct format_operation){handle, wrapper_operation_id(), bytes};
    spur_put_IoOperationBegin(frame->loc, handle, mode, flags, bytes, frame->operation.id);
}

void format_complete(struct format_frame *frame, bool is_done)
{
    struct format_operation *operation = &frame->operation;
    if (frame->loc && operation->handle != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoOperationComplete(frame->loc, operation->handle, is_done ? operation->bytes : 0,
                                     operation->id);
    operation->handle = OTF2_UNDEFINED_IO_HANDLE;
}
