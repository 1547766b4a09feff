/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of a lower layer: while such a call is recorded, the call above counts as a call that runs
 * code of the program (spur_callback_begin()). If a jump has left the real function, the frame that
 * raised the guard identifies the call.
 */
#include "agent/record/location.h"
#include "agent/record/open.h"
#include "agent/spur_agent.h"

static _Thread_local struct {
    struct spur_loc *loc; /* of the call above, NULL: there is no call above */
    struct spur_call *call;
    const void *frame;
    struct spur_layer_file *file;
    bool is_below; /* a call of the lower layer is being recorded */
    struct spur_callback callback;
} layer;

void spur_layer_begin(struct spur_loc *loc, struct spur_call *call, struct spur_layer_file *file)
{
    layer.call = call;
    layer.frame = spur_self.frame;
    layer.file = file;
    layer.is_below = false;
    layer.loc = loc == spur_self.loc ? loc : NULL; /* in a pause nothing is recorded below either */
}

struct spur_loc *spur_layer_end(void)
{
    struct spur_loc *loc = layer.loc;
    layer.loc = NULL;
    return loc;
}

struct spur_loc *spur_layer_enter(struct spur_call *call, struct spur_caller caller)
{
    if (!layer.loc || layer.is_below || spur_within() != layer.loc ||
        spur_self.frame != layer.frame)
        return NULL;
    spur_layer_begin_once(layer.file, layer.loc); /* at the time of the Enter above */
    if (!spur_callback_try(&layer.callback, layer.loc, layer.call))
        return NULL;
    layer.is_below = true;
    struct spur_loc *loc = spur_enter_from(call, caller);
    if (!loc)
        spur_layer_leave();
    return loc;
}

void spur_layer_leave(void)
{
    /* If the call above is over, nothing below belongs to that call any more. */
    if (!spur_callback_end(&layer.callback))
        layer.loc = NULL;
    layer.is_below = false;
}

OTF2_IoHandleRef spur_layer_handle(void)
{
    return layer.loc && layer.is_below ? spur_layer_handle_of(layer.file)
                                       : spur_above(OTF2_UNDEFINED_COMM);
}

/* ---- libraries above ---- */

enum { ABOVE = 4 }; /* NetCDF, HDF5, and room */

static _Thread_local struct {
    unsigned depth;
    uint32_t generation; /* of the process that owns the handles */
    struct {
        const struct spur_callback *at; /* not to be followed */
        struct spur_above is;
    } call[ABOVE];
} above;

/* Drops calls that were left unnoticed, and calls inherited by a child of fork(). */
static void settle_above(void)
{
    if (above.generation != spur_generation())
        above.depth = 0;
    while (above.depth && !spur_callback_is_open(above.call[above.depth - 1].at))
        above.depth--;
}

static OTF2_CommRef (*comm_finder)(intptr_t handle);

void spur_above_comm_by(OTF2_CommRef (*find)(intptr_t handle))
{
    comm_finder = find;
}

OTF2_CommRef spur_above_comm(intptr_t handle)
{
    return comm_finder ? comm_finder(handle) : OTF2_UNDEFINED_COMM;
}

static OTF2_IoHandleRef define(struct spur_above *is, OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    if (is->comm != OTF2_UNDEFINED_COMM)
        comm = is->comm;
    if (is->handle == OTF2_UNDEFINED_IO_HANDLE && is->file != OTF2_UNDEFINED_IO_FILE)
        is->handle = spur_def_io_handle(NULL, is->file, is->paradigm, OTF2_IO_HANDLE_FLAG_NONE,
                                        comm, parent);
    return is->handle;
}

void spur_above_begin(const struct spur_callback *callback, const struct spur_above *is)
{
    settle_above();
    if (above.depth == ABOVE || !callback->is_open)
        return;
    above.generation = spur_generation();
    above.call[above.depth].at = callback;
    above.call[above.depth++].is = *is;
}

struct spur_above spur_above_end(const struct spur_callback *callback)
{
    static const struct spur_above nothing = {.handle = OTF2_UNDEFINED_IO_HANDLE,
                                              .file = OTF2_UNDEFINED_IO_FILE,
                                              .comm = OTF2_UNDEFINED_COMM};
    settle_above();
    for (unsigned i = 0; i < above.depth; i++)
        if (above.call[i].at == callback) {
            above.depth = i;
            return above.call[i].is;
        }
    return nothing;
}

OTF2_IoHandleRef spur_above(OTF2_CommRef comm)
{
    OTF2_IoHandleRef handle = OTF2_UNDEFINED_IO_HANDLE;
    settle_above();
    for (unsigned i = 0; i < above.depth; i++) {
        OTF2_IoHandleRef inner = define(&above.call[i].is, comm, handle);
        handle = inner != OTF2_UNDEFINED_IO_HANDLE ? inner : handle;
    }
    return handle;
}

OTF2_IoHandleRef spur_above_handle_of(struct spur_above *is)
{
    bool is_defined = is->handle != OTF2_UNDEFINED_IO_HANDLE;
    return is_defined ? is->handle
                      : define(is, OTF2_UNDEFINED_COMM, spur_above(OTF2_UNDEFINED_COMM));
}

bool spur_above_has(OTF2_IoParadigmRef paradigm)
{
    settle_above();
    for (unsigned i = 0; i < above.depth; i++)
        if (above.call[i].is.paradigm == paradigm)
            return true;
    return false;
}
