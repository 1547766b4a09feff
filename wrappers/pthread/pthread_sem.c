/* SPDX-License-Identifier: BSD-3-Clause */
/* Named semaphores: the one function whose arguments no table can say. */
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>

#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_real.h"

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): reserved in the header */
SPUR_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list args;
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        value = va_arg(args, unsigned);
        va_end(args);
    }
    PTHREAD_FRAME(frame) = {.call = &pthread_calls[CALL_sem_open].call};
    const struct spur_caller caller = SPUR_CALLER;
    if (pthread_mode_from(caller.address) >= PTHREAD_COUNTED)
        (void)pthread_frame_enter(&frame, true, caller);
    if (!frame.loc)
        return PTHREAD_REAL(sem_open)(name, flags, mode, value);
    pthread_shield_lower(&frame, true);
    sem_t *sem = PTHREAD_REAL(sem_open)(name, flags, mode, value);
    pthread_shield_raise(&frame, true);
    spur_tick(frame.loc);
    pthread_frame_leave(&frame, true);
    return sem;
}
