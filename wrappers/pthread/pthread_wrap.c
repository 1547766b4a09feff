/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers. There is no code per function here: pthread_calls.def has it all. */
#include <otf2/otf2_foreach.h>

#include "wrappers/pthread/pthread_emit.h"
#include "wrappers/pthread/pthread_kinds.h"
#include "wrappers/pthread/pthread_real.h"

/* The meanings that rows may name. */
#define NOTHING ((void)0)
#define ADDRESS(lock) ((const void *)(uintptr_t)(lock)) /* spin locks are volatile */
#define ACQUIRED(lock) pthread_emit_acquired(&frame, ret, ADDRESS(lock))
#define SHARED(lock) pthread_emit_shared(&frame, ret, ADDRESS(lock))
#define RELEASES(lock) pthread_emit_released(&frame, ADDRESS(lock))
#define REACQUIRED pthread_emit_reacquired(&frame)
#define FORGETS(lock) pthread_emit_forgotten(ret, ADDRESS(lock))
#define JOINS(thread) pthread_emit_joins(&frame, thread)
#define JOINED(thread) pthread_emit_joined(&frame, ret, thread)
#define DETACHES(thread) pthread_record_detached(thread)

#define RUN_PLAIN(statement) statement;
/* A handler of the C library and no cleanup attribute, which would need the unwinder's library. */
#define RUN_WAITS(statement)                                                                       \
    pthread_cleanup_push(pthread_emit_cancelled, &frame);                                          \
    statement;                                                                                     \
    pthread_cleanup_pop(0);

#define PARAM(Row, kind, name) PTHREAD_C_##kind name
#define ARG(Row, kind, name) name
#define PTHREAD_HAND(...)
#define PTHREAD_CALL(name, version, group, ROLE, how, before, after, ...)                          \
    SPUR_EXPORT int name(OTF2_LIST(PARAM, name, "", __VA_ARGS__))                                  \
    {                                                                                              \
        __typeof__(&name) real = PTHREAD_REAL(name);                                               \
        struct spur_call *call = &pthread_calls[CALL_##name].call;                                 \
        struct spur_loc *loc = pthread_enter(call);                                                \
        if (!loc)                                                                                  \
            return real(OTF2_LIST(ARG, name, "", __VA_ARGS__));                                    \
        struct pthread_frame frame = {.loc = loc, .call = call};                                   \
        before;                                                                                    \
        int ret;                                                                                   \
        RUN_##how(ret = real(OTF2_LIST(ARG, name, "", __VA_ARGS__))) spur_tick(loc);               \
        after;                                                                                     \
        spur_leave(frame.loc, call);                                                               \
        return ret;                                                                                \
    }
#include "wrappers/pthread/pthread_calls.def"
#undef PTHREAD_CALL
#undef PTHREAD_HAND
