/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of a lower layer: while one of them is recorded, the call above is as one that runs code of
 * the program (spur_callback_begin()). Whose real function was left by a jump is known by the frame
 * that raised the guard.
 */
#include "agent/record/location.h"
#include "agent/record/open.h"
#include "agent/spur_agent.h"

static _Thread_local struct {
    struct spur_loc *loc; /* of the call above, NULL: there is none */
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

void spur_layer_end(void)
{
    layer.loc = NULL;
}

struct spur_loc *spur_layer_enter(struct spur_call *call, struct spur_caller caller)
{
    if (!layer.loc || layer.is_below || spur_within() != layer.loc ||
        spur_self.frame != layer.frame)
        return NULL;
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
    /* Where the call above is over, nothing below belongs to it any more. */
    if (!spur_callback_end(&layer.callback))
        layer.loc = NULL;
    layer.is_below = false;
}

OTF2_IoHandleRef spur_layer_handle(void)
{
    return layer.loc && layer.is_below ? spur_layer_handle_of(layer.file)
                                       : OTF2_UNDEFINED_IO_HANDLE;
}
