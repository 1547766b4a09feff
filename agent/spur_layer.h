/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recorded call that works by calls of a lower layer, as MPI-IO works by POSIX calls. While the
 * real function runs, the thread's calls of the lower layer are recorded within the region of the
 * upper call. Handles opened by the lower calls are children of the upper call's handle. All
 * functions keep errno and are about the calling thread. Included by agent/spur_agent.h.
 */
#ifndef SPUR_LAYER_H
#define SPUR_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

struct spur_call;
struct spur_callback;
struct spur_caller;
struct spur_loc;

/* The object of the upper call. */
struct spur_layer_file {
    OTF2_IoHandleRef handle; /* undefined: no object, or no handle yet */
    OTF2_IoHandleRef (*define)(const struct spur_layer_file *file); /* NULL: no handle */
    /*
     * Records the beginning of the upper call, in front of the first lower call: the meaning of the
     * arguments can only be asked once the library has accepted the arguments. NULL: no record, or
     * already recorded.
     */
    void (*begin)(struct spur_layer_file *file, struct spur_loc *loc);
};

static inline void spur_layer_begin_once(struct spur_layer_file *file, struct spur_loc *loc)
{
    void (*begin)(struct spur_layer_file * file, struct spur_loc * loc) = file->begin;
    file->begin = NULL;
    if (begin)
        begin(file, loc);
}

/* The handle of `file`, defined now if not yet defined. */
static inline OTF2_IoHandleRef spur_layer_handle_of(struct spur_layer_file *file)
{
    if (file->handle == OTF2_UNDEFINED_IO_HANDLE && file->define)
        file->handle = file->define(file);
    return file->handle;
}

/*
 * The real function of `call`, entered with `loc`, is about to run; `file` is borrowed until the
 * end. The end must also be called if the real function is left by unwinding, and before the next
 * record behind the call.
 */
void spur_layer_begin(struct spur_loc *loc, struct spur_call *call, struct spur_layer_file *file);
/* The call's location; NULL: the region of the call is over, or no lower call could be recorded. */
struct spur_loc *spur_layer_end(void);

/*
 * In a wrapper of the lower layer, for a call that spur_enter() has refused: enter the call all the
 * same, if an upper call is at work. NULL: the call does not belong to an upper call. Otherwise
 * spur_layer_leave() after the leave.
 */
struct spur_loc *spur_layer_enter(struct spur_call *call, struct spur_caller caller);
void spur_layer_leave(void);

/*
 * The parent of the handle for a file that is being opened now. In a call that spur_layer_enter()
 * has let in: the handle of the upper call; otherwise spur_above(). May be undefined.
 */
OTF2_IoHandleRef spur_layer_handle(void);

/*
 * ---- libraries above MPI-IO and POSIX calls ----
 *
 * A library with its own file format works by calls that are recorded anyway: calls of the program
 * are recorded, and so are calls of the library. A recorded call of the library opens a callback by
 * spur_callback_begin(), so that the inner calls are recorded, and names its object. Calls of
 * several libraries nest, as NetCDF works by HDF5. A call is over when its callback is over, in
 * whatever way the callback is left.
 */
struct spur_above {
    OTF2_IoParadigmRef paradigm;
    OTF2_IoHandleRef handle; /* undefined: the handle of `file`, if any, is to be defined */
    OTF2_IoFileRef file;     /* opened by the call; undefined: none */
    OTF2_CommRef comm;       /* opens the file; undefined: not yet known, or one process alone */
};

/*
 * The communicator, known to the family of MPI, for the handle that a library is given, in a word
 * whose upper half may be anything. Undefined: no such communicator, or the family is off.
 */
OTF2_CommRef spur_above_comm(intptr_t handle);
/* The answer of the family of MPI, set in a constructor. */
void spur_above_comm_by(OTF2_CommRef (*find)(intptr_t handle));

/* `callback` was begun: handles that the thread opens are children of `is`. Only the innermost few
 * levels count. */
void spur_above_begin(const struct spur_callback *callback, const struct spur_above *is);
/* Before the end of the callback: the object of the call; all undefined: the object is not known
 * any more. */
struct spur_above spur_above_end(const struct spur_callback *callback);

/* After spur_above_end(): the handle, defined now if only the file is known. */
OTF2_IoHandleRef spur_above_handle_of(struct spur_above *is);

/*
 * The handle of the innermost call with a callback. If the handle is only defined now, `comm` has
 * opened it, as far as the caller knows. Undefined: no such call.
 */
OTF2_IoHandleRef spur_above(OTF2_CommRef comm);
/* Is the thread inside a call of a library of this paradigm? */
bool spur_above_has(OTF2_IoParadigmRef paradigm);

#endif
