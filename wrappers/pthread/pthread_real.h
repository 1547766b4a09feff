/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrapped functions as data: their regions, and where the real ones are.
 *
 * All are looked up when the agent is loaded, because the lookup takes the loader's lock, which the
 * caller of a wrapper might wait for while it holds a lock of its own. Constructors of other
 * libraries run before that; for them the lookup happens at the first call.
 */
#ifndef WRAPPERS_PTHREAD_REAL_H
#define WRAPPERS_PTHREAD_REAL_H

#include <stdatomic.h>

#include "agent/spur_agent.h"

enum pthread_call_id {
#define PTHREAD_CALL(name, ...) CALL_##name,
#define PTHREAD_VOID(name, ...) CALL_##name,
#define PTHREAD_HAND(name, ...) CALL_##name,
#include "wrappers/pthread/pthread_calls.def"
#undef PTHREAD_HAND
#undef PTHREAD_VOID
#undef PTHREAD_CALL
    PTHREAD_CALLS
};

/* Any function; to be cast to its true type before it is called. */
typedef void (*pthread_function)(void);

struct pthread_call {
    struct spur_call call;
    _Atomic pthread_function real; /* NULL: not yet looked up */
    const char *version;           /* NULL: the default one */
};

extern struct pthread_call pthread_calls[PTHREAD_CALLS];

/* Look all of them up. */
void pthread_real_start(void);

/* Look the real function up. Never NULL: where there is none, a function that returns ENOSYS. */
pthread_function pthread_real_find(enum pthread_call_id id);

/* The real function. Any thread, async-signal-safe once the agent is loaded. */
static inline pthread_function pthread_real_get(enum pthread_call_id id)
{
    pthread_function real = atomic_load_explicit(&pthread_calls[id].real, memory_order_relaxed);
    return __builtin_expect(real != NULL, 1) ? real : pthread_real_find(id);
}

#define PTHREAD_REAL(name) ((__typeof__(&name))pthread_real_get(CALL_##name))

#endif
