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
#include <stdint.h>

#include <otf2/otf2.h>

struct spur_call;
struct spur_callback;
struct spur_caller;
struct spur_loc;

/* What the call above works on. */
struct spur_layer_file {
    OTF2_IoHandleRef handle; /* undefined: nothing, or it has none yet */
    OTF2_IoHandleRef (*define)(const struct spur_layer_file *file); /* NULL: it gets none */
    /*
     * Records what the call begins, in front of the first call below: what the arguments mean can
     * only be asked once the library has accepted them. NULL: nothing, or it is recorded.
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
/* The call's location; NULL: its region is over, or nothing below it could be recorded. */
struct spur_loc *spur_layer_end(void);

/*
 * In a wrapper of the lower layer, for a call that spur_enter() has refused: enter it all the same,
 * if it belongs to such a call. NULL: it does not. Otherwise spur_layer_leave() after the leave.
 */
struct spur_loc *spur_layer_enter(struct spur_call *call, struct spur_caller caller);
void spur_layer_leave(void);

/*
 * The handle above a file that is being opened now: in a call that spur_layer_enter() has let in
 * that of the call above, otherwise spur_above(). May be undefined.
 */
OTF2_IoHandleRef spur_layer_handle(void);

/*
 * ---- libraries above MPI-IO and POSIX calls ----
 *
 * A library that keeps its own format in files does so by calls that are recorded anyway: those of
 * the program, and so also those of the library. A recorded call of such a library lets them in by
 * spur_callback_begin(), and says what it works on. Such calls nest, as NetCDF works by HDF5. A
 * call is over when its callback is, in whatever way it is left.
 */
struct spur_above {
    OTF2_IoParadigmRef paradigm;
    OTF2_IoHandleRef handle; /* undefined: that of the file that the call opens, or none */
    OTF2_IoFileRef file;     /* that it opens; undefined: none */
    OTF2_CommRef comm;       /* that opens it; undefined: nobody knows yet, or one process alone */
};

/*
 * What the family of MPI knows of a communicator by the handle that a library is given, in a word
 * whose upper half may be anything. Undefined: nothing, or the family is off.
 */
OTF2_CommRef spur_above_comm(intptr_t handle);
/* That family's answer, set in a constructor. */
void spur_above_comm_by(OTF2_CommRef (*find)(intptr_t handle));

/* `callback` was begun: what the thread opens is a child of this. The innermost few count. */
void spur_above_begin(const struct spur_callback *callback, const struct spur_above *is);
/* Before the end of the callback: what the call works on; all undefined: nobody knows any more. */
struct spur_above spur_above_end(const struct spur_callback *callback);

/* Behind that: its handle, defined where it has none yet and a file. */
OTF2_IoHandleRef spur_above_handle_of(struct spur_above *is);

/*
 * The handle of the innermost such call. Where it is only defined now, `comm` has opened it, as far
 * as the caller knows. Undefined: there is none.
 */
OTF2_IoHandleRef spur_above(OTF2_CommRef comm);
/* Is the thread inside such a call of this paradigm? */
bool spur_above_has(OTF2_IoParadigmRef paradigm);

#endif
