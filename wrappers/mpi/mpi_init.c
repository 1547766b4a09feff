/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_init.h"

#include <stdlib.h>
#include <string.h>

#include "wrappers/mpi/library/mpi_route.h"
#include "wrappers/mpi/library/mpi_transport.h"
#include "wrappers/mpi/mpi_clock.h"
#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_emit.h"
#include "wrappers/mpi/mpi_frame.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_meet.h"
#include "wrappers/mpi/mpi_muster.h"
#include "wrappers/mpi/mpi_wait.h"
#include "wrappers/mpi/mpi_world.h"

/* The communicators whose birth was recorded, so that the end can be recorded. */
static OTF2_CommRef world_id = OTF2_UNDEFINED_COMM;
static bool has_birth; /* the birth of the world is recorded, so the death will be */
static OTF2_CommRef self_id = OTF2_UNDEFINED_COMM;
static OTF2_CommRef parents_id = OTF2_UNDEFINED_COMM;

bool mpi_is_off;
static bool is_job_traced;

/* For libraries that open files together. */
static OTF2_CommRef comm_given(intptr_t handle)
{
    return mpi_library() ? mpi_comm_id((mpi_word)handle) : OTF2_UNDEFINED_COMM;
}

/*
 * Does the launcher know that all ranks run the same program? Then all ranks may be traced, and the
 * ranks find out by themselves. A rank may be untraced, as in `mpirun -n 1 spur ./a : -n 3 ./a`.
 * Then nothing must be sent, since an untraced rank would never answer: the archive is made from
 * the files.
 */
static void read_environment_here(void)
{
    const char *session = secure_getenv("SPUR_SESSION");
    mpi_is_off = !spur_wraps(SPUR_FAMILY_MPI) || !mpi_groups_select(spur_setting("MPI"));
    if (!mpi_is_off)
        spur_above_comm_by(comm_given);
    is_job_traced = !mpi_is_off && session && strcmp(session, "launched") == 0;
}
__attribute__((constructor)) static void read_environment(void);
SPUR_DOOR_VOID_ALONE(read_environment)

bool mpi_job_is_traced(void)
{
    return is_job_traced && mpi_muster_is_complete();
}

/* The communicators present from the start have to be known also if `env` is off. */
static struct spur_loc *enter(struct spur_call *call, struct spur_caller caller, bool is_other)
{
    struct spur_loc *loc = mpi_library() ? spur_enter_from(call, caller) : NULL;
    return loc || is_other || mpi_is_off || !mpi_library() ? loc : spur_follow(call, false);
}

/* ---- the start ---- */

static void initialises(void)
{
    if (is_job_traced || secure_getenv("OMPI_PARENT_PORT"))
        mpi_muster_begin();
    mpi_meet_parents_begin();
}

/* At the time of the Enter: names the process, defines the two communicators. */
static void describe_world(struct spur_loc *loc)
{
    const struct mpi_library *lib = mpi_library();
    struct mpi_comm *world;
    struct mpi_comm *self;
    int size = 0;
    int level = lib->layout.thread_multiple;
    if (lib->Query_thread)
        lib->Query_thread(&level);
    mpi_wait_set_threads(level >= lib->layout.thread_multiple || mpi_world_had_session());
    mpi_comm_world_created(&world, &self, !spur_is_dropped(loc));
    if (lib->Comm_size(lib->layout.comm_world, &size) == 0)
        mpi_muster_end(size);
    const struct mpi_comm *parents = mpi_meet_parents_end(!spur_is_dropped(loc));
    if (!world || !self)
        return;
    world_id = world->id;
    self_id = self->id;
    has_birth = world->has_events && self->has_events;
    parents_id = parents ? parents->id : OTF2_UNDEFINED_COMM;
    if (world_id != OTF2_UNDEFINED_COMM)
        spur_put_MpiCollectiveBegin(loc);
}

