/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks and ranges of rocTX, which rocprofiler-sdk tells of as of calls of HIP. They are recorded
 * as those of NVTX are. A range that may overlap with others has a number of rocTX's and one of
 * the family `nvtx`.
 */
#include "wrappers/hip/hip.h"
#include "wrappers/nvtx/nvtx_told.h"

enum { RANGES = 128, NUMBERS = 64 };

/* Those that are open. `theirs` is 1 more than the number of rocTX's; 0: the place is free. */
static struct {
    _Atomic uint64_t theirs, ours;
} ranges[RANGES];

static void keep(uint64_t number, const char *text)
{
    const uint64_t ours = nvtx_told_begin(text);
    for (int i = 0; i < RANGES; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&ranges[i].theirs, &none, number + 1)) {
            atomic_store(&ranges[i].ours, ours);
            return;
        }
    }
}

static void end(uint64_t number)
{
    for (int i = 0; i < RANGES; i++)
        if (atomic_load(&ranges[i].theirs) == number + 1) {
            const uint64_t ours = atomic_load(&ranges[i].ours);
            atomic_store(&ranges[i].theirs, 0);
            nvtx_told_end(ours);
            return;
        }
}

static const char *const names[] = {
#define MARK(name, PHASE, what) #name,
#include "wrappers/hip/hip_marks.def"
#undef MARK
};
enum { MARKS = sizeof names / sizeof names[0] };

static int32_t number_of[MARKS];

size_t hip_roctx_describe(int kind, int32_t *numbers, size_t most)
{
    size_t n = 0;
    if (!nvtx_told_start())
        return 0;
    for (int i = 0; i < MARKS; i++)
        number_of[i] = -1;
    for (uint32_t number = 0; number < NUMBERS; number++) {
        const char *name = NULL;
        if (hip_sdk.rocprofiler_query_callback_tracing_kind_operation_name(kind, number, &name,
                                                                           NULL) !=
                ROCPROFILER_OK ||
            !name)
            continue;
        for (int i = 0; i < MARKS && n < most; i++)
            if (strcmp(name, names[i]) == 0)
                number_of[i] = numbers[n++] = (int32_t)number;
    }
    return n;
}

void hip_roctx_call(const struct rocprofiler_call *call)
{
    const void *marker = call->payload;
    int i = 0;
    if (!marker || !hip_is_ours())
        return;
#define MARK(name, PHASE, what)                                                                    \
    if (call->operation == number_of[i] && call->phase == ROCPROFILER_##PHASE)                     \
        what;                                                                                      \
    i++;
#include "wrappers/hip/hip_marks.def"
#undef MARK
}
