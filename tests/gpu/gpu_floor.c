/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CUPTI alone costs: a library for CUDA_INJECTION64_PATH that asks CUPTI for what GPU_FLOOR
 * says (c: a callback for each call; k: records of kernels), and drops it.
 */
#include <cupti.h>
#include <stdlib.h>
#include <string.h>

static void on_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId number,
                    const void *call)
{
    (void)data;
    (void)domain;
    (void)number;
    (void)call;
}

static void on_request(uint8_t **buffer, size_t *bytes, size_t *records)
{
    *bytes = 512 << 10;
    *buffer = malloc(*bytes);
    *records = 0;
}

static void on_complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                        size_t valid)
{
    (void)context;
    (void)stream;
    (void)bytes;
    (void)valid;
    free(buffer);
}

int InitializeInjection(void)
{
    CUpti_SubscriberHandle subscriber;
    const char *wanted = getenv("GPU_FLOOR");
    if (cuptiSubscribe(&subscriber, on_call, NULL) != CUPTI_SUCCESS)
        return 0;
    if (wanted && strchr(wanted, 'c')) {
        cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
        cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
    }
    if (wanted && strchr(wanted, 'k')) {
        cuptiActivityRegisterCallbacks(on_request, on_complete);
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    }
    return 1;
}