static void end_on_world(struct spur_loc *loc, OTF2_CollectiveOp op)
{
    mpi_emit_coll_end_on(loc, op, world_id, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

static void record_birth(struct spur_loc *loc)
{
    if (world_id == OTF2_UNDEFINED_COMM)
        return;
    if (has_birth) {
        spur_put_CommCreate(loc, world_id);
        spur_put_CommCreate(loc, self_id);
    }
    if (parents_id != OTF2_UNDEFINED_COMM)
        spur_put_CommCreate(loc, parents_id);
    end_on_world(loc, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

/* The level of a session's threads is an info of the session: the highest level is always right. */
void mpi_session_opened(mpi_word session_at)
{
    const struct mpi_library *lib = mpi_library();
    mpi_wait_set_threads(true);
    mpi_world_session_opened(mpi_handle_at(lib, session_at, 0));
    (void)mpi_world_is_known(lib);
}

/*
 * Once per process, by the first call that returns: MPI_Init or the PMPI_Init within. On a
 * recording rank the outer call is meant, since the inner call is part of the outer call there.
 */
static void compare_clocks(const struct spur_loc *loc)
{
    static bool is_done;
    if (is_done || !mpi_job_is_traced() || !mpi_library() || (!loc && spur_inside()))
        return;
    is_done = true;
    int saved = errno;
    spur_inside_begin();
    mpi_clock_begin();
    spur_inside_end();
    errno = saved;
}

static void initialised(struct mpi_frame *frame, int ret)
{
    if (frame->loc)
        mpi_frame_returned(frame);
    if (ret == 0 && frame->loc)
        describe_world(frame->loc);
    if (ret == 0)
        compare_clocks(frame->loc);
    if (!frame->loc)
        return;
    mpi_frame_tick(frame);
    if (ret == 0)
        record_birth(frame->loc);
}

#define INIT(Symbol, region, params, ...)                                                          \
    SPUR_EXPORT int Symbol params;                                                                 \
    SPUR_EXPORT int Symbol params                                                                  \
    {                                                                                              \
        static _Atomic(mpi_function) cache;                                                        \
        const struct mpi_route route =                                                             \
            mpi_route_or_error(&cache, #Symbol, __builtin_return_address(0));                      \
        int(*const next) params = (int(*) params)route.next;                                       \
        MPI_FRAME(frame) = {.loc = enter(&region, SPUR_CALLER, route.is_other), .call = &region};  \
        if (frame.loc && !route.is_other)                                                          \
            initialises();                                                                         \
        int ret;                                                                                   \
        {                                                                                          \
            MPI_UNRECORDED(guard);                                                                 \
            ret = next(__VA_ARGS__);                                                               \
        }                                                                                          \
        if (!route.is_other)                                                                       \
            initialised(&frame, ret);                                                              \
        return ret;                                                                                \
    }

static struct spur_call call_Init = MPI_REGION("MPI_Init", env, FUNCTION);
static struct spur_call call_Init_thread = MPI_REGION("MPI_Init_thread", env, FUNCTION);
INIT(MPI_Init, call_Init, (int *argc, char ***argv), argc, argv)
INIT(PMPI_Init, call_Init, (int *argc, char ***argv), argc, argv)
INIT(MPI_Init_thread, call_Init_thread, (int *argc, char ***argv, int required, int *provided),
     argc, argv, required, provided)
INIT(PMPI_Init_thread, call_Init_thread, (int *argc, char ***argv, int required, int *provided),
     argc, argv, required, provided)

/* ---- the end ---- */

static bool can_unify(void)
{
    const struct mpi_library *lib = mpi_library();
    int is_initialised = 0;
    int is_finalised = 1;
    return mpi_job_is_traced() && lib && lib->Initialized(&is_initialised) == 0 && is_initialised &&
           lib->Finalized(&is_finalised) == 0 && !is_finalised;
}

static void unify(void)
{
    struct spur_transport transport;
    spur_inside_begin();
    mpi_clock_end(); /* first: the results belong to the definitions */
    if (mpi_transport_open(&transport)) {
        spur_unify_over(&transport);
        mpi_transport_close(&transport);
    }
    spur_inside_end();
}

static int finalize(struct mpi_route route)
{
    int (*const next)(void) = (int (*)(void))route.next;
    static struct spur_call call = MPI_REGION("MPI_Finalize", env, FUNCTION);
    bool is_unifying = !route.is_other && !spur_inside() && can_unify();
    MPI_FRAME(frame) = {.loc = enter(&call, SPUR_CALLER, route.is_other), .call = &call};
    bool has_world = frame.loc && !route.is_other && world_id != OTF2_UNDEFINED_COMM;
    if (has_world)
        spur_put_MpiCollectiveBegin(frame.loc);
    if (is_unifying)
        unify();
    if (mpi_library() && !route.is_other)
        mpi_world_finalize();
    MPI_UNRECORDED(guard);
    int ret = next();
    if (!frame.loc || route.is_other)
        return ret;
    if (ret == 0)
        spur_process_finalized();
    mpi_frame_returned(&frame);
    mpi_frame_tick(&frame);
    if (has_world) {
        if (has_birth) {
            spur_put_CommDestroy(frame.loc, self_id);
            spur_put_CommDestroy(frame.loc, world_id);
        }
        end_on_world(frame.loc, OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
    }
    return ret;
}

#define FINALIZE(Symbol)                                                                           \
    SPUR_EXPORT int Symbol(void);                                                                  \
    SPUR_EXPORT int Symbol(void)                                                                   \
    {                                                                                              \
        static _Atomic(mpi_function) cache;                                                        \
        return finalize(mpi_route_or_error(&cache, #Symbol, __builtin_return_address(0)));         \
    }
FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

/* ---- questions ---- */

/*
 * A process without MPI may ask by a weak reference whether MPI is up. The export here has made the
 * reference non-NULL: the answer is no.
 */
#define QUESTION(Symbol)                                                                           \
    SPUR_EXPORT int Symbol(int *flag);                                                             \
    SPUR_EXPORT int Symbol(int *flag)                                                              \
    {                                                                                              \
        static _Atomic(mpi_function) cache;                                                        \
        struct mpi_route route = mpi_route(&cache, #Symbol, __builtin_return_address(0));          \
        if (route.next)                                                                            \
            return ((int (*)(int *))route.next)(flag);                                             \
        *flag = 0;                                                                                 \
        return 0;                                                                                  \
    }
QUESTION(MPI_Initialized)
QUESTION(PMPI_Initialized)
QUESTION(MPI_Finalized)
QUESTION(PMPI_Finalized)
