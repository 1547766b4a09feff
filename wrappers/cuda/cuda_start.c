/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How CUDA finds the agent, and how CUPTI is started: the driver calls InitializeInjection() when
 * the program first uses CUDA, and then the program's call goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/cuda/cuda.h"

static const char variable[] = "CUDA_INJECTION64_PATH";

/*
 * `is_named` false: the driver has found the agent by itself, in a program that is not to be
 * traced. `is_wanted`: some group is on.
 */
static bool is_named, is_wanted;

/* The process in which CUPTI runs: 1 + spur_generation(); 0: it does not. */
static _Atomic uint64_t started_in;
static _Atomic pid_t started_by;

static void name_library(void *unused)
{
    (void)unused;
    if (!spur_wraps(SPUR_FAMILY_CUDA))
        return;
    is_wanted = cuda_groups_select(spur_setting("CUDA"));
    is_named = spur_environment_name_one(variable);
    const char *other = is_named ? NULL : secure_getenv(variable);
    if (is_wanted && other && *other)
        spur_complain("CUDA_INJECTION64_PATH names another library: CUDA is not recorded; unset it "
                      "to record CUDA");
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(name_library, NULL);
}

bool cuda_is_ours(void)
{
    return atomic_load(&started_in) == (uint64_t)spur_generation() + 1;
}

/* A child has another generation only when it has recorded something. */
bool cuda_may_ask(void)
{
    return cuda_is_ours() && atomic_load(&started_by) == (pid_t)syscall(SYS_getpid);
}

/* ---- records ---- */

void cuda_flush(bool is_last)
{
    if (!cuda_may_ask())
        return;
    spur_inside_begin();
    (void)cupti.cuptiActivityFlushAll(is_last ? CUPTI_FLUSH_FORCED : 0);
    device_told_all();
    spur_inside_end();
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

/* Its records have the clock that the agent compares with its own, if CUPTI can do that. */
static bool start_cupti(void)
{
    void *subscriber = NULL;
    int result = cupti.cuptiSubscribe(&subscriber, cuda_on_call, NULL);
    if (result == CUPTI_OTHER_SUBSCRIBER) {
        spur_say("another tool uses CUPTI: CUDA is not recorded");
        has_said = true;
        return true;
    }
    if (result == CUPTI_OK)
        result = cupti.cuptiActivityRegisterCallbacks(cuda_on_request, cuda_on_complete);
    if (result != CUPTI_OK) {
        spur_say("CUPTI does not start (%s): CUDA is not recorded", words_of(result));
        has_said = true;
        if (subscriber)
            (void)cupti.cuptiUnsubscribe(subscriber);
        return false;
    }
    if (cupti.cuptiActivityRegisterTimestampCallback)
        (void)cupti.cuptiActivityRegisterTimestampCallback(device_host_ns);
    leave_out_locks();
    atomic_store(&started_by, (pid_t)syscall(SYS_getpid));
    atomic_store(&started_in, (uint64_t)spur_generation() + 1);
    if (!cuda_records_enable())
        spur_say("CUPTI does not report all that devices do: kernels or copies are missing");
    cuda_calls_enable(subscriber);
    is_started = true;
    return true;
}

static void start(void *unused)
{
    (void)unused;
    if (!cupti_open(start_cupti) && !has_said)
        spur_say("there is no CUPTI that can be used: CUDA is not recorded (docs/cuda.md says "
                 "where it is looked for)");
    if (!is_started)
        return;
    cuda_flush_start();
    spur_before_end(cuda_flush_end);
    (void)atexit(cuda_flush_exit);
}

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
    if (may_record && is_wanted && !cuda_is_ours()) {
        spur_inside_begin();
        if (atomic_load(&started_in)) {
            cuda_launches_forget();
            cuda_kernels_forget();
        }
        is_started = has_said = false;
        start(NULL);
        spur_inside_end();
    }
    errno = saved;
    return 1;
}
