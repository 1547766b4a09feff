/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/serial.h"

#include <string.h>

static OTF2_CallbackCode serial_size(void *user, OTF2_CollectiveContext *comm, uint32_t *size)
{
    (void)user, (void)comm;
    *size = 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode serial_rank(void *user, OTF2_CollectiveContext *comm, uint32_t *rank)
{
    (void)user, (void)comm;
    *rank = 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode serial_barrier(void *user, OTF2_CollectiveContext *comm)
{
    (void)user, (void)comm;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode serial_bcast(void *user, OTF2_CollectiveContext *comm, void *data,
                                      uint32_t n, OTF2_Type type, uint32_t root)
{
    (void)user, (void)comm, (void)data, (void)n, (void)type, (void)root;
    return OTF2_CALLBACK_SUCCESS;
}

static size_t size_of(OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return 2;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT:
        return 4;
    default:
        return 8;
    }
}

static OTF2_CallbackCode copy(const void *in, void *out, uint32_t n, OTF2_Type type)
{
    if (in != out && n)
        memmove(out, in, n * size_of(type));
    return OTF2_CALLBACK_SUCCESS;
}

/* Gather and scatter. */
static OTF2_CallbackCode serial_move(void *user, OTF2_CollectiveContext *comm, const void *in,
                                     void *out, uint32_t n, OTF2_Type type, uint32_t root)
{
    (void)user, (void)comm, (void)root;
    return copy(in, out, n, type);
}

static OTF2_CallbackCode serial_gatherv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                        uint32_t n, void *out, const uint32_t *ns, OTF2_Type type,
                                        uint32_t root)
{
    (void)user, (void)comm, (void)ns, (void)root;
    return copy(in, out, n, type);
}

static OTF2_CallbackCode serial_scatterv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                         const uint32_t *ns, void *out, uint32_t n, OTF2_Type type,
                                         uint32_t root)
{
    (void)user, (void)comm, (void)ns, (void)root;
    return copy(in, out, n, type);
}

const OTF2_CollectiveCallbacks otf2_serial_collectives = {
    .otf2_get_size = serial_size,
    .otf2_get_rank = serial_rank,
    .otf2_barrier = serial_barrier,
    .otf2_bcast = serial_bcast,
    .otf2_gather = serial_move,
    .otf2_gatherv = serial_gatherv,
    .otf2_scatter = serial_move,
    .otf2_scatterv = serial_scatterv,
};
