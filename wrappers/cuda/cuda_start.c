/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's entry into CUDA, and the start of CUPTI. The driver calls InitializeInjection() when
 * the program first uses CUDA, and then the program's call goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wrappers/cuda/cuda_driver.h"
#include "wrappers/device/device_marks.h"

static const char variable[] = "CUDA_INJECTION64_PATH";

/*
 * `is_named` false: the driver has found the agent by itself, in a program that is not to be
 * traced. `is_wanted`: a group is on.
 */
static bool is_named, is_wanted;

/* The process in which CUPTI runs: 1 + spur_generation(); 0: no process. */
static _Atomic uint64_t started_in;
static _Atomic pid_t started_by;
static void *subscriber;

/* The program has asked for CUPTI. The program and its children have CUPTI from then on. */
static _Atomic bool is_programs;

static void name_library(void *unused)
{
    (void)unused;
    if (!spur_wraps(SPUR_FAMILY_CUDA))
        return;
    is_wanted = cuda_groups_select(spur_setting("CUDA"));
    is_named = spur_environment_name_one(variable);
    const char *other = is_named ? NULL : secure_getenv(variable);
    if (is_wanted && other && *other && !spur_is_attached())
        spur_complain("CUDA_INJECTION64_PATH names another library: CUDA is not recorded; unset it "
                      "to record CUDA");
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(name_library, NULL);
}

bool cuda_is_wanted(void)
{
    return is_named && is_wanted;
}

bool cuda_is_ours(void)
{
    return atomic_load(&started_in) == (uint64_t)spur_generation() + 1;
}

/* A child has another generation only after the child has recorded something. */
bool cuda_may_ask(void)
{
    return cuda_is_ours() && !atomic_load(&is_programs) &&
           atomic_load(&started_by) == (pid_t)syscall(SYS_getpid);
}

/* ---- records ---- */

/* A handler that ends the process must not do so in between: CUPTI's locks would stay taken. */
static void flush(bool is_last)
{
    if (!cuda_may_ask())
        return;
    spur_inside_begin();
    spur_quiet_begin();
    (void)cupti.cuptiActivityFlushAll(is_last ? CUPTI_FLUSH_FORCED : 0);
    device_told_all();
    spur_quiet_end();
    spur_inside_end();
}

void cuda_flush(void)
{
    flush(false);
}

struct device_flusher cuda_flusher = {.runtime = "CUPTI",
                                      .thread = "spur-cuda",
                                      .flush = flush,
                                      .may_ask = cuda_may_ask,
                                      .lost = cuda_records_lost};

static void flush_end(bool goes_on)
{
    device_flush_end(&cuda_flusher, goes_on);
}

static void flush_exit(void)
{
    device_flush_exit(&cuda_flusher);
}

/* ---- the clock ---- */

enum { NS = 1000000000 };
static _Atomic uint64_t real_time_ahead; /* of the clock of the agent, when CUPTI was started */

static uint64_t real_time_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/*
 * CUPTI cannot be told to forget a clock. So after the handing over this function gives the time of
 * the clock that CUPTI has by itself, and the program that takes CUPTI finds the expected times.
 * While spur has CUPTI, setting the system's time does not set the clock.
 */
static uint64_t clock_of_records(void)
{
    return atomic_load(&is_programs) ? real_time_ns()
                                     : device_host_ns() + atomic_load(&real_time_ahead);
}

/* ---- CUPTI ---- */

static const char *words_of(int result)
{
    const char *text = NULL;
    if (cupti.cuptiGetResultString && cupti.cuptiGetResultString(result, &text) == CUPTI_OK && text)
        return text;
    return "unknown error";
}

static bool is_started, has_said;

/* CUPTI has a thread of its own. */
static void leave_out_locks(void)
{
    const void *address;
    memcpy(&address, &cupti.cuptiSubscribe, sizeof address);
    spur_locks_leave_out(address);
}

static void say_if_not(bool is_told)
{
    if (!is_told)
        spur_say("CUPTI does not report all that devices do: kernels or copies are missing");
}

void cuda_has_started(void)
{
    if (cuda_may_ask())
        say_if_not(cuda_records_enable_later());
}

