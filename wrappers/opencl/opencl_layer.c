/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layer, as the loader of OpenCL sees it: two exported functions, and a variable that names it.
 * Where the loader takes no layers, opencl_stands.c brings the calls to it.
 */
#include "wrappers/opencl/opencl.h"
#include "wrappers/opencl/opencl_api.h"

static const char layer_name[] = "spur";
static const uint32_t layer_version = OPENCL_LAYER_VERSION;

/* `NOT` stays if the loader has found the agent by itself, in a program that is not to be traced.
 */
static _Atomic int way = OPENCL_NOT;

enum opencl_way opencl_way(void)
{
    return (enum opencl_way)atomic_load(&way);
}

bool opencl_comes(enum opencl_way from, enum opencl_way to)
{
    int expected = (int)from;
    return atomic_compare_exchange_strong(&way, &expected, (int)to);
}

static void name_layer(void *unused)
{
    (void)unused;
    if (spur_wraps(SPUR_FAMILY_OPENCL) && spur_environment_name("OPENCL_LAYERS"))
        atomic_store(&way, OPENCL_UNDECIDED);
}

__attribute__((constructor)) static void start(void)
{
    spur_on_own_stack(name_layer, NULL);
}

/* Declared here, since spur uses no headers of OpenCL. */
int32_t clGetLayerInfo(uint32_t what, size_t size, void *value, size_t *size_ret);
int32_t clInitLayer(uint32_t n, const wrapper_any *next, uint32_t *n_ret,
                    const wrapper_any **layer);

static int32_t answer(const void *from, size_t bytes, size_t size, void *value, size_t *size_ret)
{
    if (value && size < bytes)
        return OPENCL_INVALID_VALUE;
    if (value)
        memcpy(value, from, bytes);
    if (size_ret)
        *size_ret = bytes;
    return OPENCL_SUCCESS;
}

SPUR_EXPORT int32_t clGetLayerInfo(uint32_t what, size_t size, void *value, size_t *size_ret)
{
    switch (what) {
    case OPENCL_LAYER_API_VERSION:
        return answer(&layer_version, sizeof layer_version, size, value, size_ret);
    case OPENCL_LAYER_NAME:
        return answer(layer_name, sizeof layer_name, size, value, size_ret);
    default:
        return OPENCL_INVALID_VALUE;
    }
}

SPUR_EXPORT int32_t clInitLayer(uint32_t n, const wrapper_any *next, uint32_t *n_ret,
                                const wrapper_any **layer)
{
    static wrapper_any functions[OPENCL_CALLS];
    if (!next || !n_ret || !layer)
        return OPENCL_INVALID_VALUE;
    if (!opencl_comes(OPENCL_UNDECIDED, OPENCL_BY_LAYER) && opencl_way() != OPENCL_BY_LAYER)
        return OPENCL_INVALID_OPERATION;
    n = n < OPENCL_CALLS ? n : OPENCL_CALLS;
    for (uint32_t i = 0; i < n; i++) {
        opencl_next[i] = next[i];
        functions[i] = next[i] && opencl_wrappers[i] ? opencl_wrappers[i] : next[i];
    }
    *n_ret = n;
    *layer = functions;
    return OPENCL_SUCCESS;
}
