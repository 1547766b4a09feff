/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrapped functions as data: their regions, and where the real ones are. */
#ifndef WRAPPERS_PTHREAD_REAL_H
#define WRAPPERS_PTHREAD_REAL_H

#include "wrappers/kit/wrapper.h"

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

extern struct wrapper_function pthread_calls[PTHREAD_CALLS];

#define PTHREAD_REAL(name) ((__typeof__(&name))wrapper_real(&pthread_calls[CALL_##name]))

#endif
