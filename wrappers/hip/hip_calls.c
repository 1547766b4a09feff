/* SPDX-License-Identifier: BSD-3-Clause */
/* What rocprofiler-sdk calls: calls of HIP, their streams, and kernels that are loaded. */
#include <errno.h>

#include "wrappers/hip/hip.h"

enum { CALLS = 1024, DEEP = 8 };

/* By number. No name: it is not recorded. */
static struct spur_call calls[CALLS];
static bool gives[CALLS];

struct device_calls hip_calls = {.flusher = &hip_flusher};

static const OTF2_RegionRole roles[HIP_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) OTF2_REGION_ROLE_##ROLE,
#include "wrappers/hip/hip_groups.def"
#undef GROUP
};

static const char *const words[HIP_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) #name,
#include "wrappers/hip/hip_groups.def"
#undef GROUP
};

/* Numbers begin with 0; after the last one there is no name. Names are constants. */
size_t hip_calls_describe(int32_t *numbers, size_t most)
{
    size_t n = 0;
    for (uint32_t number = 0; number < CALLS && n < most; number++) {
        const char *name = NULL;
        if (hip_sdk.rocprofiler_query_callback_tracing_kind_operation_name(
                hip_kinds.called[HIP_HIP_RUNTIME_API], number, &name, NULL) != ROCPROFILER_OK ||
            !name)
            break;
        const struct hip_name is = hip_name_of(name);
        if (hip_group_is_off[is.group])
            continue;
        calls[number] = (struct spur_call){.name = name,
                                           .group = words[is.group],
                                           .role = roles[is.group],
                                           .is_off = &hip_group_is_off[is.group],
                                           SPUR_CALL_OF(HIP)};
        gives[number] = is.gives;
        numbers[n++] = (int32_t)number;
    }
    return n;
}

/* ---- streams ---- */

/* Those of the calls that the thread is within. */
static _Thread_local struct {
    uint64_t at[DEEP];
    unsigned n;
} streams;

static void set_stream(const struct rocprofiler_call *call)
{
    if (call->operation != ROCPROFILER_STREAM_SET || !call->payload)
        return;
    if (call->phase == ROCPROFILER_ENTER) {
        if (streams.n < DEEP)
            streams.at[streams.n] = rocprofiler_STREAM_stream(call->payload);
        streams.n++;
    } else if (call->phase == ROCPROFILER_EXIT && streams.n) {
        streams.n--;
    }
}

/* A call that names no stream works in that which is there without being made, of number 0. */
static uint64_t stream_now(void)
{
    if (hip_kinds.called[HIP_HIP_STREAM] < 0)
        return HIP_NO_STREAM;
    return streams.n && streams.n <= DEEP ? streams.at[streams.n - 1] : 0;
}

/* ---- calls ---- */

static enum device_answer answer_of(const struct spur_call *called, const char *payload)
{
    int32_t result;
    if (called->is_off != &hip_group_is_off[HIP_GROUP_poll] || !payload)
        return DEVICE_NO_POLL;
    memcpy(&result, payload + rocprofiler_CALL_size(payload) - ROCPROFILER_RESULT_BYTES,
           sizeof result);
    return result == ROCPROFILER_NOT_READY ? DEVICE_IS_BUSY : DEVICE_IS_DONE;
}

static void take_call(const struct rocprofiler_call *call)
{
    const uint32_t number = (uint32_t)call->operation;
    if (number >= CALLS || !calls[number].name)
        return;
    if (call->phase == ROCPROFILER_EXIT)
        device_call_end(&hip_calls, answer_of(&calls[number], call->payload));
    else if (call->phase == ROCPROFILER_ENTER && hip_is_ours())
        device_call_begin(&hip_calls, &calls[number], gives[number], call->correlation,
                          stream_now());
}

static void take_code(const struct rocprofiler_call *call)
{
    if (call->operation == ROCPROFILER_SYMBOL_OF_DEVICE && call->phase == ROCPROFILER_ENTER &&
        call->payload)
        hip_kernel_known(rocprofiler_SYMBOL_kernel(call->payload),
                         rocprofiler_SYMBOL_name(call->payload));
}

static void take(const struct rocprofiler_call *call)
{
    int saved = errno;
    if (call->kind == hip_kinds.called[HIP_HIP_RUNTIME_API])
        take_call(call);
    else if (call->kind == hip_kinds.called[HIP_HIP_STREAM])
        set_stream(call);
    else if (call->kind == hip_kinds.called[HIP_CODE_OBJECT])
        take_code(call);
    else if (call->kind == hip_kinds.called[HIP_MARKER_CORE_API])
        hip_roctx_call(call);
    errno = saved;
}

void hip_on_call(struct rocprofiler_call call, const uint64_t *kept, void *data)
{
    (void)kept;
    (void)data;
    take(&call);
}

void hip_on_old_call(struct rocprofiler_old_call call, const uint64_t *kept, void *data)
{
    const struct rocprofiler_call same = {.context = call.context,
                                          .thread = call.thread,
                                          .correlation = call.correlation,
                                          .external = call.external,
                                          .kind = call.kind,
                                          .operation = call.operation,
                                          .phase = call.phase,
                                          .payload = call.payload};
    (void)kept;
    (void)data;
    take(&same);
}
