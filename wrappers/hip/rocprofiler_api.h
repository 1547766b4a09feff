/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What spur needs of the interfaces of rocprofiler-sdk and rocprofiler-register, as they are
 * published: values, fields, types of functions.
 */
#ifndef WRAPPERS_ROCPROFILER_API_H
#define WRAPPERS_ROCPROFILER_API_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
#define VALUE(name, value, there) ROCPROFILER_##name = (value),
#include "wrappers/hip/rocprofiler_values.def"
};

/* Versions as numbers: 10000 * major + 100 * minor + patch. */
enum { ROCPROFILER_0_5 = 500, ROCPROFILER_0_7 = 700, ROCPROFILER_1 = 10000, ROCPROFILER_2 = 20000 };

/* What rocprofiler-register says to a runtime when nobody wants to know of it. */
enum { REGISTER_NO_TOOLS = 1 };

/* rocprofiler_KERNEL_start(record): a field. */
#define FIELD(RECORD, name, member, offset, type)                                                  \
    static inline type rocprofiler_##RECORD##_##name(const void *record)                           \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, (const char *)record + (offset), sizeof value);                             \
        return value;                                                                              \
    }
#include "wrappers/hip/rocprofiler_fields.def"

/* What a call has on top, in its correlation, since 1.0. */
enum { ROCPROFILER_ANCESTOR_BYTES = 8 };

/* So much of an agent spur knows. */
enum { ROCPROFILER_AGENT_BYTES = 272 };

/* A handle: of a context, a buffer. */
struct rocprofiler_id {
    uint64_t handle;
};

enum { ROCPROFILER_RESULT_BYTES = 24 };

/* What a callback gets, by value: from version 1.0 on, and before. */
struct rocprofiler_call {
    uint64_t context, thread, correlation, external, ancestor;
    int32_t kind, operation, phase;
    const void *payload;
};
struct rocprofiler_old_call {
    uint64_t context, thread, correlation, external;
    int32_t kind, operation, phase;
    const void *payload;
};
typedef void rocprofiler_calls(struct rocprofiler_call call, const uint64_t *kept, void *data);
typedef void rocprofiler_old_calls(struct rocprofiler_old_call call, const uint64_t *kept,
                                   void *data);

typedef void rocprofiler_records(struct rocprofiler_id context, struct rocprofiler_id buffer,
                                 void **headers, size_t n, void *data, uint64_t dropped);
typedef int rocprofiler_agents(int version, const void **agents, size_t n, void *data);

/* What a tool gives back when it is asked who it is. */
struct rocprofiler_tool {
    size_t size;
    int (*start)(void *end, void *data);
    void (*end)(void *data);
    void *data;
};
typedef struct rocprofiler_tool *rocprofiler_configurer(uint32_t version, const char *text,
                                                        uint32_t priority, void *client);

#endif
