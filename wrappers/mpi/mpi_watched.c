/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of mpi_calls_watched.def. As in mpi_wrap.c a row's meaning is made of hooks. The
 * hooks here run whether or not the call is recorded: `loc` is NULL if the call is not recorded.
 * Inside another wrapped call the hooks do not run.
 */
#include <otf2/otf2_foreach.h>

#include "wrappers/mpi/library/mpi_route.h"
#include "wrappers/mpi/mpi_emit.h"
#include "wrappers/mpi/mpi_frame.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_init.h"
#include "wrappers/mpi/mpi_join.h"
#include "wrappers/mpi/mpi_meet.h"
#include "wrappers/mpi/mpi_world.h"

#define PARAM(Row, kind, name) mpi_word name
#define ARGUMENT(Row, kind, name) name

/* A call that is not recorded is followed, so that its effects are known. */
static struct spur_loc *enter(struct spur_call *call, struct spur_caller caller, bool is_other)
{
    struct spur_loc *loc = mpi_library() ? spur_enter_from(call, caller) : NULL;
    return loc || is_other || mpi_is_off || !mpi_library() ? loc : spur_follow(call, false);
}

/* Also where recording has ended for good; not where the call is part of another call. */
static bool is_watched(const struct spur_loc *loc, bool is_other)
{
    return !is_other && !mpi_is_off && mpi_library() && (loc || !spur_inside());
}

/* clang-format off */
#define BEFORE_SESSION_INIT(...)
#define ISSUED_SESSION_INIT(session) \
    if (ret == 0) \
        mpi_session_opened(session);
#define AFTER_SESSION_INIT(...)

#define BEFORE_SESSION_FINALIZE(session) \
    mpi_world_session_closed(mpi_handle_at(mpi_library(), session, 0));
#define ISSUED_SESSION_FINALIZE(...)
#define AFTER_SESSION_FINALIZE(...)

#define IS_RECORDED_ (loc && !spur_is_dropped(loc))

/* Collective over `on`; a meeting is recorded only if both sides know of the meeting. */
#define MEET_BEFORE_(how, port, root, on) \
    struct mpi_meet meet_; \
    mpi_meet_begin(&meet_, MPI_MEET_##how, port, (int)(root), on);
#define MEET_ISSUED_(on, new) \
    const struct mpi_comm *const made_ = mpi_meet_end(&meet_, ret, new, IS_RECORDED_); \
    const struct mpi_comm *const on_ = made_ ? mpi_comm_of(on) : NULL; \
    if (loc) \
        mpi_emit_coll_begin(loc, on_);
#define MEET_AFTER_ \
    if (loc) \
        mpi_emit_comm_created(loc, on_, made_, ret);

#define BEFORE_SPAWN(root, on, new) MEET_BEFORE_(SPAWN, 0, root, on)
#define ISSUED_SPAWN(root, on, new) MEET_ISSUED_(on, new)
#define AFTER_SPAWN(...) MEET_AFTER_

#define BEFORE_ACCEPT(port, root, on, new) MEET_BEFORE_(ACCEPT, port, root, on)
#define ISSUED_ACCEPT(port, root, on, new) MEET_ISSUED_(on, new)
#define AFTER_ACCEPT(...) MEET_AFTER_

#define BEFORE_CONNECT(port, root, on, new) MEET_BEFORE_(CONNECT, port, root, on)
#define ISSUED_CONNECT(port, root, on, new) MEET_ISSUED_(on, new)
#define AFTER_CONNECT(...) MEET_AFTER_

/* Not collective: each of the two is alone. */
#define BEFORE_JOIN(fd, new) \
    struct mpi_meet meet_; \
    mpi_join_begin(&meet_, (int)(fd));
#define ISSUED_JOIN(fd, new) \
    const struct mpi_comm *const made_ = mpi_join_end(&meet_, ret, new, IS_RECORDED_);
#define AFTER_JOIN(...) \
    if (loc && made_ && made_->has_events) \
        spur_put_CommCreate(loc, made_->id);

#define WATCHED(Symbol, region, MEANING, ...) \
    SPUR_EXPORT int Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)); \
    SPUR_EXPORT int Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)) \
    { \
        static _Atomic(mpi_function) cache; \
        const struct mpi_route route = \
            mpi_route_or_error(&cache, #Symbol, __builtin_return_address(0)); \
        int (*const next)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)) = \
            (int (*)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)))route.next; \
        struct spur_loc *const loc = enter(&region, SPUR_CALLER, route.is_other); \
        MPI_FRAME(frame) = {.loc = loc, .call = &region}; \
        if (!is_watched(loc, route.is_other)) { \
            MPI_UNRECORDED(guard); \
            return next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__)); \
        } \
        BEFORE_##MEANING \
        const int ret = next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__)); \
        mpi_frame_returned(&frame); \
        ISSUED_##MEANING \
        if (loc) \
            mpi_frame_tick(&frame); \
        AFTER_##MEANING \
        return ret; \
    }

#define MPI_WATCHED(Name, group, ROLE, MEANING, ...) \
    static struct spur_call call_##Name = MPI_REGION("MPI_" #Name, group, ROLE); \
    WATCHED(MPI_##Name, call_##Name, MEANING, __VA_ARGS__) \
    WATCHED(PMPI_##Name, call_##Name, MEANING, __VA_ARGS__)
/* clang-format on */

#include "wrappers/mpi/tables/mpi_calls_watched.def"
