/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a thread: the creation, the end, the cancellation and the name of a thread.
 *
 * The end is seen after a return, after pthread_exit() and after a cancellation
 * (wrappers/pthread/pthread_keys.h). The main thread has no record: the location of the main thread
 * lasts as long as the process.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <threads.h>

#include "wrappers/pthread/pthread_emit.h"
#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_keys.h"
#include "wrappers/pthread/pthread_mode.h"
#include "wrappers/pthread/pthread_real.h"
#include "wrappers/pthread/pthread_record.h"

static pthread_once_t started = PTHREAD_ONCE_INIT;

/* The record of threads that the wrappers did not see created. */
static struct pthread_record stranger;

static void thread_ends(void *arg)
{
    struct pthread_record *record = arg;

    /* After a return the thread can still be cancelled, even asynchronously. */
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_emit_thread_end();
    spur_inside_begin(); /* see lock() in pthread_record.c */
    spur_thread_end(record != &stranger && pthread_record_ended(record));
    spur_inside_end();
    pthread_setcancelstate(state, NULL);
}

/*
 * The C library lets signals through before a thread's routine begins. A handler recorded there
 * would make a location of its own, beside the location that waits for the thread. So the creator
 * blocks all signals during the creation, and the thread inherits the mask. (The price is two
 * system calls, beside the time of a creation, and one call less in the thread, which needs quiet
 * anyway.) A handler comes first only if the attributes have a mask of their own, or if the mask
 * cannot be changed. Then calls of threads without a location are not recorded until the new thread
 * has begun.
 */
static _Atomic int open_births;

/* NULL if the C library has no masks in attributes. */
static int (*get_mask)(const pthread_attr_t *attr, sigset_t *mask);

static bool has_own_mask(const pthread_attr_t *attr)
{
    sigset_t mask;
    return attr && get_mask && get_mask(attr, &mask) == 0;
}

static void birth_begin(struct pthread_record *record, const pthread_attr_t *attr)
{
    spur_quiet_begin();
    record->is_born_quiet = !has_own_mask(attr) && spur_quiet_mask(&record->mask);
    if (!record->is_born_quiet)
        atomic_fetch_add(&open_births, 1);
}

static void birth_fail(const struct pthread_record *record)
{
    if (!record->is_born_quiet)
        atomic_fetch_sub(&open_births, 1);
}

/* In the new thread, after the thread has got a location. */
static void birth_end(bool is_born_quiet)
{
    if (is_born_quiet)
        spur_quiet_end();
    else
        atomic_fetch_sub(&open_births, 1);
}

static void births_forked(void)
{
    atomic_store(&open_births, 0);
}

static bool stranger_begins(void)
{
    if (atomic_load(&open_births) > 0)
        return false;
    pthread_keys_watch(&stranger);
    return true;
}

static void start_family(void)
{
    wrapper_find_all(pthread_calls, PTHREAD_CALLS);
    void *address = spur_real("pthread_attr_getsigmask_np", NULL);
    memcpy(&get_mask, &address, sizeof get_mask);
    pthread_mode_start();
    pthread_atfork(NULL, NULL, pthread_emit_forked);
    pthread_atfork(NULL, NULL, births_forked);
    pthread_keys_start(thread_ends);
    spur_thread_at_first(stranger_begins);
}

/* Early: so the key needs no memory of its own in the threads. */
__attribute__((constructor)) static void start_early(void)
{
    PTHREAD_REAL(pthread_once)(&started, start_family);
}

/*
 * In the new thread; returns the routine to run. The agent's functions have no cancellation point.
 */
static struct pthread_record thread_begins(struct pthread_record *record)
{
    const bool is_born_quiet = record->is_born_quiet;
    if (is_born_quiet)
        spur_quiet_born(record->mask);
    const struct pthread_record copy = {.fate = record->fate, /* fields not changed by creators */
                                        .identity = record->identity,
                                        .start = record->start,
                                        .start_c11 = record->start_c11,
                                        .arg = record->arg};
    if (copy.fate == PTHREAD_IGNORED) {
        spur_thread_ignore();
        birth_end(is_born_quiet);
        pthread_record_free(record);
        return copy;
    }
    if (copy.fate == PTHREAD_RECORDED) {
        spur_thread_begin(copy.identity.thread);
        pthread_record_begun(record);
    }
    pthread_keys_watch(record);
    birth_end(is_born_quiet);
    if (copy.fate == PTHREAD_UNTOLD)
        spur_thread_untold();
    return copy;
}

