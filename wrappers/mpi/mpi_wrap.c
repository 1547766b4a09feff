/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers. There is no code per function here: mpi_calls.def has the functions. */
#include <otf2/otf2_foreach.h>

#include "wrappers/mpi/library/mpi_route.h"
#include "wrappers/mpi/mpi_frame.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_init.h"
#include "wrappers/mpi/mpi_meanings.h"

#define PARAM(Row, kind, name) mpi_word name
#define ARGUMENT(Row, kind, name) name

/* The call is not recorded; its meaning for later calls may have to be known all the same. */
static inline struct spur_loc *follow(struct spur_call *call, enum mpi_keeps keeps)
{
    if (mpi_is_off || !mpi_library())
        return NULL;
    if (keeps == MPI_KEEPS_NOTHING)
        return spur_stand(call);
    if (spur_is_paused())
        mpi_ordinal_paused();
    else if (keeps == MPI_KEEPS_COUNTS)
        return NULL;
    return spur_follow(call, keeps >= MPI_KEEPS_RECORDS);
}

/* The same for a call inside of another call. */
static inline struct spur_loc *follow_nested(enum mpi_keeps keeps)
{
    return keeps == MPI_KEEPS_ENDS && !mpi_is_off && mpi_library() ? spur_within() : NULL;
}

/*
 * MPI_x calls the next MPI_x and PMPI_x the next PMPI_x, so that other PMPI tools see the same
 * calls as without spur. Fortran bindings call one or the other; the guard in spur_enter() lets the
 * outermost call count.
 */
#define WRAPPER(Symbol, region, is_ours, large_, MEANING, ...)                                     \
    SPUR_EXPORT int Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__));                             \
    SPUR_EXPORT int Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__))                              \
    {                                                                                              \
        static _Atomic(mpi_function) cache;                                                        \
        const void *const caller = __builtin_return_address(0);                                    \
        const struct mpi_route route = mpi_route_or_error(&cache, #Symbol, caller);                \
        int (*const next)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)) =                             \
            (int (*)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)))route.next;                        \
        struct spur_loc *loc = mpi_library() && is_ours ? spur_enter(&region) : NULL;              \
        bool is_nested = false;                                                                    \
        if (!loc && !route.is_other)                                                               \
            loc = follow(&region, MPI_KEEPS(MEANING));                                             \
        if (!loc && !route.is_other)                                                               \
            is_nested = (loc = follow_nested(MPI_KEEPS(MEANING))) != NULL;                         \
        if (__builtin_expect(!loc || route.is_other, 0)) {                                         \
            MPI_FRAME(other) = {.loc = loc, .call = &region};                                      \
            MPI_UNRECORDED(guard);                                                                 \
            return next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__));                             \
        }                                                                                          \
        MPI_FRAME(frame) = {.loc = loc, .call = &region, .is_nested = is_nested};                  \
        enum { large = large_ };                                                                   \
        (void)large;                                                                               \
        MPI_BEFORE(MEANING) const int ret = next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__));    \
        mpi_frame_returned(&frame);                                                                \
        MPI_ISSUED(MEANING) MPI_AFTER(MEANING) return ret;                                         \
    }

