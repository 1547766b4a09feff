/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the tables get: a region each. */
#include "wrappers/device/device_poll.h"
#include "wrappers/kit/wrapper_groups.h"
#include "wrappers/levelzero/levelzero.h"

wrapper_any levelzero_next[LEVELZERO_CALLS];

/* ---- groups ---- */

bool levelzero_group_is_off[LEVELZERO_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) !(is_default),
#include "wrappers/levelzero/levelzero_groups.def"
#undef GROUP
};

static const struct wrapper_group rows[LEVELZERO_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) {#name, is_default},
#include "wrappers/levelzero/levelzero_groups.def"
#undef GROUP
};

static const struct wrapper_groups all_groups = {.setting = "SPUR_LEVELZERO",
                                                 .of = "Level Zero",
                                                 .group = rows,
                                                 .n = LEVELZERO_GROUPS,
                                                 .is_off = levelzero_group_is_off};

bool levelzero_groups_select(const char *list)
{
    return wrapper_groups_select(&all_groups, list);
}

enum {
#define GROUP(name, is_default, ROLE, what) ROLE_##name = OTF2_REGION_ROLE_##ROLE,
#include "wrappers/levelzero/levelzero_groups.def"
#undef GROUP
};

/* ---- the calls ---- */

/* How the functions of a table begin. */
#define BEGIN_Global "ze"
#define BEGIN_Driver "zeDriver"
#define BEGIN_Device "zeDevice"
#define BEGIN_Context "zeContext"
#define BEGIN_CommandQueue "zeCommandQueue"
#define BEGIN_CommandList "zeCommandList"
#define BEGIN_CommandListExp "zeCommandList"
#define BEGIN_Event "zeEvent"
#define BEGIN_EventPool "zeEventPool"
#define BEGIN_Fence "zeFence"
#define BEGIN_Image "zeImage"
#define BEGIN_Kernel "zeKernel"
#define BEGIN_Mem "zeMem"
#define BEGIN_Module "zeModule"

static struct spur_call calls[LEVELZERO_CALLS] = {
#define CALL(Table, Field, group_)                                                                 \
    [LEVELZERO_##Table##_##Field] = {.name = BEGIN_##Table #Field,                                 \
                                     .group = #group_,                                             \
                                     .role = ROLE_##group_,                                        \
                                     .is_off = &levelzero_group_is_off[LEVELZERO_GROUP_##group_],  \
                                     SPUR_CALL_OF(LEVELZERO)},
#define PLAIN(Table, Field, place, since, group, ...) CALL(Table, Field, group)
#define MEANT(Table, Field, place, since, group, ...) CALL(Table, Field, group)
#define GIVES(Table, Field, place, since, group, ...) CALL(Table, Field, group)
#include "wrappers/levelzero/levelzero_calls.def"
};

/* ---- the wrappers ---- */

#define FRAME(Table, Field)                                                                        \
    struct wrapper_frame frame __attribute__((cleanup(wrapper_frame_end), unused)) = {             \
        spur_enter(&calls[LEVELZERO_##Table##_##Field]), &calls[LEVELZERO_##Table##_##Field]}

/* A list remembers its commands also while nothing is recorded: it may be handed over later. */
struct inside {
    struct spur_loc *loc; /* NULL: the call is recorded itself, or nothing is recorded any more */
    bool is_recorded;
};

static struct inside go_inside(struct spur_loc *loc)
{
    struct inside inside = {.loc = loc ? NULL : spur_begin(SPUR_FAMILY_LEVELZERO, true)};
    inside.is_recorded = loc || inside.loc;
    return inside;
}

static void come_out(const struct inside *inside)
{
    if (inside->loc)
        spur_end(inside->loc);
}

#define MORE_ARGUMENT(Row, type, name) , name

#define PLAIN(Table, Field, place, since, group, ...)                                              \
    static uint32_t wrap_##Table##_##Field(WRAPPER_PARAMS(Field, __VA_ARGS__))                     \
    {                                                                                              \
        FRAME(Table, Field);                                                                       \
        return next_##Table##_##Field(WRAPPER_ARGS(Field, __VA_ARGS__));                           \
    }
#define MEANT(Table, Field, place, since, group, ...)                                              \
    static uint32_t wrap_##Table##_##Field(WRAPPER_PARAMS(Field, __VA_ARGS__))                     \
    {                                                                                              \
        FRAME(Table, Field);                                                                       \
        return levelzero_##Table##_##Field(                                                        \
            frame.loc OTF2_SEQ(MORE_ARGUMENT, Field, "", __VA_ARGS__));                            \
    }
#define POLL(Table, Field, place, since, group, ...)                                               \
    static uint32_t wrap_##Table##_##Field(WRAPPER_PARAMS(Field, __VA_ARGS__))                     \
    {                                                                                              \
        FRAME(Table, Field);                                                                       \
        uint32_t result = levelzero_##Table##_##Field(                                             \
            frame.loc OTF2_SEQ(MORE_ARGUMENT, Field, "", __VA_ARGS__));                            \
        device_frame_poll(&frame, result != LEVELZERO_NOT_READY);                                  \
        return result;                                                                             \
    }
#define GIVES(Table, Field, place, since, group_, work_, ...)                                      \
    static uint32_t wrap_##Table##_##Field(WRAPPER_PARAMS(Field, __VA_ARGS__))                     \
    {                                                                                              \
        FRAME(Table, Field);                                                                       \
        struct levelzero_given given;                                                              \
        event =                                                                                    \
            levelzero_give_begin(&given, frame.loc,                                                \
                                 !levelzero_group_is_off[LEVELZERO_GROUP_##group_], list, event);  \
        uint32_t result = next_##Table##_##Field(WRAPPER_ARGS(Field, __VA_ARGS__));                \
        if (!given.list)                                                                           \
            return result;                                                                         \
        if (result == LEVELZERO_SUCCESS) {                                                         \
            const struct inside inside = go_inside(frame.loc);                                     \
            struct device_work work = {.region = OTF2_UNDEFINED_REGION};                           \
            if (inside.is_recorded)                                                                \
                work = work_;                                                                      \
            levelzero_give_end(&given, &work);                                                     \
            come_out(&inside);                                                                     \
        } else {                                                                                   \
            levelzero_give_failed(&given);                                                         \
        }                                                                                          \
        return result;                                                                             \
    }
#include "wrappers/levelzero/levelzero_calls.def"

const wrapper_any levelzero_wrappers[LEVELZERO_CALLS] = {
#define WRAPPER(Table, Field) [LEVELZERO_##Table##_##Field] = (wrapper_any)wrap_##Table##_##Field,
#define PLAIN(Table, Field, ...) WRAPPER(Table, Field)
#define MEANT(Table, Field, ...) WRAPPER(Table, Field)
#define GIVES(Table, Field, ...) WRAPPER(Table, Field)
#include "wrappers/levelzero/levelzero_calls.def"
};