static bool start_cupti(void)
{
    subscriber = NULL;
    int result = cupti.cuptiSubscribe(&subscriber, cuda_on_call, NULL);
    if (result == CUPTI_OTHER_SUBSCRIBER) {
        spur_say("another tool uses CUPTI: of CUDA only the calls of its driver are recorded");
        has_said = true;
        cuda_driver_start(CUDA_DRIVER_CALLS);
        return true;
    }
    if (result == CUPTI_OK)
        result = cupti.cuptiActivityRegisterCallbacks(cuda_on_request, cuda_on_complete);
    if (result != CUPTI_OK) {
        spur_say("CUPTI does not start (%s): calls of CUDA's driver are recorded, and devices are "
                 "timed by events",
                 words_of(result));
        has_said = true;
        if (subscriber)
            (void)cupti.cuptiUnsubscribe(subscriber);
        return false;
    }
    atomic_store(&real_time_ahead, real_time_ns() - device_host_ns());
    if (cupti.cuptiActivityRegisterTimestampCallback)
        (void)cupti.cuptiActivityRegisterTimestampCallback(clock_of_records);
    leave_out_locks();
    atomic_store(&started_by, (pid_t)syscall(SYS_getpid));
    atomic_store(&started_in, (uint64_t)spur_generation() + 1);
    say_if_not(cuda_records_enable());
    cuda_calls_enable(subscriber);
    is_started = true;
    return true;
}

static void start(void *unused)
{
    (void)unused;
    bool is_found = cupti_open(start_cupti);
    if (!is_found && !has_said)
        spur_say("there is no CUPTI that can be used: calls of CUDA's driver are recorded, and "
                 "devices are timed by events (docs/cuda.md says where CUPTI is looked for)");
    if (!is_found)
        cuda_driver_start(CUDA_DRIVER_PAIRS);
    if (!is_started)
        return;
    device_flush_start(&cuda_flusher);
    spur_before_end(flush_end);
    (void)atexit(flush_exit);
}

/* ---- a program that uses CUPTI itself ---- */

/*
 * A call of CUDA may take long. A program that waits for the call in one thread is not held up for
 * ever.
 */
enum { PATIENCE_S = 3 };

/* No call is within its region, so no region misses its end. */
static void hand_over(const char *call)
{
    static bool has_waited;
    if (!device_calls_stop(&cuda_calls, has_waited ? 0 : (uint64_t)PATIENCE_S * NS)) {
        has_waited = true;
        spur_say("%s(): a thread is within a call of CUDA, so spur cannot give CUPTI up; start the "
                 "program with --cuda none to leave CUPTI to it",
                 call);
        return;
    }
    spur_inside_begin();
    cuda_records_disable();
    flush_exit();
    (void)cupti.cuptiUnsubscribe(subscriber);
    (void)spur_process_property(DEVICE_TAKEN, call);
    spur_say("the program uses CUPTI itself (%s): of CUDA only the calls of its driver are "
             "recorded from here on",
             call);
    atomic_store(&is_programs, true);
    cuda_driver_start(CUDA_DRIVER_CALLS);
    spur_inside_end();
}

bool cuda_give_up(const char *call)
{
    static struct wrapper_lock lock;
    if (!cuda_may_ask()) {
        atomic_store(&is_programs, true);
        return true;
    }
    int saved = errno;
    wrapper_lock_take(&lock);
    if (!atomic_load(&is_programs))
        hand_over(call);
    bool is_given = atomic_load(&is_programs);
    wrapper_lock_give(&lock);
    errno = saved;
    return is_given;
}

/* ---- the way in ---- */

/* Declared here, since spur uses no headers of CUDA. */
int InitializeInjection(void);

/*
 * Called with the driver's locks held, once in a process. The driver may be started in a child of
 * fork() whose parent has not used it.
 */
SPUR_EXPORT int InitializeInjection(void)
{
    int saved = errno;
    /* Recording may be switched on later, and the driver does not ask again. */
    bool may_record = is_named && !spur_is_off();
    if (may_record)
        spur_locks_leave_out(__builtin_return_address(0));
    if (may_record && is_wanted && !cuda_is_ours() && atomic_load(&is_programs)) {
        spur_say(
            "the program uses CUPTI itself: of CUDA only the calls of its driver are recorded");
        cuda_driver_start(CUDA_DRIVER_CALLS);
    } else if (may_record && is_wanted && !cuda_is_ours()) {
        spur_inside_begin();
        if (atomic_load(&started_in)) {
            device_calls_forget(&cuda_calls);
            cuda_kernels_forget();
        }
        is_started = has_said = false;
        start(NULL);
        spur_inside_end();
    }
    errno = saved;
    return 1;
}
