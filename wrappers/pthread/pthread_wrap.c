/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers. There is no code per function here: pthread_calls.def has all functions.
 *
 * A row becomes four functions. The program calls NAME(), and run_NAME() records the call.
 * other_NAME() handles all unusual calls (wrappers/pthread/pthread_mode.h), and async_NAME()
 * handles the recorded calls among the unusual calls. A call without a record goes straight on:
 * libraries such as a device's runtime take many locks in each call. A call that is only counted
 * goes a quick way in other_NAME().
 *
 * other_NAME() and async_NAME() are apart because a thread may be cancelled at any of the
 * instructions, and the compiler moves code outside of a frame's life between calls inside. So
 * async_NAME() contains only code within a frame's life, and other_NAME() has no frame.
 */
#include <errno.h>
#include <otf2/otf2_foreach.h>

#include "wrappers/pthread/pthread_count.h"
#include "wrappers/pthread/pthread_emit.h"
#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_kinds.h"
#include "wrappers/pthread/pthread_mode.h"
#include "wrappers/pthread/pthread_real.h"

#define NOTHING ((void)0)

/* The meanings that rows may name. */
#define ADDRESS(lock) ((const void *)(uintptr_t)(lock)) /* spin locks are volatile */
#define RELEASES(lock) pthread_emit_released(&frame, ADDRESS(lock))
#define UNLOCKS(lock) NOTHING
#define JOINS(thread)                                                                              \
    const struct pthread_identity joined = pthread_record_find(thread);                            \
    pthread_emit_joins(&frame, &joined)
#define TAKES(mutex)                                                                               \
    if (__builtin_expect(((const pthread_mutex_t *)(mutex))->__data.__lock != 0, 0) && !is_done)   \
    pthread_emit_blocks(&frame, mutex)
#define BLOCKS(lock)                                                                               \
    if (!is_done)                                                                                  \
    pthread_emit_blocks(&frame, ADDRESS(lock))
#define DETACHES(thread) pthread_record_detached(thread)

/* Entering the call of a row, by the meaning at the beginning of the row. */
#define ENTER_NOTHING pthread_frame_enter(&frame, is_async, caller)
#define ENTER_RELEASES(lock) pthread_emit_wait(&frame, is_async, ADDRESS(lock), caller)
#define ENTER_UNLOCKS(lock) pthread_emit_unlock(&frame, is_async, ADDRESS(lock), caller)
#define ENTER_JOINS(thread) ENTER_NOTHING
#define ENTER_DETACHES(thread) ENTER_NOTHING
#define ENTER_TAKES(mutex) ENTER_NOTHING
#define ENTER_BLOCKS(lock) ENTER_NOTHING

/* Leaving the call of a row, by the meaning at the end of the row. */
#define LEAVE_NOTHING pthread_frame_leave_now(&frame, is_async)
#define LEAVE_AFTER(statement)                                                                     \
    do {                                                                                           \
        spur_tick(loc);                                                                            \
        statement;                                                                                 \
        pthread_frame_leave(&frame, is_async);                                                     \
    } while (0)
#define LEAVE_ACQUIRED(lock) pthread_emit_acquired(&frame, is_async, ret, ADDRESS(lock))
#define LEAVE_OWNED(mutex) pthread_emit_owned(&frame, is_async, ret, mutex)
#define LEAVE_SHARED(lock) pthread_emit_shared(&frame, is_async, ret, ADDRESS(lock))
#define LEAVE_POLLS(lock, is_busy, after)                                                          \
    if (!pthread_emit_polled(&frame, is_async, is_busy, ADDRESS(lock)))                            \
    LEAVE_##after
#define LEAVE_REACQUIRED LEAVE_AFTER(pthread_emit_reacquired(&frame))
#define LEAVE_FORGETS(lock) LEAVE_AFTER(pthread_emit_forgotten(ret, ADDRESS(lock)))
#define LEAVE_JOINED(thread) LEAVE_AFTER(pthread_emit_joined(&frame, ret, thread, &joined))

/*
 * Conditions for recording a call, two values: the verdict of the quick way (PTHREAD_RECORDS if
 * there is no quick way), and the verdict of the usual way.
 */
