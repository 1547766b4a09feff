/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of liburing's functions. A program may load that library at any time, so that they
 * are looked up when they are called: the caller has its library then.
 */
#include <errno.h>

#include "wrappers/io/io_frame.h"
#include "wrappers/io/io_mode.h"
#include "wrappers/io/io_real.h"
#include "wrappers/io/io_ring.h"

enum ring_call_id {
#define RING_CALL(type, name, ...) RING_CALL_##name,
#define RING_VOID(name, ...) RING_CALL_##name,
#include "wrappers/io/io_ring_rows.def"
#undef RING_VOID
#undef RING_CALL
    RING_CALLS
};

#define ROW(name_, ROLE)                                                                           \
    [RING_CALL_##name_] = {.call = {.name = #name_,                                                \
                                    .group = "aio",                                                \
                                    .role = OTF2_REGION_ROLE_##ROLE,                               \
                                    SPUR_CALL_OF(IO)}},
static struct wrapper_function calls[RING_CALLS] = {
#define RING_CALL(type, name, ROLE, ...) ROW(name, ROLE)
#define RING_VOID(name, ROLE, ...) ROW(name, ROLE)
#include "wrappers/io/io_ring_rows.def"
#undef RING_VOID
#undef RING_CALL
};

/* clang-format off */
#define NOTHING ((void)0)
/* ---- kept for the time of the call ---- */
#define KEEP_NEW
#define KEEP_ENDS
#define KEEP_SUBMITS
#define KEEP_LOOKS
#define KEEP_MOVES const void *const old = ring->sq.requests;
#define KEEP_FILES(...)
/* ---- before; UNSEEN_X: of a call that is not recorded ---- */
#define BEFORE_NEW NOTHING
#define UNSEEN_NEW NOTHING
#define BEFORE_ENDS io_ring_ends(frame.loc, ring)
#define UNSEEN_ENDS io_ring_ends(NULL, ring)
#define BEFORE_SUBMITS io_ring_submits(frame.loc, ring)
#define UNSEEN_SUBMITS io_ring_skip(ring)
#define BEFORE_LOOKS NOTHING
#define UNSEEN_LOOKS NOTHING
#define BEFORE_MOVES io_ring_moves(frame.loc, ring)
#define UNSEEN_MOVES NOTHING
#define BEFORE_FILES(...) NOTHING
#define UNSEEN_FILES(...) NOTHING
/* ---- after; `loc` is NULL if it is not recorded ---- */
#define AFTER_NEW (spur_tick(loc), ret >= 0 ? io_ring_new(ring) : NOTHING)
#define MISSED_NEW (ret >= 0 ? io_ring_new(ring) : NOTHING)
#define AFTER_ENDS spur_tick(loc)
#define MISSED_ENDS NOTHING
#define AFTER_SUBMITS io_ring_called(loc, ring)
#define MISSED_SUBMITS NOTHING
#define AFTER_LOOKS io_ring_called(loc, ring)
#define MISSED_LOOKS NOTHING
#define AFTER_MOVES (spur_tick(loc), io_ring_moved(old, ring))
#define MISSED_MOVES io_ring_moved(old, ring)
#define AFTER_FILES(first, files, n, is_first) \
    (spur_tick(loc), ret >= 0 ? io_ring_files(loc, ring, first, files, n, is_first) : NOTHING)
#define MISSED_FILES(first, files, n, is_first) \
    (ret >= 0 ? io_ring_files(NULL, ring, first, files, n, is_first) : NOTHING)

#define RING_WAY(name, meaning, type, missing, TAKE, GIVE, invoke) \
    const wrapper_any real = wrapper_real_for(&calls[RING_CALL_##name], __builtin_return_address(0)); \
    if (!real) \
        return missing; \
    const bool is_wanted = io_records(IO_CHOICE_AIO); \
    struct io_frame frame __attribute__((cleanup(io_frame_end))) = { \
        is_wanted ? spur_enter(&calls[RING_CALL_##name].call) : NULL, &calls[RING_CALL_##name].call, false}; \
    struct spur_loc *const loc = frame.loc; \
    KEEP_##meaning \
    if (loc) \
        BEFORE_##meaning; \
    else if (is_wanted) \
        UNSEEN_##meaning; \
    TAKE invoke; \
    if (loc) { \
        AFTER_##meaning; \
        spur_leave(loc, frame.call); \
        frame.loc = NULL; \
    } else if (is_wanted) { \
        MISSED_##meaning; \
    } \
    GIVE

#define DECLARED(type, name, ...) \
    type name(WRAPPER_PARAMS(name, __VA_ARGS__)); \
    SPUR_EXPORT type name(WRAPPER_PARAMS(name, __VA_ARGS__))
#define RING_CALL(type, name, ROLE, meaning, ...) \
    DECLARED(type, name, __VA_ARGS__) \
    { \
        RING_WAY(name, meaning, type, (type)-ENOSYS, const type ret =, return ret, \
                 ((__typeof__(&name))real)(WRAPPER_ARGS(name, __VA_ARGS__))); \
    }
#define RING_VOID(name, ROLE, meaning, ...) \
    DECLARED(void, name, __VA_ARGS__) \
    { \
        RING_WAY(name, meaning, void, , , , ((__typeof__(&name))real)(WRAPPER_ARGS(name, __VA_ARGS__))); \
    }
/* clang-format on */

/* NOLINTBEGIN(bugprone-macro-parentheses, bugprone-reserved-identifier) */
#include "wrappers/io/io_ring_rows.def"
/* NOLINTEND(bugprone-macro-parentheses, bugprone-reserved-identifier) */
