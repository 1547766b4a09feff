/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions with cleanups refer to the personality routine, and to the way on after a cleanup. This
 * file provides both routines for the whole of libspur.so. Both routines belong to the unwinder at
 * work, for they exchange the unwinder's private data. But the choice of the unwinder is the
 * host's: libgcc_s comes with a program in C++, or when the C library first cancels a thread, or
 * never. A private copy would make the host abort, and a dependency on libgcc_s would load the
 * library into every process. So the routines of the calling module are used. If the module does
 * not show its routines (a program linked statically with its unwinder), the cleanup is left out.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

#include "agent/spur_agent.h"
#include "base/own_stack.h"

typedef _Unwind_Reason_Code (*personality)(int version, _Unwind_Action actions,
                                           _Unwind_Exception_Class class,
                                           struct _Unwind_Exception *exception,
                                           struct _Unwind_Context *context);
typedef void (*resumption)(struct _Unwind_Exception *exception);
typedef _Unwind_Ptr (*position)(struct _Unwind_Context *context, int *is_interrupted);

/* Found together; `resume` and `get_position` are read after `route`. */
static _Atomic personality route;
static _Atomic resumption resume;
static _Atomic position get_position;
static _Atomic(const void *) unwinder; /* the base of the unwinder's module */

static const char personality_name[] = "__gcc_personality_v0";

_Unwind_Reason_Code __gcc_personality_v0(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class class,
                                         struct _Unwind_Exception *exception,
                                         struct _Unwind_Context *context);

static const void *module_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/*
 * Take the routines that the module at `base` defines itself; NULL: any module that defines both
 * routines.
 */
static void take(void *module, const void *base)
{
    void *route_there = dlsym(module, personality_name);
    void *resume_there = route_there ? dlsym(module, "_Unwind_Resume") : NULL;
    if (!base && resume_there)
        base = module_of(route_there);
    void *position_there = resume_there ? dlsym(module, "_Unwind_GetIPInfo") : NULL;
    if (!position_there || module_of(route_there) != base || module_of(resume_there) != base)
        return;
    personality new_route;
    resumption new_resume;
    position new_position;
    memcpy(&new_route, &route_there, sizeof new_route);
    memcpy(&new_resume, &resume_there, sizeof new_resume);
    memcpy(&new_position, &position_there, sizeof new_position);
    atomic_store(&unwinder, base);
    atomic_store(&resume, new_resume);
    atomic_store(&get_position, new_position);
    atomic_store(&route, new_route);
}

static void look_into(const char *name, const void *base)
{
    void *module = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!module)
        return;
    take(module, base);
    dlclose(module);
}

/*
 * Looks the routines up early where possible: the look-up takes the loader's lock. Only libraries
 * with which the program was linked are asked: a library asked for by name would be searched for as
 * a file in every process.
 */
static void start_here(void)
{
    take(RTLD_NEXT, NULL);
}
__attribute__((constructor)) static void start(void);
SPUR_DOOR_VOID_ALONE(start)

/* Is the code at `caller` the unwinder that owns the routines found? */
static bool is_known(const void *caller)
{
    static _Atomic(const void *) last;
    if (atomic_load(&last) == caller)
        return true;
    Dl_info info;
    if (!dladdr(caller, &info))
        return false;
    if (info.dli_fbase != atomic_load(&unwinder) && !atomic_load(&route))
        look_into(info.dli_fname, info.dli_fbase);
    bool is_it = atomic_load(&route) && info.dli_fbase == atomic_load(&unwinder);
    if (is_it)
        atomic_store(&last, caller);
    return is_it;
}

/* Functions that may be left at any of their instructions: wrappers/pthread/pthread_wrap.c. */
#define PART_OF_AGENT __attribute__((visibility("hidden"), weak))
extern const char __start_spur_unwound[] PART_OF_AGENT;
extern const char __stop_spur_unwound[] PART_OF_AGENT;

/*
 * A signal handler ends the thread at an instruction of the function itself: the instruction may
 * take the frame down, and the compiler lays such instructions out between calls that have a
 * cleanup.
 */
static bool is_between_calls(struct _Unwind_Context *context)
{
    int is_interrupted = 0;
    const uintptr_t at = atomic_load(&get_position)(context, &is_interrupted);
    return is_interrupted &&
           !(at >= (uintptr_t)__start_spur_unwound && at < (uintptr_t)__stop_spur_unwound);
}

__attribute__((used)) _Unwind_Reason_Code __gcc_personality_v0(int version, _Unwind_Action actions,
                                                               _Unwind_Exception_Class class,
                                                               struct _Unwind_Exception *exception,
                                                               struct _Unwind_Context *context)
{
    if (actions & _UA_SEARCH_PHASE)
        return _URC_CONTINUE_UNWIND; /* cleanups catch nothing */
    spur_inside_begin();
    bool can = is_known(__builtin_extract_return_addr(__builtin_return_address(0)));
    spur_inside_end();
    return can && !is_between_calls(context)
               ? atomic_load(&route)(version, actions, class, exception, context)
               : _URC_CONTINUE_UNWIND;
}

__attribute__((used)) void _Unwind_Resume(struct _Unwind_Exception *exception)
{
    atomic_load (&resume)(exception);
    __builtin_unreachable();
}
