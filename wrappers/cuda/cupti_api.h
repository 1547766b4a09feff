/* SPDX-License-Identifier: BSD-3-Clause */
/* What spur needs of CUPTI's interface, as it is published: values, fields, types of functions. */
#ifndef WRAPPERS_CUPTI_API_H
#define WRAPPERS_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CUPTI_OK = 0,
    CUPTI_NOT_THERE = 15, /* as if it could not start */
    CUPTI_OTHER_SUBSCRIBER = 39,
    CUPTI_FLUSH_FORCED = 1,
};

enum { CUPTI_DRIVER = 1, CUPTI_RUNTIME = 2, CUPTI_RESOURCE = 3 }; /* domains */
enum { CUPTI_CONTEXT_ENDS = 2, CUPTI_CUDA_HAS_STARTED = 5 };      /* of RESOURCE */
enum { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };
enum { CUPTI_PAGEABLE = 1 }; /* kind of memory */
enum { CUPTI_TAKEN = 1, CUPTI_GIVEN_BACK = 2 };
#define CUPTI_NO_CONTEXT UINT32_MAX

/* cupti_KERNEL_start(record): a field. */
#define FIELD(RECORD, name, offset, type)                                                          \
    static inline type cupti_##RECORD##_##name(const void *record)                                 \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, (const char *)record + (offset), sizeof value);                             \
        return value;                                                                              \
    }
#include "wrappers/cuda/cupti_fields.def"

/* What is to be told of unified memory, of which device. */
struct cupti_move_wanted {
    int scope, kind;
    uint32_t device, is_on;
};
enum { CUPTI_ONE_DEVICE = 1 }; /* scope */

typedef void cupti_callback(void *data, int domain, uint32_t number, const void *call);
typedef void cupti_request(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                            size_t valid);
typedef uint64_t cupti_clock(void);

#endif
