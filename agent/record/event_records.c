/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records between an Enter and its Leave. Each record has a short way and a long way, as
 * explained in agent/record/event.c.
 */
#define OTF2_EVT_ALL /* of writer/evt_inline.h */
#include "agent/record/cached_region.h"
#include "agent/record/event_ways.h"
#include "agent/state/event_clock.h"
#include "format/attributes.h"

/* The short way, and apart from the short way the long way. */
#define ARGUMENT(Row, kind, name) , name
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static __attribute__((noinline)) void put_rarely_##Name(                                       \
        struct spur_loc *loc OTF2_SEQ(SPUR_PUT_PARAM_, Name, __VA_ARGS__))                         \
    {                                                                                              \
        if (!spur_loc_own(loc))                                                                    \
            return;                                                                                \
        (void)is_written(loc,                                                                      \
                         otf2_evt_rare_##Name(&loc->slot->cursor, NULL,                            \
                                              loc->now OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)));    \
        spur_loc_disown(loc);                                                                      \
    }                                                                                              \
    void spur_put_##Name(struct spur_loc *loc OTF2_SEQ(SPUR_PUT_PARAM_, Name, __VA_ARGS__))        \
    {                                                                                              \
        if (__builtin_expect(!spur_loc_own_at_once(loc) ||                                         \
                                 !otf2_evt_try_##Name(&loc->slot->cursor, NULL,                    \
                                                      loc->now OTF2_SEQ(ARGUMENT, Name,            \
                                                                        __VA_ARGS__)),             \
                             0)) {                                                                 \
            put_rarely_##Name(loc OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));                          \
            return;                                                                                \
        }                                                                                          \
        spur_loc_disown(loc);                                                                      \
    }
#include <otf2/otf2_events.def>
#undef EVENT

/* ---- records with an attribute ---- */

/*
 * Always the long way: the record is rare, and belongs to calls that take longer than the long way.
 */
#define PUT_WITH(Name, ...)                                                                        \
    void spur_put_##Name##_with(struct spur_loc *loc,                                              \
                                const struct spur_attribute *attribute OTF2_SEQ(SPUR_PUT_PARAM_,   \
                                                                                Name, "",          \
                                                                                __VA_ARGS__))      \
    {                                                                                              \
        OTF2_AttributeList list = {.n = attribute->id != OTF2_UNDEFINED_ATTRIBUTE,                 \
                                   .capacity = 1,                                                  \
                                   .entries =                                                      \
                                       &(struct otf2_attribute){attribute->id, attribute->type,    \
                                                                attribute->value}};                \
        if (!spur_loc_own(loc))                                                                    \
            return;                                                                                \
        (void)is_written(loc, otf2_evt_rare_##Name(&loc->slot->cursor, &list,                      \
                                                   loc->now OTF2_SEQ(ARGUMENT, Name, "",           \
                                                                     __VA_ARGS__)));               \
        spur_loc_disown(loc);                                                                      \
    }
SPUR_PUTS_WITH(PUT_WITH)
#undef PUT_WITH

/* ---- a record and the Leave in one run ---- */

#define LEAVE_AFTER(Name, ...)                                                                     \
    void spur_leave_after_##Name(struct spur_loc *loc,                                             \
                                 struct spur_call *call OTF2_SEQ(SPUR_PUT_PARAM_, Name, "",        \
                                                                 __VA_ARGS__))                     \
    {                                                                                              \
        uint64_t cached = cached_in(call, loc->stamp);                                             \
        if (__builtin_expect(!spur_loc_own_plain(loc, false) || !is_cached(cached), 0))            \
            goto rare;                                                                             \
        struct spur_slot *slot = loc->slot;                                                        \
        uint64_t then = loc->now;                                                                  \
        uint8_t *p = otf2_evt_begin_run(&slot->cursor, then, OTF2_EVT_ROOM_##Name + ROOM_CACHED);  \
        if (__builtin_expect(!p || !(p = otf2_evt_fill_##Name(                                     \
                                         p OTF2_SEQ(ARGUMENT, Name, "", __VA_ARGS__))),            \
                             0))                                                                   \
            goto rare;                                                                             \
        uint64_t now = spur_clock_tsc();                                                           \
        if (__builtin_expect(now - then > OTF2_EVT_PAUSE, 0)) /* or earlier */                     \
            goto rare;                                                                             \
        p = otf2_evt_fill_time(p, now);                                                            \
        left(loc, slot, now, 2, fill_cached(p, OTF2_EVT_ID_Leave, cached));                        \
        return;                                                                                    \
    rare:                                                                                          \
        spur_put_##Name(loc OTF2_SEQ(ARGUMENT, Name, "", __VA_ARGS__));                            \
        spur_leave_now_rarely(loc, call);                                                          \
    }
SPUR_LEAVES_AFTER(LEAVE_AFTER)
#undef LEAVE_AFTER

