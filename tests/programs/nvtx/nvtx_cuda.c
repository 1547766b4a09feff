/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of CUDA that get names by NVTX, in all ways, and kernels in them: `of_NAME` in the stream
 * NAME. One is named twice, and one not at all; one name is of a stream of another context.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../cuda/fake_cuda.h"
#include "own_nvtx.h"

static CUstream stream_with(const char *kernel)
{
    CUstream stream;
    if (cuStreamCreate(&stream, 0) != 0 || fake_launch(1, 32, 0, stream, 50, kernel) != 0 ||
        fake_launch(1, 32, 0, stream, 50, kernel) != 0)
        exit(2);
    return stream;
}

int main(void)
{
    CUcontext first, second;
    if (cuInit(0) != 0 || cuCtxCreate_v2(&first, 0, 0) != 0)
        return 2;
    nvtxNameCuStreamA(stream_with("of_ascii"), "ascii");
    nvtxNameCuStreamW(stream_with("of_wide"), L"wide");
    nvtxNameCudaStreamA(stream_with("of_runtime"), "runtime");
    CUstream twice = stream_with("of_second name");
    nvtxNameCudaStreamW(twice, L"first name");
    nvtxNameCudaStreamW(twice, L"second name");
    (void)stream_with("of_Stream 12");
    nvtxResourceAttributes_t what = {.version = 3,
                                     .size = sizeof what,
                                     .identifierType = 0x40003,
                                     .identifier = {.pValue = stream_with("of_resource")},
                                     .messageType = 1,
                                     .message = {.ascii = "resource"}};
    (void)nvtxDomainResourceCreate(NULL, &what);
    nvtxNameCuStreamA(NULL, "default one");
    if (fake_launch(1, 32, 0, NULL, 50, "of_default one") != 0 || cuCtxSynchronize() != 0)
        return 2;
    if (cuCtxCreate_v2(&second, 0, 1) != 0)
        return 2;
    nvtxNameCuStreamA(stream_with("of_elsewhere"), "elsewhere");
    return cuCtxSynchronize();
}
