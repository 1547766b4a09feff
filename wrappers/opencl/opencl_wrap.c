/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the layer: a region each. */
#include "wrappers/device/device_poll.h"
#include "wrappers/opencl/opencl.h"
#include "wrappers/opencl/opencl_api.h"

wrapper_any opencl_next[OPENCL_CALLS];

enum {
#define GROUP(NAME, name, ROLE) ROLE_##NAME = OTF2_REGION_ROLE_##ROLE,
#include "wrappers/opencl/opencl_groups.def"
#undef GROUP
};

enum { GROUP_BYTES = 16 };
#define GROUP(NAME, name, ROLE) static const char group_##NAME[GROUP_BYTES] = name;
#include "wrappers/opencl/opencl_groups.def"
#undef GROUP

/* ---- the calls ---- */

#define CALL(name_, GROUP)                                                                         \
    [OPENCL_##name_] = {.name = #name_,                                                            \
                        .group = group_##GROUP,                                                    \
                        .role = ROLE_##GROUP,                                                      \
                        SPUR_CALL_OF(OPENCL)},
static struct spur_call calls[OPENCL_CALLS] = {
#define PLAIN(name, GROUP, ...) CALL(name, GROUP)
#define PLAIN_VOID(name, GROUP, ...) CALL(name, GROUP)
#define MEANT(name, GROUP, ...) CALL(name, GROUP)
#define ENQUEUE(name, ...) CALL(name, ENQUEUE)
#define MAP(name, ...) CALL(name, ENQUEUE)
#include "wrappers/opencl/opencl_calls.def"
};

/* ---- the wrappers ---- */

#define FRAME(name)                                                                                \
    struct wrapper_frame frame                                                                     \
        __attribute__((cleanup(wrapper_frame_end), unused)) = {spur_enter(&calls[OPENCL_##name]),  \
                                                               &calls[OPENCL_##name]}

#define MORE_ARGUMENT(Row, type, name) , name

/*
 * What means nothing to spur, but for its records, is a jump while nothing is recorded. What
 * records is a function of its own, so that the jump saves no registers.
 */
#define RECORDS __attribute__((noinline))
#define SLEEPER(name, type, ...)                                                                   \
    static type wrap_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                                     \
    {                                                                                              \
        return spur_sleeps() ? opencl_next_##name(WRAPPER_ARGS(name, __VA_ARGS__))                 \
                             : record_##name(WRAPPER_ARGS(name, __VA_ARGS__));                     \
    }

#define PLAIN(name, GROUP, type, ...)                                                              \
    static RECORDS type record_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                           \
    {                                                                                              \
        FRAME(name);                                                                               \
        return opencl_next_##name(WRAPPER_ARGS(name, __VA_ARGS__));                                \
    }                                                                                              \
    SLEEPER(name, type, __VA_ARGS__)
#define PLAIN_VOID(name, GROUP, ...)                                                               \
    static RECORDS void record_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                           \
    {                                                                                              \
        FRAME(name);                                                                               \
        opencl_next_##name(WRAPPER_ARGS(name, __VA_ARGS__));                                       \
    }                                                                                              \
    static void wrap_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                                     \
    {                                                                                              \
        if (spur_sleeps())                                                                         \
            opencl_next_##name(WRAPPER_ARGS(name, __VA_ARGS__));                                   \
        else                                                                                       \
            record_##name(WRAPPER_ARGS(name, __VA_ARGS__));                                        \
    }
#define MEANT(name, GROUP, type, ...)                                                              \
    static type wrap_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                                     \
    {                                                                                              \
        FRAME(name);                                                                               \
        return opencl_##name(frame.loc OTF2_SEQ(MORE_ARGUMENT, name, "", __VA_ARGS__));            \
    }
#define POLL(name, GROUP, type, asks, is_done, ...)                                                \
    static type wrap_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                                     \
    {                                                                                              \
        FRAME(name);                                                                               \
        type result = opencl_##name(frame.loc OTF2_SEQ(MORE_ARGUMENT, name, "", __VA_ARGS__));     \
        if (asks)                                                                                  \
            device_frame_poll(&frame, is_done);                                                    \
        return result;                                                                             \
    }
#define ENQUEUE(name, work_, ...)                                                                  \
    static RECORDS int32_t record_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                        \
    {                                                                                              \
        FRAME(name);                                                                               \
        struct opencl_given given;                                                                 \
        event = opencl_give_begin(&given, frame.loc, queue, event);                                \
        int32_t result = opencl_next_##name(WRAPPER_ARGS(name, __VA_ARGS__));                      \
        if (given.stream && result == OPENCL_SUCCESS) {                                            \
            const struct device_work work = work_;                                                 \
            opencl_give_end(&given, event, &work);                                                 \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    SLEEPER(name, int32_t, __VA_ARGS__)
#define MAP(name, work_, ...)                                                                      \
    static RECORDS void *record_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                          \
    {                                                                                              \
        FRAME(name);                                                                               \
        struct opencl_given given;                                                                 \
        int32_t own = OPENCL_INVALID_OPERATION;                                                    \
        event = opencl_give_begin(&given, frame.loc, queue, event);                                \
        code = given.stream && !code ? &own : code;                                                \
        void *mapped = opencl_next_##name(WRAPPER_ARGS(name, __VA_ARGS__));                        \
        if (given.stream && *(const int32_t *)code == OPENCL_SUCCESS) {                            \
            const struct device_work work = work_;                                                 \
            opencl_give_end(&given, event, &work);                                                 \
        }                                                                                          \
        return mapped;                                                                             \
    }                                                                                              \
    SLEEPER(name, void *, __VA_ARGS__)
#include "wrappers/opencl/opencl_calls.def"

const wrapper_any opencl_wrappers[OPENCL_CALLS] = {
#define WRAPPER(name) [OPENCL_##name] = (wrapper_any)wrap_##name,
#define PLAIN(name, ...) WRAPPER(name)
#define PLAIN_VOID(name, ...) WRAPPER(name)
#define MEANT(name, ...) WRAPPER(name)
#define ENQUEUE(name, ...) WRAPPER(name)
#define MAP(name, ...) WRAPPER(name)
#include "wrappers/opencl/opencl_calls.def"
};
