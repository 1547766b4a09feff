/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sharers.h"

#include <pthread.h>
#include <sys/auxv.h>

#include "base/raw_call.h"

_Thread_local struct spur_sharers spur_sharers;

/* How far it is from an address up to the next high end of a sharer's stack; huge: there is none.
 */
static uintptr_t up_to_sharers(uintptr_t here)
{
    const struct spur_sharers *s = &spur_sharers;
    uintptr_t least = UINTPTR_MAX;
    for (uint32_t i = 0; i < s->made && i < SPUR_SHARERS_KNOWN; i++)
        least = s->top[i] - here < least ? s->top[i] - here : least;
    return least;
}

/* The stack is that whose end is next. A sharer's may lie within the thread's, above its frames. */
static bool is_on_sharers_stack(uintptr_t here)
{
    const struct spur_sharers *s = &spur_sharers;
    const uintptr_t sharers = up_to_sharers(here);
    return sharers < s->own - here && sharers < s->made_at - here && sharers < s->aside - here;
}

bool spur_sharers_ask(void)
{
    enum { SURE = 64 << 10 }; /* bytes at the high end of the thread's stack: its first frames */
    const struct spur_sharers *s = &spur_sharers;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), own = s->own - here;
    if (own < SURE && own < up_to_sharers(here))
        return false;
    return s->is_sealed ? is_on_sharers_stack(here)
                        : spur_raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0) != s->tid;
}

/* What describes a thread lies at the high end of its stack. */
void spur_sharers_add(int32_t tid, bool is_main, uintptr_t top)
{
    enum { CALLERS = 4096 }; /* bytes of the callers' frames, to which the thread may go back */
    struct spur_sharers *s = &spur_sharers;
    s->top[s->made++ % SPUR_SHARERS_KNOWN] = top;
    if (!spur_is_sharer())
        s->made_at = (uintptr_t)__builtin_frame_address(0) + CALLERS;
    if (s->tid)
        return;
    s->own = is_main ? (uintptr_t)getauxval(AT_RANDOM) : (uintptr_t)pthread_self();
    s->tid = tid;
}

void spur_sharers_seal(void)
{
    spur_sharers.is_sealed = true;
}

bool spur_sharers_forget(void)
{
    bool is_sharers = is_on_sharers_stack((uintptr_t)__builtin_frame_address(0));
    spur_sharers = (struct spur_sharers){.aside = spur_sharers.aside};
    return is_sharers;
}
