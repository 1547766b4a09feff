/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools of every family's wrappers: the real function, a region that is left on every way out,
 * and arguments as cells (type, name) of a table.
 *
 * Look-ups take the loader's lock. The caller of a wrapper might wait for the loader's lock while
 * holding a lock of its own; a signal handler or a child of vfork() must not wait for the loader's
 * lock. So families find their functions in a constructor. Constructors of other libraries run
 * earlier; for these the look-up happens at the first call. Several threads may make the first
 * look-up at once: all threads find the same function.
 */
#ifndef WRAPPERS_KIT_WRAPPER_H
#define WRAPPERS_KIT_WRAPPER_H

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <otf2/otf2_foreach.h>

#include "agent/spur_agent.h"

/* Any function; to be cast to its true type before it is called. */
typedef void (*wrapper_any)(void);

/* A function by its address: ISO C knows no cast from data to function. */
static inline wrapper_any wrapper_any_at(const void *address)
{
    wrapper_any function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* A wrapped function: a static object per row of a family's table. */
struct wrapper_function {
    struct spur_call call;    /* `name` is the symbol's; the rest only if recorded */
    _Atomic wrapper_any real; /* NULL: not yet looked up */
    const char *version;      /* of the symbol, NULL: the default version */
    wrapper_any missing;      /* called if missing everywhere; NULL: fails with -1 and ENOSYS */
};

/* Look the real function up. Never NULL; keeps errno. */
wrapper_any wrapper_find(struct wrapper_function *function);
/* The same for all functions of a table. */
void wrapper_find_all(struct wrapper_function *table, size_t n);
/*
 * The function of a library that the program may load at any time: `caller`, an address in the
 * calling object, has the function in its scope. NULL: no object has the function, and the next
 * call looks again.
 */
wrapper_any wrapper_find_for(struct wrapper_function *function, const void *caller);
/* The address of a function in this version, NULL: the default version. Calls the loader: behind a
 * door. */
void *wrapper_look(const char *name, const char *version, const void *caller);

/* The real function. Any thread; async-signal-safe once the function has been found. */
static inline wrapper_any wrapper_real(struct wrapper_function *function)
{
    wrapper_any real = atomic_load_explicit(&function->real, memory_order_relaxed);
    return __builtin_expect(real != NULL, 1) ? real : wrapper_find(function);
}

static inline wrapper_any wrapper_real_for(struct wrapper_function *function, const void *caller)
{
    wrapper_any real = atomic_load_explicit(&function->real, memory_order_relaxed);
    return __builtin_expect(real != NULL, 1) ? real : wrapper_find_for(function, caller);
}

/*
 * For functions that are wrapped for their meaning, without records: find_NAME() is the real
 * function. WRAPPER_FIND_EARLY() goes into a constructor.
 */
#define WRAPPER_FIND(name_, type, parameters)                                                      \
    static struct wrapper_function function_##name_ = {.call = {.name = #name_}};                  \
    static inline type(*find_##name_(void)) parameters                                             \
    {                                                                                              \
        return (type(*) parameters)wrapper_real(&function_##name_);                                \
    }
#define WRAPPER_FIND_EARLY(name, ...) (void)find_##name();

/* ---- objects: the executable, and the loaded libraries ---- */

/*
 * A handle of the object that has the address, NULL: no object. While the handle is open, the
 * object stays loaded: a library whose functions a wrapper remembers stays for good, the object
 * through which the library was found does not. Calls the loader: behind a door.
 */
void *wrapper_open(const void *address);
/* The symbol; NULL for a symbol of the agent, for an agent's wrapper is not what is looked for. */
void *wrapper_not_ours(void *symbol);

/* The base address of the object around an address, NULL: no object. */
const void *wrapper_base(const void *address);
/*
 * Calls `look` with the path of each object until a result is not NULL, and returns the result;
 * NULL: no result. May call dlopen().
 */
void *wrapper_each_object(void *(*look)(const char *path, const void *data), const void *data);

/* ---- a region ---- */

/* A recorded call while the call lasts; on the wrapper's stack. Left also by unwinding. */
struct wrapper_frame {
    struct spur_loc *loc; /* NULL: not recorded, or over */
    struct spur_call *call;
};

static inline void wrapper_frame_end(struct wrapper_frame *frame)
{
    if (frame->loc)
        spur_leave_now(frame->loc, frame->call);
    frame->loc = NULL;
}

#define WRAPPER_FRAME(frame, function, is_wanted)                                                  \
    struct wrapper_frame frame __attribute__((cleanup(wrapper_frame_end), unused)) = {             \
        (is_wanted) ? spur_enter(&(function)->call) : NULL, &(function)->call}

/* ---- arguments: cells (type, name) ---- */

#define WRAPPER_PARAM_(Row, type, name) type name
#define WRAPPER_ARG_(Row, type, name) name
#define WRAPPER_PARAMS(Row, ...) OTF2_LIST(WRAPPER_PARAM_, Row, "", __VA_ARGS__)
#define WRAPPER_ARGS(Row, ...) OTF2_LIST(WRAPPER_ARG_, Row, "", __VA_ARGS__)

/* ---- a whole wrapper ---- */

/*
 * The wrapper of a function with a region only: WRAPPER_PLAIN(FAMILY, group, ROLE, type, name, (C
 * type, parameter)...). The function's header declares the function, so a row with wrong types does
 * not compile.
 */
#define WRAPPER_PLAIN(FAMILY, group_, ROLE, type, name_, ...)                                      \
    static struct wrapper_function plain_##name_ = {.call = {.name = #name_,                       \
                                                             .group = group_,                      \
                                                             .role = OTF2_REGION_ROLE_##ROLE,      \
                                                             SPUR_CALL_OF(FAMILY)}};               \
    __attribute__((constructor)) static void start_##name_(void)                                   \
    {                                                                                              \
        (void)wrapper_find(&plain_##name_);                                                        \
    }                                                                                              \
    SPUR_EXPORT type name_(WRAPPER_PARAMS(name_, __VA_ARGS__))                                     \
    {                                                                                              \
        WRAPPER_FRAME(frame, &plain_##name_, true);                                                \
        __typeof__(&name_) real = (__typeof__(&name_))wrapper_real(&plain_##name_);                \
        return real(WRAPPER_ARGS(name_, __VA_ARGS__));                                             \
    }

#endif
