/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do the tables of wrappers/hip say what rocprofiler-sdk's headers say? Compiled with these
 * headers.
 */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>
#include <rocprofiler-sdk/version.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cuda_layout/same.h"
#include "wrappers/hip/rocprofiler_api.h"

/* Streams are new in 1.0. */
#if ROCPROFILER_VERSION < 10000
typedef struct {
    uint64_t size, stream_id;
} rocprofiler_callback_tracing_hip_stream_data_t;
enum { ROCPROFILER_HIP_STREAM_SET = ROCPROFILER_STREAM_SET };
#endif

/* Memory is told of since 0.6, and its records have an ancestor since 1.0, in front of these
 * fields. */
#if ROCPROFILER_VERSION < 600
typedef struct {
    uint64_t before[6], start_timestamp, end_timestamp, agent_id, address, allocation_size;
} rocprofiler_buffer_tracing_memory_allocation_record_t;
enum {
    ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE = 1,
    ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE,
    ROCPROFILER_MEMORY_ALLOCATION_FREE,
    ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE
};
#elif ROCPROFILER_VERSION < 10000
struct with_ancestor {
    uint64_t ancestor;
    rocprofiler_buffer_tracing_memory_allocation_record_t; /* by -fms-extensions */
};
#define rocprofiler_buffer_tracing_memory_allocation_record_t struct with_ancestor
#endif

#define RECORD(RECORD, type) typedef type record_##RECORD;
#include "wrappers/hip/rocprofiler_fields.def"

static void compare_fields(void)
{
#define FIELD(RECORD, name, member, offset, type)                                                  \
    same(#RECORD "." #member, offsetof(record_##RECORD, member), offset);                          \
    same("size of " #RECORD "." #member, sizeof(((record_##RECORD *)0)->member), sizeof(type));
#include "wrappers/hip/rocprofiler_fields.def"
    if (sizeof(rocprofiler_agent_v0_t) < ROCPROFILER_AGENT_BYTES)
        same("bytes of an agent", sizeof(rocprofiler_agent_v0_t), ROCPROFILER_AGENT_BYTES);
}

#define SAME_CALL(ours, member, there)                                                             \
    same("call: " #there, offsetof(rocprofiler_callback_tracing_record_t, there),                  \
         offsetof(struct ours, member));
#define COMPARE_CALL(ours)                                                                         \
    same("call", sizeof(rocprofiler_callback_tracing_record_t), sizeof(struct ours));              \
    SAME_CALL(ours, context, context_id)                                                           \
    SAME_CALL(ours, thread, thread_id)                                                             \
    SAME_CALL(ours, correlation, correlation_id.internal)                                          \
    SAME_CALL(ours, kind, kind)                                                                    \
    SAME_CALL(ours, operation, operation)                                                          \
    SAME_CALL(ours, phase, phase)                                                                  \
    SAME_CALL(ours, payload, payload)

static void compare_others(void)
{
#define VALUE(name, value, there) same(#there, there, value);
#include "wrappers/hip/rocprofiler_values.def"
#define COPY(number, NAME, name, WAY, END) same(#NAME, ROCPROFILER_MEMORY_COPY_##NAME, number);
#include "wrappers/hip/hip_copies.def"
    if (ROCPROFILER_VERSION >= ROCPROFILER_1) {
        COMPARE_CALL(rocprofiler_call)
    } else {
        COMPARE_CALL(rocprofiler_old_call)
    }
    same("result of a call", sizeof(record_CALL) - offsetof(record_CALL, retval),
         ROCPROFILER_RESULT_BYTES);
    typedef rocprofiler_tool_configure_result_t tool;
    same("tool", sizeof(tool), sizeof(struct rocprofiler_tool));
    same("start of a tool", offsetof(tool, initialize), offsetof(struct rocprofiler_tool, start));
    same("end of a tool", offsetof(tool, finalize), offsetof(struct rocprofiler_tool, end));
    same("handle", sizeof(rocprofiler_buffer_id_t), sizeof(struct rocprofiler_id));
}

int main(void)
{
    compare_fields();
    compare_others();
    printf("%d values compared, %d differ\n", compared, faults);
    return faults != 0;
}
