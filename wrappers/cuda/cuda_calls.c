/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of the driver and of the runtime: a region each. The runtime calls the driver; what it
 * calls is not recorded, since the thread is within a recorded call already.
 */
#include <errno.h>

#include "wrappers/cuda/cuda.h"
#include "wrappers/cuda/driver_numbers.h"

enum { DOMAINS = 2, CALLS = 1024 };

/* By domain and number. No name: it is not recorded. */
static struct spur_call calls[DOMAINS][CALLS];
static bool gives[DOMAINS][CALLS];

struct device_calls cuda_calls = {.flusher = &cuda_flusher};

static const OTF2_RegionRole roles[CUDA_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) OTF2_REGION_ROLE_##ROLE,
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
};

static const char *const words[CUDA_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) #name,
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
};

/* ---- at the start ---- */

/* A version of the runtime, as "_v7000", is not part of the name; "_v2" of the driver's is. */
static size_t without_version(const char *name, size_t length)
{
    enum { SHORTEST = 4 };
    size_t end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    bool is_version = length - end >= SHORTEST && end > 2 && strncmp(name + end - 2, "_v", 2) == 0;
    return is_version ? end - 2 : length;
}

/* As the program writes it: a stream of its own for each thread is a matter of compiling. */
static size_t plain_length(const char *name)
{
    static const char *const suffixes[] = {"_ptsz", "_ptds"};
    size_t length = without_version(name, strlen(name));
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && strncmp(name + length - n, suffixes[i], n) == 0)
            return length - n;
    }
    return length;
}

static bool describe(struct spur_call *call, bool *is_giving, const char *name)
{
    size_t length = plain_length(name);
    char *text = spur_mem_new(length + 1);
    if (!text)
        return false;
    memcpy(text, name, length);
    text[length] = '\0';
    const struct cuda_name is = cuda_name_of(text);
    *call = (struct spur_call){.name = text,
                               .group = words[is.group],
                               .role = roles[is.group],
                               .is_off = &cuda_group_is_off[is.group],
                               SPUR_CALL_OF(CUDA)};
    *is_giving = is.gives;
    return true;
}

/* Numbers begin with 1 and have no holes; after the last one there is no name. */
static void enable(void *subscriber, int domain)
{
    for (uint32_t number = 1; number < CALLS; number++) {
        struct spur_call *call = &calls[domain - 1][number];
        const char *name = NULL;
        if (cupti.cuptiGetCallbackName(domain, number, &name) != CUPTI_OK || !name)
            break;
        if (!call->name && !describe(call, &gives[domain - 1][number], name))
            break;
        if (!*call->is_off)
            (void)cupti.cuptiEnableCallback(1, subscriber, domain, number);
    }
}

void cuda_calls_enable(void *subscriber)
{
    enable(subscriber, CUPTI_DRIVER);
    enable(subscriber, CUPTI_RUNTIME);
    (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_RESOURCE, CUPTI_CONTEXT_ENDS);
    (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_RESOURCE, CUPTI_CUDA_HAS_STARTED);
}

/* ---- a call ---- */

static enum device_answer answer_of(const struct spur_call *called, const void *call)
{
    const int32_t *result = cupti_CALL_functionReturnValue(call);
    if (called->is_off != &cuda_group_is_off[CUDA_GROUP_poll] || !result)
        return DEVICE_NO_POLL;
    return *result == CUDA_NOT_READY ? DEVICE_IS_BUSY : DEVICE_IS_DONE;
}

void cuda_on_call(void *data, int domain, uint32_t number, const void *call)
{
    (void)data;
    int saved = errno;
    if (domain == CUPTI_RESOURCE) {
        if (number == CUPTI_CONTEXT_ENDS)
            cuda_flush();
        else if (number == CUPTI_CUDA_HAS_STARTED)
            cuda_has_started();
    } else if (domain <= DOMAINS && number < CALLS && calls[domain - 1][number].name) {
        if (cupti_CALL_callbackSite(call) != CUPTI_ENTER)
            device_call_end(&cuda_calls, answer_of(&calls[domain - 1][number], call));
        else if (cuda_is_ours())
            device_call_begin(&cuda_calls, &calls[domain - 1][number], gives[domain - 1][number],
                              cupti_CALL_correlationId(call), 0);
    }
    errno = saved;
}
