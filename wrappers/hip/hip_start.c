/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of rocprofiler-sdk, with spur as a tool. */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/hip/hip.h"

enum { BUFFER_BYTES = 1 << 20, WATERMARK = BUFFER_BYTES / 4 * 3, CALLS = 1024, KINDS = 128 };

struct hip_kinds hip_kinds;

/* The process in which rocprofiler-sdk runs: 1 + spur_generation(); 0: no process. */
static _Atomic uint64_t started_in;
static _Atomic pid_t started_by;

static struct rocprofiler_id context, buffer;
static bool is_old; /* rocprofiler-sdk, before 1.0 */
static bool has_said;

bool hip_sdk_is_old(void)
{
    return is_old;
}

bool hip_is_ours(void)
{
    return atomic_load(&started_in) == (uint64_t)spur_generation() + 1;
}

/* A child has another generation only after the child has recorded something. */
bool hip_may_ask(void)
{
    return hip_is_ours() && atomic_load(&started_by) == (pid_t)syscall(SYS_getpid);
}

/* ---- records ---- */

/* A handler that ends the process must not do so in between: locks would stay taken. */
void hip_flush(bool is_last)
{
    (void)is_last;
    if (!hip_may_ask())
        return;
    spur_inside_begin();
    spur_quiet_begin();
    (void)hip_sdk.rocprofiler_flush_buffer(buffer);
    device_told_all();
    spur_quiet_end();
    spur_inside_end();
}

struct device_flusher hip_flusher = {.runtime = "rocprofiler-sdk",
                                     .thread = "spur-hip",
                                     .flush = hip_flush,
                                     .may_ask = hip_may_ask,
                                     .lost = hip_records_lost};

static void flush_end(bool goes_on)
{
    device_flush_end(&hip_flusher, goes_on);
}

/* ---- kinds of calls and records ---- */

typedef int query_name(int kind, const char **name, uint64_t *length);

/* -1: no kind has the name. */
static int kind_of(query_name *query, const char *wanted)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const char *name = NULL;
        if (query(kind, &name, NULL) == ROCPROFILER_OK && name && strcmp(name, wanted) == 0)
            return kind;
    }
    return -1;
}