#define USUAL PTHREAD_RECORDS,
#define ALWAYS USUAL pthread_records_from(mode, PTHREAD_LIFETIME)
#define IF_WAITS pthread_records_from(mode, PTHREAD_CONTENDED)
#define WAITS USUAL IF_WAITS
#define IF_QUICK pthread_records_from(mode, PTHREAD_COUNTED)
#define QUICK USUAL IF_QUICK
#define COUNTS(condition, try, lock)                                                               \
    ((condition) && (entry = pthread_quick_find(ADDRESS(lock), caller.address)) != NULL &&         \
             PTHREAD_REAL(try)(lock) == 0                                                          \
         ? (pthread_quick_count(entry, OF_##try == PTHREAD_LOCK, caller.address), PTHREAD_IS_DONE) \
         : PTHREAD_RECORDS),
#define MAY_COUNT(condition, object, kind)                                                         \
    (mode == PTHREAD_COUNTED && (condition) && pthread_count_may(&tried, ADDRESS(object), kind))
#define OF_pthread_mutex_trylock PTHREAD_LOCK
#define OF_mtx_trylock PTHREAD_LOCK
#define OF_pthread_spin_trylock PTHREAD_LOCK
#define OF_pthread_rwlock_trywrlock PTHREAD_LOCK
#define OF_pthread_rwlock_tryrdlock PTHREAD_SHARED
#define TRIED_IF(condition, try, lock)                                                             \
    COUNTS(condition, try, lock)                                                                   \
    (mode == PTHREAD_CONTENDED && (condition)                                                      \
         ? pthread_mode_tried(&ret, ADDRESS(lock), PTHREAD_REAL(try)(lock))                        \
     : MAY_COUNT(condition, lock, OF_##try)                                                        \
         ? pthread_count_tried(&tried, &ret, ADDRESS(lock), PTHREAD_REAL(try)(lock))               \
         : IF_WAITS)
#define TRIED(try, lock) TRIED_IF(true, try, lock)
#define TRIED_SEM(sem, condition)                                                                  \
    USUAL(mode == PTHREAD_CONTENDED && (condition)       ? try_sem(sem)                            \
          : MAY_COUNT(condition, sem, PTHREAD_SEMAPHORE) ? count_sem(&tried, &ret, sem)            \
                                                         : IF_WAITS)
#define TRIES_IF(condition, try, lock)                                                             \
    COUNTS(condition, try, lock)                                                                   \
    (mode == PTHREAD_CONTENDED ? pthread_mode_tries(&ret, ADDRESS(lock), PTHREAD_REAL(try)(lock))  \
     : MAY_COUNT(condition, lock, OF_##try)                                                        \
         ? pthread_count_tries(&tried, &ret, ADDRESS(lock), PTHREAD_REAL(try)(lock))               \
         : IF_QUICK)
#define TRIES(try, lock) TRIES_IF(true, try, lock)
#define TRIES_SEM(sem)                                                                             \
    USUAL(MAY_COUNT(true, sem, PTHREAD_SEMAPHORE)                                                  \
              ? pthread_count_tries(&tried, &ret, sem, PTHREAD_REAL(sem_trywait)(sem))             \
              : IF_QUICK)
#define HELD(lock)                                                                                 \
    (pthread_quick_gives(ADDRESS(lock)) ? PTHREAD_PASSES : PTHREAD_RECORDS),                       \
        (mode == PTHREAD_COUNTED ? pthread_count_held(&tried, ADDRESS(lock))                       \
                                 : pthread_mode_held(mode, ADDRESS(lock)))
#define REMADE(lock)                                                                               \
    USUAL(mode == PTHREAD_COUNTED ? pthread_count_remade(&tried, ADDRESS(lock))                    \
                                  : pthread_mode_remade(mode, ADDRESS(lock)))
#define MADE(object)                                                                               \
    USUAL(mode == PTHREAD_COUNTED ? pthread_count_remade(&tried, object) : IF_QUICK)
#define SIGNALS(object, kind)                                                                      \
    (pthread_quick_signals(object, caller.address) ? PTHREAD_PASSES : PTHREAD_RECORDS),            \
        (mode == PTHREAD_COUNTED ? pthread_count_signals(&tried, object, PTHREAD_##kind)           \
                                 : IF_QUICK)
#define WAITS_FOR(cond)                                                                            \
    USUAL(mode == PTHREAD_COUNTED ? (pthread_count_waits(&tried, cond), IF_WAITS) : IF_WAITS)
#define IS_TIME(clock, until) pthread_mode_is_time(clock, until)
/*
 * Mutexes that are neither robust nor inherit priorities. A robust mutex beyond recovery is left
 * locked by a trylock of the C library. With priority inheritance some clocks are an error even if
 * the mutex is free.
 */
#define IS_PLAIN(mutex) (((mutex)->__data.__kind & 0x30) == 0)

/* Functions that wait are cancellation points even if there is nothing to wait for. */
static enum pthread_verdict try_sem(sem_t *sem)
{
    int kept = errno;
    pthread_testcancel();
    if (PTHREAD_REAL(sem_trywait)(sem) == 0)
        return PTHREAD_IS_DONE;
    errno = kept;
    return PTHREAD_RECORDS;
}

/* If the call is recorded, the record is of the real call, which may be cancelled. */
static enum pthread_verdict count_sem(struct pthread_tried *tried, int *ret, sem_t *sem)
{
    int kept = errno, value = 0;
    if (pthread_count_records(tried->entry)) {
        (void)sem_getvalue(sem, &value);
        pthread_count_recorded(tried, value > 0);
        return PTHREAD_RECORDS;
    }
    pthread_testcancel();
    int got = PTHREAD_REAL(sem_trywait)(sem);
    if (got != 0)
        errno = kept;
    return pthread_count_tried(tried, ret, sem, got);
}

#define PARAM(Row, kind, name) PTHREAD_C_##kind name
#define ARG(Row, kind, name) name
#define RETURN_int return ret
#define RETURN_void return
#define CALL_int(call) ret = call
#define CALL_void(call) ((call), (void)ret)

#define PARAMS(Row, ...) OTF2_LIST(PARAM, Row, "", __VA_ARGS__)
#define ARGS(Row, ...) OTF2_LIST(ARG, Row, "", __VA_ARGS__)

#define RUN(type, name, enter, before, leave, ...)                                                 \
    static inline __attribute__((always_inline))                                                   \
    type run_##name(const bool is_async, const struct pthread_tried *tried,                        \
                    struct spur_caller caller, PARAMS(name, __VA_ARGS__))                          \
    {                                                                                              \
        const bool is_done = tried && tried->is_done;                                              \
        int ret = is_done ? tried->ret : 0;                                                        \
        PTHREAD_FRAME(frame) = {.call = &pthread_calls[CALL_##name].call};                         \
        struct spur_loc *loc = enter;                                                              \
        if (!loc) {                                                                                \
            if (!is_done)                                                                          \
                CALL_##type(PTHREAD_REAL(name)(ARGS(name, __VA_ARGS__)));                          \
            RETURN_##type;                                                                         \
        }                                                                                          \
        if (tried)                                                                                 \
            pthread_count_entered(&frame, tried);                                                  \
        before;                                                                                    \
        pthread_shield_lower(&frame, is_async);                                                    \
        if (!is_done)                                                                              \
            CALL_##type(PTHREAD_REAL(name)(ARGS(name, __VA_ARGS__)));                              \
        pthread_shield_raise(&frame, is_async);                                                    \
        leave;                                                                                     \
        RETURN_##type;                                                                             \
    }

#define ASYNC(type, name, ...)                                                                     \
    static __attribute__((noinline, cold, section("spur_unwound")))                                \
    type async_##name(const struct pthread_tried *tried, struct spur_caller caller,                \
                      PARAMS(name, __VA_ARGS__))                                                   \
    {                                                                                              \
        int ret = 0;                                                                               \
        CALL_##type(run_##name(true, tried, caller, ARGS(name, __VA_ARGS__)));                     \
        RETURN_##type;                                                                             \
    }

#define OTHER(type, name, quick, when, ...)                                                        \
    static __attribute__((noinline))                                                               \
    type other_##name(struct spur_caller caller, PARAMS(name, __VA_ARGS__))                        \
    {                                                                                              \
        int ret = 0;                                                                               \
        struct pthread_counted *entry = NULL;                                                      \
        enum pthread_verdict verdict = quick;                                                      \
        (void)entry;                                                                               \
        if (verdict == PTHREAD_IS_DONE)                                                            \
            RETURN_##type;                                                                         \
        if (verdict == PTHREAD_PASSES || pthread_mode == PTHREAD_OFF) {                            \
            CALL_##type(PTHREAD_REAL(name)(ARGS(name, __VA_ARGS__)));                              \
            RETURN_##type;                                                                         \
        }                                                                                          \
        const enum pthread_mode mode = pthread_mode_from(caller.address);                          \
        struct pthread_tried tried = {.caller = &caller};                                          \
        verdict = when;                                                                            \
        if (verdict == PTHREAD_PASSES)                                                             \
            CALL_##type(PTHREAD_REAL(name)(ARGS(name, __VA_ARGS__)));                              \
        else if (verdict == PTHREAD_RECORDS)                                                       \
            CALL_##type(async_##name(&tried, caller, ARGS(name, __VA_ARGS__)));                    \
        RETURN_##type;                                                                             \
    }

#define WRAPPER(type, name, quick, when, enter, before, leave, ...)                                \
    RUN(type, name, enter, before, leave, __VA_ARGS__)                                             \
    ASYNC(type, name, __VA_ARGS__)                                                                 \
    OTHER(type, name, quick, when, __VA_ARGS__)                                                    \
    SPUR_EXPORT type name(PARAMS(name, __VA_ARGS__))                                               \
    {                                                                                              \
        int ret = 0;                                                                               \
        if (__builtin_expect(atomic_load_explicit(&pthread_is_special, memory_order_relaxed), 0))  \
            CALL_##type(other_##name(SPUR_CALLER, ARGS(name, __VA_ARGS__)));                       \
        else                                                                                       \
            CALL_##type(run_##name(false, NULL, SPUR_CALLER, ARGS(name, __VA_ARGS__)));            \
        RETURN_##type;                                                                             \
    }

#define PTHREAD_HAND(...)
#define PTHREAD_CALL(name, version, group, ROLE, when, before, after, ...)                         \
    WRAPPER(int, name, when, ENTER_##before, before, LEAVE_##after, __VA_ARGS__)
#define PTHREAD_VOID(name, version, group, ROLE, when, before, after, ...)                         \
    WRAPPER(void, name, when, ENTER_##before, before, LEAVE_##after, __VA_ARGS__)
#include "wrappers/pthread/pthread_calls.def"
#undef PTHREAD_VOID
#undef PTHREAD_CALL
#undef PTHREAD_HAND