#define BOTH(Name, group, ROLE, is_ours, large, MEANING, ...)                                      \
    static struct spur_call call_##Name = MPI_REGION("MPI_" #Name, group, ROLE);                   \
    WRAPPER(MPI_##Name, call_##Name, is_ours, large, MEANING, __VA_ARGS__)                         \
    WRAPPER(PMPI_##Name, call_##Name, is_ours, large, MEANING, __VA_ARGS__)

#define MPI_CALL(Name, group, ROLE, MEANING, ...)                                                  \
    BOTH(Name, group, ROLE, true, 0, MEANING, __VA_ARGS__)
#define MPI_CALL_C(Name, group, ROLE, MEANING, ...)                                                \
    BOTH(Name, group, ROLE, true, 0, MEANING, __VA_ARGS__)                                         \
    BOTH(Name##_c, group, ROLE, true, 1, MEANING, __VA_ARGS__)
#define MPI_QUERY(Name, group, ...)                                                                \
    BOTH(Name, group, FUNCTION, !mpi_binding_asks("MPI_" #Name, caller), 0, PLAIN, __VA_ARGS__)

#define ALL_FORMS(Name, Iname, Init, ROLE, large, OP, root, send, receive, ...)                    \
    BOTH(Name, coll, ROLE, true, large, COLL(OP, root, send, receive), __VA_ARGS__)                \
    BOTH(Iname, coll, ROLE, true, large, ICOLL(OP, root, send, receive), __VA_ARGS__,              \
         (REQUEST_OUT, request))                                                                   \
    BOTH(Init, coll, ROLE, true, large, COLL_INIT(OP, root, send, receive), __VA_ARGS__,           \
         (INFO, info), (REQUEST_OUT, request))

#define MPI_COLL(Name, name, ROLE, OP, root, send, receive, ...)                                   \
    ALL_FORMS(Name, I##name, Name##_init, ROLE, 0, OP, root, send, receive, __VA_ARGS__)
#define MPI_COLL_C(Name, name, ROLE, OP, root, send, receive, ...)                                 \
    ALL_FORMS(Name, I##name, Name##_init, ROLE, 0, OP, root, send, receive, __VA_ARGS__)           \
    ALL_FORMS(Name##_c, I##name##_c, Name##_init_c, ROLE, 1, OP, root, send, receive, __VA_ARGS__)

#define MPI_WATCHED(...) /* in mpi_watched.c */

#include "wrappers/mpi/tables/mpi_calls.def"

/*
 * Fortran: a case that Open MPI's binding answers by itself is recorded here. Every other call goes
 * on to the binding, and the binding calls the C function. mpif.h and `use mpi` call the names of
 * the standard in the spelling of the compiler; the binding of `use mpi_f08` calls ompi_x_f.
 */
static inline bool is_answered(const struct mpi_library *lib, bool is_asked)
{
    return lib && lib->layout.family == MPI_FAMILY_OMPI && is_asked;
}

/* clang-format off */
#define IS_NONE(count)     (mpi_int_at(count) == 0)
#define IS_IGNORED(status) ((status) == mpi_library()->fortran_ignore)
#define LEFT_WAIT
#define LEFT_TEST mpi_frame_tick(&frame); mpi_frame_polled(&frame, true);
#define LEFT_ASK mpi_frame_tick(&frame); mpi_frame_polled(&frame, false);
/* clang-format on */

#define FORTRAN_NAME(Symbol, Name, CONDITION, LEFT, ...)                                           \
    SPUR_EXPORT void Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__));                            \
    SPUR_EXPORT void Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__))                             \
    {                                                                                              \
        static _Atomic(mpi_function) cache;                                                        \
        const struct mpi_route route =                                                             \
            mpi_route_or_error(&cache, #Symbol, __builtin_return_address(0));                      \
        void (*const next)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)) =                            \
            (void (*)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)))route.next;                       \
        struct spur_loc *const loc =                                                               \
            is_answered(mpi_library(), CONDITION) ? spur_enter(&call_##Name) : NULL;               \
        if (!loc) {                                                                                \
            next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__));                                    \
            return;                                                                                \
        }                                                                                          \
        MPI_FRAME(frame) = {.loc = loc, .call = &call_##Name};                                     \
        next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__));                                        \
        mpi_frame_returned(&frame);                                                                \
        LEFT_##LEFT                                                                                \
    }

#define MPI_FORTRAN(Name, lower, UPPER, ...)                                                       \
    FORTRAN_NAME(mpi_##lower, Name, __VA_ARGS__)                                                   \
    FORTRAN_NAME(mpi_##lower##_, Name, __VA_ARGS__)                                                \
    FORTRAN_NAME(mpi_##lower##__, Name, __VA_ARGS__)                                               \
    FORTRAN_NAME(MPI_##UPPER, Name, __VA_ARGS__)                                                   \
    FORTRAN_NAME(pmpi_##lower, Name, __VA_ARGS__)                                                  \
    FORTRAN_NAME(pmpi_##lower##_, Name, __VA_ARGS__)                                               \
    FORTRAN_NAME(pmpi_##lower##__, Name, __VA_ARGS__)                                              \
    FORTRAN_NAME(PMPI_##UPPER, Name, __VA_ARGS__)                                                  \
    FORTRAN_NAME(ompi_##lower##_f, Name, __VA_ARGS__)

#include "wrappers/mpi/tables/mpi_calls_fortran.def"