#define LEAVE_WITH(Name, ...)                                                                      \
    void spur_leave_with_##Name(struct spur_loc *loc,                                              \
                                struct spur_call *call OTF2_SEQ(SPUR_PUT_PARAM_, Name, "",         \
                                                                __VA_ARGS__))                      \
    {                                                                                              \
        uint64_t cached = cached_in(call, loc->stamp);                                             \
        if (__builtin_expect(!spur_loc_own_plain(loc, false) || !is_cached(cached), 0))            \
            goto rare;                                                                             \
        struct spur_slot *slot = loc->slot;                                                        \
        uint64_t now = spur_clock_tsc();                                                           \
        uint8_t *p = otf2_evt_begin_now(&slot->cursor, now, OTF2_EVT_ROOM_##Name + ROOM_CACHED);   \
        if (__builtin_expect(!p || !(p = otf2_evt_fill_##Name(                                     \
                                         p OTF2_SEQ(ARGUMENT, Name, "", __VA_ARGS__))),            \
                             0))                                                                   \
            goto rare;                                                                             \
        left(loc, slot, now, 2, fill_cached(p, OTF2_EVT_ID_Leave, cached));                        \
        return;                                                                                    \
    rare:                                                                                          \
        spur_tick(loc);                                                                            \
        spur_put_##Name(loc OTF2_SEQ(ARGUMENT, Name, "", __VA_ARGS__));                            \
        spur_leave(loc, call);                                                                     \
    }
SPUR_LEAVES_WITH(LEAVE_WITH)
#undef LEAVE_WITH

/* ---- an operation and the Leave in one run ---- */

enum { ROOM_WHERE = 24 }; /* free room for a list with one attribute; a writer's estimate */

/* Writes the list with the attribute; NULL for values that take the long way. */
static inline __attribute__((always_inline)) uint8_t *fill_where(uint8_t *at,
                                                                 const struct spur_attribute *where)
{
    enum { HEAD = 2 };
    if (__builtin_expect(otf2_evt_is_special(OTF2_WIRE_VAR32, where->id) ||
                             otf2_evt_is_special(OTF2_WIRE_VAR64, where->value.uint64),
                         0))
        return NULL;
    uint8_t *p = otf2_evt_put_small(at + HEAD, 1);
    p = otf2_evt_put_plain(p, OTF2_WIRE_VAR32, where->id);
    *p++ = OTF2_TYPE_UINT64;
    p = otf2_evt_put_plain(p, OTF2_WIRE_VAR64, where->value.uint64);
    at[0] = OTF2_FRAME_ATTRIBUTES;
    at[1] = (uint8_t)(p - (at + HEAD));
    return p;
}

static __attribute__((noinline)) void operation_rarely(struct spur_loc *loc, struct spur_call *call,
                                                       const struct spur_operation *operation)
{
    const OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (operation->where)
        spur_put_IoOperationBegin_with(loc, operation->where, operation->handle, operation->mode,
                                       flags, operation->asked, operation->id);
    else
        spur_put_IoOperationBegin(loc, operation->handle, operation->mode, flags, operation->asked,
                                  operation->id);
    spur_tick(loc);
    spur_put_IoOperationComplete(loc, operation->handle, operation->moved, operation->id);
    spur_leave(loc, call);
}

/* The same in one run, from `p` on. The run carries the time of the Enter. */
static inline __attribute__((always_inline)) bool
operation_at(uint8_t *p, struct spur_loc *loc, struct spur_slot *slot, uint64_t cached,
             const struct spur_operation *operation)
{
    if (operation->where && !(p = fill_where(p, operation->where)))
        return false;
    p = otf2_evt_fill_IoOperationBegin(p, operation->handle, operation->mode,
                                       OTF2_IO_OPERATION_FLAG_NONE, operation->asked,
                                       operation->id);
    if (__builtin_expect(!p, 0))
        return false;
    uint64_t now = spur_clock_tsc();
    if (__builtin_expect(now - loc->now > OTF2_EVT_PAUSE, 0)) /* or earlier */
        return false;
    p = otf2_evt_fill_IoOperationComplete(otf2_evt_fill_time(p, now), operation->handle,
                                          operation->moved, operation->id);
    if (__builtin_expect(!p, 0))
        return false;
    enum { RECORDS = 3 };
    left(loc, slot, now, RECORDS, fill_cached(p, OTF2_EVT_ID_Leave, cached));
    return true;
}

void spur_leave_operation(struct spur_loc *loc, struct spur_call *call,
                          const struct spur_operation *operation)
{
    enum {
        ROOM = OTF2_EVT_ROOM_IoOperationBegin + OTF2_EVT_ROOM_IoOperationComplete + ROOM_CACHED +
               ROOM_WHERE
    };
    uint64_t cached = cached_in(call, loc->stamp);
    if (__builtin_expect(spur_loc_own_plain(loc, false) && is_cached(cached), 1)) {
        struct spur_slot *slot = loc->slot;
        uint8_t *p = otf2_evt_begin_run(&slot->cursor, loc->now, ROOM);
        if (__builtin_expect(p && operation_at(p, loc, slot, cached, operation), 1))
            return;
    }
    operation_rarely(loc, call, operation);
}