/* The routine of a thread, and the result of the routine unless the routine is left otherwise. */
struct running {
    const struct pthread_record *record;
    void *result;
    int result_c11;
};

static void run(void *data)
{
    struct running *running = data;
    running->result = running->record->start(running->record->arg);
}

static void run_c11(void *data)
{
    struct running *running = data;
    running->result_c11 = running->record->start_c11(running->record->arg);
}

/* The record of a thread whose end is of interest; else NULL. */
static void *to_be_told(const struct pthread_record *copy, void *record)
{
    return copy->fate == PTHREAD_IGNORED ? NULL : record;
}

static void *thread_main(void *record)
{
    const struct pthread_record copy = thread_begins(record);
    struct running running = {.record = &copy};
    pthread_keys_run(run, &running, to_be_told(&copy, record));
    return running.result;
}

static int thread_main_c11(void *record)
{
    const struct pthread_record copy = thread_begins(record);
    struct running running = {.record = &copy};
    pthread_keys_run(run_c11, &running, to_be_told(&copy, record));
    return running.result_c11;
}

/* ---- in the creator ---- */

/* The way to carry out a pthread_create() or thrd_create() of the program. */
struct creation {
    struct pthread_frame frame;    /* without a location the creation is not recorded */
    struct pthread_record *record; /* NULL: the real function gets the program's start routine */
};

static bool is_detached(const pthread_attr_t *attr)
{
    int state = PTHREAD_CREATE_JOINABLE;
    return attr && pthread_attr_getdetachstate(attr, &state) == 0 &&
           state == PTHREAD_CREATE_DETACHED;
}

static struct pthread_record *record_new(enum pthread_fate fate, const pthread_attr_t *attr)
{
    struct pthread_record *record = pthread_record_new();
    if (!record)
        return NULL;
    record->fate = fate;
    if (fate != PTHREAD_RECORDED) {
        record->is_created = true; /* pthread_record_created() will not be called */
        return record;
    }
    struct pthread_identity *who = &record->identity;
    record->is_detached = is_detached(attr);
    who->thread = spur_thread_new(&who->contingent, &who->sequence);
    if (who->thread)
        return record;
    pthread_record_free(record);
    return NULL;
}

/*
 * The shield stays up over the real function, which is no cancellation point: a thread is created
 * and told, or neither.
 */
static struct creation creation_enter(enum pthread_call_id id, const pthread_attr_t *attr,
                                      struct spur_caller caller)
{
    PTHREAD_REAL(pthread_once)
    (&started, start_family); /* a library's constructor may be here before ours */
    struct creation creation = {.frame = {.call = &pthread_calls[id].call}};
    const enum pthread_mode mode = pthread_mode_from(caller.address);
    if (mode != PTHREAD_OFF)
        (void)pthread_frame_enter(&creation.frame, true, caller);
    if (creation.frame.loc)
        creation.record = record_new(PTHREAD_RECORDED, attr);
    else if (spur_inside())
        creation.record = record_new(PTHREAD_IGNORED, attr);
    else if (mode == PTHREAD_OFF)
        creation.record = record_new(PTHREAD_UNTOLD, attr);
    if (creation.record)
        birth_begin(creation.record, attr);
    return creation;
}

/* The new thread may have freed the record. */
static void creation_made(const struct creation *creation, bool is_made)
{
    if (!creation->record)
        return;
    if (!is_made)
        birth_fail(creation->record);
    spur_quiet_end();
}

/* ThreadCreate carries the time of the Enter: the Enter must not be later than the ThreadBegin. */
static void creation_leave(struct creation *creation, bool is_made, const pthread_t *thread)
{
    struct pthread_record *record = creation->record;
    struct spur_loc *loc = creation->frame.loc;
    if (!loc) {
        if (record && !is_made)
            pthread_record_free(record);
        return;
    }
    if (record && is_made) {
        spur_thread_created(loc, record->identity.thread);
        pthread_record_created(record, thread);
    } else if (record) {
        spur_thread_cancel(record->identity.thread);
        pthread_record_free(record);
    }
    spur_tick(loc);
    pthread_frame_leave(&creation->frame, true);
}

/*
 * From here on the parameters have names of spur's own: names in the C library's headers are
 * reserved.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
 */
