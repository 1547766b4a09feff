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

/* Both symbols of a function call one body; in the groups of the most frequent calls each symbol
 * has a copy of the body. */
#define IS_COPIED(group) (MPI_GROUP_##group == MPI_GROUP_p2p || MPI_GROUP_##group == MPI_GROUP_req)

/*
 * MPI_x calls the next MPI_x and PMPI_x the next PMPI_x (`is_pmpi`), so that other PMPI tools see
 * the same calls as without spur. Fortran bindings call one or the other; the guard in spur_enter()
 * lets the outermost call count.
 */
#define BODY(Name, is_ours, large_, MEANING, ...)                                                  \
    static inline __attribute__((                                                                  \
        always_inline)) int mpi_copy_##Name(OTF2_LIST(PARAM, Name, "", __VA_ARGS__), bool is_pmpi, \
                                            struct spur_caller caller)                             \
    {                                                                                              \
        static _Atomic(mpi_function) caches[2];                                                    \
        const struct mpi_route route =                                                             \
            mpi_route_or_error(&caches[is_pmpi], &"PMPI_" #Name[!is_pmpi], caller.address);        \
        int (*const next)(OTF2_LIST(PARAM, Name, "", __VA_ARGS__)) =                               \
            (int (*)(OTF2_LIST(PARAM, Name, "", __VA_ARGS__)))route.next;                          \
        struct spur_call *const call = &call_##Name;                                               \
        struct spur_loc *loc = mpi_library() && is_ours ? spur_enter_from(call, caller) : NULL;    \
        bool is_nested = false;                                                                    \
        if (__builtin_expect(!loc && !route.is_other, 0)) {                                        \
            const struct mpi_followed followed = mpi_frame_follow(call, MPI_KEEPS(MEANING));       \
            loc = followed.loc;                                                                    \
            is_nested = followed.is_nested;                                                        \
        }                                                                                          \
        if (__builtin_expect(!loc || route.is_other, 0)) {                                         \
            MPI_PASSED(passed) = mpi_passed_begin(loc, call);                                      \
            return next(OTF2_LIST(ARGUMENT, Name, "", __VA_ARGS__));                               \
        }                                                                                          \
        MPI_FRAME(frame) = {.loc = loc, .call = call, .is_nested = is_nested};                     \
        enum { large = large_ };                                                                   \
        (void)large;                                                                               \
        MPI_BEFORE(MEANING) const int ret = next(OTF2_LIST(ARGUMENT, Name, "", __VA_ARGS__));      \
        mpi_frame_returned(&frame);                                                                \
        MPI_ISSUED(MEANING) MPI_AFTER(MEANING) return ret;                                         \
    }                                                                                              \
    static __attribute__((noinline,                                                                \
                          unused)) int mpi_body_##Name(OTF2_LIST(PARAM, Name, "", __VA_ARGS__),    \
                                                       bool is_pmpi, struct spur_caller caller)    \
    {                                                                                              \
        return mpi_copy_##Name(OTF2_LIST(ARGUMENT, Name, "", __VA_ARGS__), is_pmpi, caller);       \
    }

#define SYMBOL(Prefix, Name, group, is_pmpi, ...)                                                  \
    SPUR_EXPORT int Prefix##Name(OTF2_LIST(PARAM, Name, "", __VA_ARGS__));                         \
    SPUR_EXPORT int Prefix##Name(OTF2_LIST(PARAM, Name, "", __VA_ARGS__))                          \
    {                                                                                              \
        if (IS_COPIED(group))                                                                      \
            return mpi_copy_##Name(OTF2_LIST(ARGUMENT, Name, "", __VA_ARGS__), is_pmpi,            \
                                   SPUR_CALLER);                                                   \
        return mpi_body_##Name(OTF2_LIST(ARGUMENT, Name, "", __VA_ARGS__), is_pmpi, SPUR_CALLER);  \
    }

#define BOTH(Name, group, ROLE, is_ours, large, MEANING, ...)                                      \
    static struct spur_call call_##Name = MPI_REGION("MPI_" #Name, group, ROLE);                   \
    BODY(Name, is_ours, large, MEANING, __VA_ARGS__)                                               \
    SYMBOL(MPI_, Name, group, false, __VA_ARGS__)                                                  \
    SYMBOL(PMPI_, Name, group, true, __VA_ARGS__)

#define MPI_CALL(Name, group, ROLE, MEANING, ...)                                                  \
    BOTH(Name, group, ROLE, true, 0, MEANING, __VA_ARGS__)
#define MPI_CALL_C(Name, group, ROLE, MEANING, ...)                                                \
    BOTH(Name, group, ROLE, true, 0, MEANING, __VA_ARGS__)                                         \
    BOTH(Name##_c, group, ROLE, true, 1, MEANING, __VA_ARGS__)
#define MPI_QUERY(Name, group, ...)                                                                \
    BOTH(Name, group, FUNCTION, !mpi_binding_asks("MPI_" #Name, caller.address), 0, PLAIN,         \
         __VA_ARGS__)

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
