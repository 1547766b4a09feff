/* SPDX-License-Identifier: BSD-3-Clause */
/* What another family is told of. It nests by itself, beside the domains of NVTX. */
#include "wrappers/nvtx/nvtx_told.h"
#include "wrappers/nvtx/nvtx.h"

#define TOLD(text, KIND)                                                                           \
    (&(struct nvtx_call){.owner = NVTX_OWNER_TOLD,                                                 \
                         .text = NVTX_ASCII(text),                                                 \
                         .kind = NVTX_TOLD_##KIND})

bool nvtx_told_start(void)
{
    const bool is_on = spur_wraps(SPUR_FAMILY_NVTX);
    if (is_on)
        wrapper_stack_take(SPUR_FAMILY_NVTX);
    return is_on;
}

void nvtx_told_mark(const char *text)
{
    nvtx_mark(TOLD(text, MARK));
}

void nvtx_told_push(const char *text)
{
    (void)nvtx_push(TOLD(text, RANGE));
}

void nvtx_told_pop(void)
{
    (void)nvtx_pop(NVTX_OWNER_TOLD);
}

uint64_t nvtx_told_begin(const char *text)
{
    return nvtx_start_range(TOLD(text, RANGE));
}

void nvtx_told_end(uint64_t number)
{
    nvtx_RangeEnd(number);
}