/* False: a needed kind is missing in the running version. */
static bool find_kinds(void)
{
    bool has_all = true;
#define KIND(list, how, NAME, is_needed)                                                           \
    hip_kinds.list[HIP_##NAME] = kind_of(hip_sdk.how, #NAME);                                      \
    has_all &= hip_kinds.list[HIP_##NAME] >= 0 || !(is_needed);
#define CALLED(NAME, is_needed)                                                                    \
    KIND(called, rocprofiler_query_callback_tracing_kind_name, NAME, is_needed)
#define RECORDED(NAME, RECORD, is_needed)                                                          \
    KIND(recorded, rocprofiler_query_buffer_tracing_kind_name, NAME, is_needed)
#include "wrappers/hip/rocprofiler_kinds.def"
#undef KIND
    return has_all;
}

static int want_calls(int kind, const int32_t *operations, size_t n)
{
    wrapper_any call = is_old ? (wrapper_any)hip_on_old_call : (wrapper_any)hip_on_call;
    return kind < 0
               ? ROCPROFILER_OK
               : hip_sdk.rocprofiler_configure_callback_tracing_service(context, kind, operations,
                                                                        n, call, NULL);
}

static int want_records(int kind, bool is_wanted)
{
    return is_wanted && kind >= 0
               ? hip_sdk.rocprofiler_configure_buffer_tracing_service(context, kind, NULL, 0,
                                                                      buffer)
               : ROCPROFILER_OK;
}

static bool is_on(enum hip_group group)
{
    return !hip_group_is_off[group];
}

/* Copies on a device, and fills, are kernels of the runtime's. */
static int want_all(void)
{
    static int32_t numbers[CALLS], marks[CALLS];
    const int marking = hip_kinds.called[HIP_MARKER_CORE_API];
    const size_t n = hip_calls_describe(numbers, CALLS);
    const size_t n_marks = marking < 0 ? 0 : hip_roctx_describe(marking, marks, CALLS);
    const bool is_copied = is_on(HIP_GROUP_copy);
    const bool is_given = is_copied || is_on(HIP_GROUP_launch) || is_on(HIP_GROUP_fill);
    int result = n ? want_calls(hip_kinds.called[HIP_HIP_RUNTIME_API], numbers, n) : 0;
    if (!result && is_given)
        result = want_calls(hip_kinds.called[HIP_HIP_STREAM], NULL, 0);
    if (!result && is_given)
        result = want_calls(hip_kinds.called[HIP_CODE_OBJECT], NULL, 0);
    if (!result)
        result = want_records(hip_kinds.recorded[HIP_KERNEL_DISPATCH], is_given);
    if (!result)
        result = want_records(hip_kinds.recorded[HIP_MEMORY_COPY], is_copied);
    if (!result)
        result = want_records(hip_kinds.recorded[HIP_MEMORY_ALLOCATION], is_on(HIP_GROUP_memory));
    if (!result && n_marks)
        result = want_calls(marking, marks, n_marks);
    return result;
}

/* ---- the tool ---- */

static void say_not(const char *why, int result)
{
    has_said = true;
    spur_say("rocprofiler-sdk %s (status %d): HIP is not recorded", why, result);
}

static int configure_all(void)
{
    int result = hip_sdk.rocprofiler_create_context(&context);
    if (!result)
        result = hip_sdk.rocprofiler_create_buffer(context, BUFFER_BYTES, WATERMARK,
                                                   ROCPROFILER_WAITS_WHEN_FULL, hip_on_records,
                                                   NULL, &buffer);
    if (!result)
        result = want_all();
    if (!result)
        result = hip_sdk.rocprofiler_query_available_agents(ROCPROFILER_AGENTS_V0, hip_on_agents,
                                                            ROCPROFILER_AGENT_BYTES, NULL);
    return result ? result : hip_sdk.rocprofiler_start_context(context);
}

static int start_tool(void *end, void *data)
{
    (void)end;
    (void)data;
    if (!find_kinds()) {
        say_not("does not tell what is needed", 0);
        return -1;
    }
    int result = configure_all();
    if (result) {
        say_not("does not start", result);
        return -1;
    }
    atomic_store(&started_by, (pid_t)syscall(SYS_getpid));
    atomic_store(&started_in, (uint64_t)spur_generation() + 1);
    return 0;
}

/* At exit(), when rocprofiler-sdk has waited for all work given. */
static void end_tool(void *data)
{
    (void)data;
    device_flush_exit(&hip_flusher);
}

static bool knows(uint32_t version)
{
    return (version >= ROCPROFILER_0_5 && version < ROCPROFILER_0_7) ||
           (version >= ROCPROFILER_1 && version < ROCPROFILER_2);
}

static struct rocprofiler_tool *configure(uint32_t version, const char *text, uint32_t priority,
                                          void *client)
{
    static struct rocprofiler_tool tool = {.size = sizeof tool,
                                           .start = start_tool,
                                           .end = end_tool};
    (void)priority;
    (void)client;
    is_old = version < ROCPROFILER_1;
    if (knows(version))
        return &tool;
    has_said = true;
    spur_say("this version of rocprofiler-sdk (%s) is not known: HIP is not recorded",
             text ? text : "?");
    return NULL;
}

/* ---- the start ---- */

/* rocprofiler-sdk has threads and locks of its own. */
static void leave_out_locks(const void *in_register)
{
    const void *address;
    memcpy(&address, &hip_sdk.rocprofiler_create_context, sizeof address);
    spur_locks_leave_out(address);
    spur_locks_leave_out(in_register);
}

/*
 * Threads that begin here take no signals of the program's: otherwise the program would wait for a
 * handler in a thread of rocprofiler-sdk.
 */
static int make_known(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int result = hip_sdk.rocprofiler_force_configure(configure);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

void hip_start(const void *in_register)
{
    if (!hip_sdk_open(in_register)) {
        spur_say("there is no rocprofiler-sdk that can be used: HIP is not recorded (docs/hip.md "
                 "says where it is looked for)");
        return;
    }
    leave_out_locks(in_register);
    const int result = make_known();
    if (result == ROCPROFILER_LOCKED && !has_said)
        say_not("is another tool's", result);
    else if (result != ROCPROFILER_OK && !has_said)
        say_not("takes no tool", result);
    if (!hip_is_ours())
        return;
    device_flush_start(&hip_flusher);
    spur_before_end(flush_end);
}
