/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks of an archive that is written, for one process; they tell when they are called. */
#ifndef REFERENCE_TELLING_CALLBACKS_H
#define REFERENCE_TELLING_CALLBACKS_H

#include "common.h"

static uint64_t now; /* the time of the last event that was written */

/* Ours asks at the end of a writer without a location, too: the program may tell it here. */
static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool final)
{
    (void)user, (void)caller;
    bool is_nowhere = type == OTF2_FILETYPE_EVENTS && location == OTF2_UNDEFINED_LOCATION;
    if (!is_nowhere)
        printf("    pre_flush type %d location %" PRIx64 " final %d\n", type, location, final);
    return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user;
    printf("    post_flush type %d location %" PRIx64 "\n", type, location);
    return now;
}

static const OTF2_FlushCallbacks flush_kinds[] = {{pre_flush, post_flush}, {pre_flush, NULL}};

static OTF2_CallbackCode get_one(void *user, OTF2_CollectiveContext *comm, uint32_t *size)
{
    (void)user, (void)comm;
    *size = 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_zero(void *user, OTF2_CollectiveContext *comm, uint32_t *rank)
{
    (void)user, (void)comm;
    *rank = 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *user, OTF2_CollectiveContext *comm)
{
    (void)user, (void)comm;
    puts("    barrier");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode bcast(void *user, OTF2_CollectiveContext *comm, void *data, uint32_t n,
                               OTF2_Type type, uint32_t root)
{
    (void)user, (void)comm, (void)data;
    printf("    bcast n %u type %d root %u\n", n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode copy(void *user, OTF2_CollectiveContext *comm, const void *in, void *out,
                              uint32_t n, OTF2_Type type, uint32_t root)
{
    (void)user, (void)comm;
    printf("    gather or scatter n %u type %d root %u\n", n, type, root);
    memcpy(out, in, n * (type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64 ? 8 : 4));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gatherv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                 uint32_t n, void *out, const uint32_t *ns, OTF2_Type type,
                                 uint32_t root)
{
    (void)ns;
    return copy(user, comm, in, out, n, type, root);
}

static OTF2_CallbackCode scatterv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                  const uint32_t *ns, void *out, uint32_t n, OTF2_Type type,
                                  uint32_t root)
{
    (void)ns;
    return copy(user, comm, in, out, n, type, root);
}

static const OTF2_CollectiveCallbacks collectives = {.otf2_get_size = get_one,
                                                     .otf2_get_rank = get_zero,
                                                     .otf2_barrier = barrier,
                                                     .otf2_bcast = bcast,
                                                     .otf2_gather = copy,
                                                     .otf2_gatherv = gatherv,
                                                     .otf2_scatter = copy,
                                                     .otf2_scatterv = scatterv};

static OTF2_CallbackCode make_lock(void *user, OTF2_Lock *lock)
{
    static char a_lock;
    (void)user;
    *lock = (OTF2_Lock)&a_lock;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode use_lock(void *user, OTF2_Lock lock)
{
    (void)user, (void)lock;
    return OTF2_CALLBACK_SUCCESS;
}

static const OTF2_LockingCallbacks locks = {NULL, make_lock, use_lock, use_lock, use_lock};

#endif
