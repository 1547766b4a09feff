/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that were written for older versions know some events by other names: the events of
 * OpenMP threads, and Enter and Leave where a call path is recorded.
 */
#include "reader/evt_reader.h"
#include "reader/global_reader.h"

/* Calls the local or the global callback of that name, if there is one. */
#define CALL(Name, ...)                                                                            \
    (g ? g->callbacks.Name                                                                         \
             ? g->callbacks.Name(e->id, time, g->user_data, &e->attributes __VA_ARGS__)            \
             : OTF2_CALLBACK_SUCCESS                                                               \
     : e->callbacks.Name                                                                           \
         ? e->callbacks.Name(e->id, time, e->position, e->user_data, &e->attributes __VA_ARGS__)   \
         : OTF2_CALLBACK_SUCCESS)

/* The region of a calling context by the global definitions, if these were read. */
static bool find_region(const OTF2_EvtReader *e, OTF2_CallingContextRef context,
                        OTF2_RegionRef *region)
{
    return otf2_context_regions_find(&e->reader->context_regions, context, region);
}

OTF2_CallbackCode otf2_evt_call_older(OTF2_EvtReader *e, OTF2_GlobalEvtReader *g,
                                      OTF2_TimeStamp time, enum otf2_evt_index number,
                                      const void *record)
{
    const struct otf2_evt_ThreadFork *fork = record;
    const struct otf2_evt_ThreadJoin *join = record;
    const struct otf2_evt_ThreadAcquireLock *acquire = record;
    const struct otf2_evt_ThreadReleaseLock *release = record;
    const struct otf2_evt_CallingContextEnter *enter = record;
    const struct otf2_evt_CallingContextLeave *leave = record;
    OTF2_RegionRef region;
    if (number == OTF2_EVT_ThreadFork && fork->model == OTF2_PARADIGM_OPENMP)
        return CALL(OmpFork, , fork->numberOfRequestedThreads);
    if (number == OTF2_EVT_ThreadJoin && join->model == OTF2_PARADIGM_OPENMP)
        return CALL(OmpJoin, );
    if (number == OTF2_EVT_ThreadAcquireLock && acquire->model == OTF2_PARADIGM_OPENMP)
        return CALL(OmpAcquireLock, , acquire->lockID, acquire->acquisitionOrder);
    if (number == OTF2_EVT_ThreadReleaseLock && release->model == OTF2_PARADIGM_OPENMP)
        return CALL(OmpReleaseLock, , release->lockID, release->acquisitionOrder);
    if (number == OTF2_EVT_CallingContextEnter && find_region(e, enter->callingContext, &region))
        return CALL(Enter, , region);
    if (number == OTF2_EVT_CallingContextLeave && find_region(e, leave->callingContext, &region))
        return CALL(Leave, , region);
    return OTF2_CALLBACK_SUCCESS;
}
