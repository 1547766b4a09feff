/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recorded call that does its work by calls of a lower layer, as MPI-IO does by POSIX calls.
 * While the real function runs, the thread's calls of that layer are recorded within its region,
 * and what they open is a child of the handle that the call works on. All functions keep errno and
 * are about the calling thread. Included by agent/spur_agent.h.
 */
#ifndef SPUR_LAYER_H
#define SPUR_LAYER_H

#include <stdbool.h>

#include <otf2/otf2.h>

struct spur_call;
struct spur_caller;
struct spur_loc;

/* What the call above works on. */
struct spur_layer_file {
    OTF2_IoHandleRef handle; /* undefined: nothing, or it has none yet */
    OTF2_IoHandleRef (*define)(const struct spur_layer_file *file); /* NULL: it gets none */
};

/* Its handle, defined where it has none yet. */
static inline OTF2_IoHandleRef spur_layer_handle_of(struct spur_layer_file *file)
{
    if (file->handle == OTF2_UNDEFINED_IO_HANDLE && file->define)
        file->handle = file->define(file);
    return file->handle;
}

/*
 * The real function of `call`, entered with `loc`, is about to run; `file` is borrowed until the
 * end. The end also if it is left by unwinding, and before anything is recorded behind it.
 */
void spur_layer_begin(struct spur_loc *loc, struct spur_call *call, struct spur_layer_file *file);
void spur_layer_end(void);

/*
 * In a wrapper of the lower layer, for a call that spur_enter() has refused: enter it all the same,
 * if it belongs to such a call. NULL: it does not. Otherwise spur_layer_leave() after the leave.
 */
struct spur_loc *spur_layer_enter(struct spur_call *call, struct spur_caller caller);
void spur_layer_leave(void);

/* In a call that spur_layer_enter() has let in: the handle above. Otherwise undefined. */
OTF2_IoHandleRef spur_layer_handle(void);

#endif
