/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges that nest: each domain has a stack of them in each thread. */
#include "wrappers/nvtx/nvtx.h"

/* What NVTX says where nobody follows them. */
enum { NOT_TRACKED = -2 };

static OTF2_RegionRef find_region(void *key)
{
    return key ? nvtx_region_of(key, NVTX_RANGE) : OTF2_UNDEFINED_REGION;
}

static OTF2_RegionRef find_told(void *key)
{
    return key ? nvtx_region_of(key, NVTX_TOLD_RANGE) : OTF2_UNDEFINED_REGION;
}

int nvtx_push(const struct nvtx_call *call)
{
    const bool is_told = call->kind == NVTX_TOLD_RANGE;
    const struct wrapper_range range = {.family = SPUR_FAMILY_NVTX,
                                        .owner = call->owner + 1,
                                        .describe = nvtx_describe,
                                        .data = call,
                                        .find = is_told ? find_told : find_region};
    nvtx_look_for_name();
    int level = wrapper_stack_push(&range);
    return level < 0 ? NOT_TRACKED : level;
}

int nvtx_pop(uint32_t owner)
{
    int level = wrapper_stack_pop(SPUR_FAMILY_NVTX, owner + 1);
    return level < 0 ? NOT_TRACKED : level;
}

int nvtx_RangePushEx(const void *event)
{
    const struct nvtx_call call = nvtx_call_of(NULL, event, NVTX_RANGE);
    return nvtx_push(&call);
}

int nvtx_RangePushA(const char *text)
{
    return nvtx_push(&(struct nvtx_call){.text = NVTX_ASCII(text)});
}

int nvtx_RangePushW(const wchar_t *text)
{
    return nvtx_push(&(struct nvtx_call){.text = NVTX_UNICODE(text)});
}

int nvtx_RangePop(void)
{
    return nvtx_pop(0);
}

int nvtx_DomainRangePushEx(const void *domain, const void *event)
{
    const struct nvtx_call call = nvtx_call_of(domain, event, NVTX_RANGE);
    return nvtx_push(&call);
}

int nvtx_DomainRangePop(const void *domain)
{
    return nvtx_pop(nvtx_domain_of(domain));
}