SPUR_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                               void *(*start)(void *), void *arg)
{
    struct creation creation = creation_enter(CALL_pthread_create, attr, SPUR_CALLER);
    void *(*routine)(void *) = start;
    void *argument = arg;
    if (creation.record) {
        creation.record->start = start;
        creation.record->arg = arg;
        routine = thread_main;
        argument = creation.record;
    }
    int ret = PTHREAD_REAL(pthread_create)(thread, attr, routine, argument);
    creation_made(&creation, ret == 0);
    creation_leave(&creation, ret == 0, thread);
    return ret;
}

SPUR_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
    struct creation creation = creation_enter(CALL_thrd_create, NULL, SPUR_CALLER);
    thrd_start_t routine = start;
    void *argument = arg;
    if (creation.record) {
        creation.record->start_c11 = start;
        creation.record->arg = arg;
        routine = thread_main_c11;
        argument = creation.record;
    }
    int ret = PTHREAD_REAL(thrd_create)(thread, routine, argument);
    creation_made(&creation, ret == thrd_success);
    creation_leave(&creation, ret == thrd_success, thread);
    return ret;
}

/*
 * The region is left at once: calls of cleanup handlers and destructors are not part of the region.
 */
static void record_exit(enum pthread_call_id id, struct spur_caller caller)
{
    PTHREAD_FRAME(frame) = {.call = &pthread_calls[id].call};
    if (pthread_mode != PTHREAD_OFF)
        (void)pthread_frame_enter(&frame, true, caller);
    if (frame.loc)
        pthread_frame_leave_now(&frame, true); /* the Leave's metrics have their own time */
}

SPUR_EXPORT void pthread_exit(void *value)
{
    record_exit(CALL_pthread_exit, SPUR_CALLER);
    ((void (*)(void *))wrapper_real(&pthread_calls[CALL_pthread_exit]))(value);
    __builtin_unreachable();
}

SPUR_EXPORT void thrd_exit(int value)
{
    record_exit(CALL_thrd_exit, SPUR_CALLER);
    ((void (*)(int))wrapper_real(&pthread_calls[CALL_thrd_exit]))(value);
    __builtin_unreachable();
}

/* A thread that cancels itself may not come back. */
SPUR_EXPORT int pthread_cancel(pthread_t thread)
{
    PTHREAD_FRAME(frame) = {.call = &pthread_calls[CALL_pthread_cancel].call};
    if (pthread_mode != PTHREAD_OFF)
        (void)pthread_frame_enter(&frame, true, SPUR_CALLER);
    if (!frame.loc)
        return PTHREAD_REAL(pthread_cancel)(thread);
    pthread_shield_lower(&frame, true);
    int ret = PTHREAD_REAL(pthread_cancel)(thread);
    pthread_shield_raise(&frame, true);
    spur_tick(frame.loc);
    pthread_frame_leave(&frame, true);
    return ret;
}

/* No region: the function sets a flag. From now on later calls are recorded in another way. */
SPUR_EXPORT int pthread_setcanceltype(int type, int *old)
{
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        pthread_mode_async(true); /* first: the thread may be cancelled already */
    int ret = PTHREAD_REAL(pthread_setcanceltype)(type, old);
    if (ret == 0 && type == PTHREAD_CANCEL_DEFERRED)
        pthread_mode_async(false);
    return ret;
}

/* Names are labels of locations and no regions. */
SPUR_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    int ret = PTHREAD_REAL(pthread_setname_np)(thread, name);
    if (ret != 0 || spur_inside())
        return ret;
    if (pthread_equal(thread, pthread_self()))
        spur_thread_name(name);
    else
        pthread_record_named(thread, name);
    return ret;
}

SPUR_EXPORT int prctl(int option, ...)
{
    /* Like prctl() of the C library: words that the caller did not pass are read, and not used. */
    void *word[4];
    va_list args;
    va_start(args, option);
    for (int i = 0; i < 4; i++)
        word[i] = va_arg(args, void *);
    va_end(args);

    if (option == PR_SET_SECCOMP && (word[0] == (void *)SECCOMP_MODE_STRICT || word[1]))
        spur_process_seal();
    if (option == PR_SET_TSC && word[0] == (void *)PR_TSC_SIGSEGV)
        spur_clock_forbid();
    int ret = PTHREAD_REAL(prctl)(option, word[0], word[1], word[2], word[3]);
    if (option == PR_SET_NAME && ret == 0 && !spur_inside())
        spur_thread_name(word[0]);
    return ret;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
