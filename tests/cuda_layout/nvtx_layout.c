/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the table of wrappers/nvtx say what NVTX's headers say? Compiled with these headers. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtOpenCL.h>
#include <stddef.h>
#include <string.h>

#include "tests/cuda_layout/same.h"

/* The type of a field is a pointer of ours; only its size counts. */
typedef int nvtx_table_of(int module, void ***table, unsigned *n);

#define RECORD(RECORD, struct_) typedef struct_ type_##RECORD;
#include "wrappers/nvtx/nvtx_fields.def"

int main(void)
{
#define FIELD(RECORD, name, offset, type)                                                          \
    same(#RECORD "." #name, offsetof(type_##RECORD, name), offset);                                \
    same("size of " #RECORD "." #name, sizeof(((type_##RECORD *)0)->name), sizeof(type));
#define MODULE(MODULE, number) same("module " #MODULE, NVTX_CB_MODULE_##MODULE, number);
#define CALL(MODULE, number, Name) same("call " #Name, NVTX_CBID_##MODULE##_##Name, number);
#define TEXT(NAME, number) same("text " #NAME, NVTX_MESSAGE_TYPE_##NAME, number);
#define PAYLOAD(NAME, number, TYPE) same("payload " #NAME, NVTX_PAYLOAD_TYPE_##NAME, number);
#define THREAD(NAME, number)                                                                       \
    same("resource " #NAME, NVTX_RESOURCE_TYPE_GENERIC_THREAD_##NAME, number);
#define STREAM(NAME, number, KIND) same("resource " #NAME, NVTX_RESOURCE_TYPE_##NAME, number);
#include "wrappers/nvtx/nvtx_fields.def"
    same("table of callbacks", NVTX_ETID_CALLBACKS, 1);
    same("no tracking", (size_t)NVTX_NO_PUSH_POP_TRACKING, (size_t)-2);
    printf("%d values compared with NVTX %d, %d faults\n", compared, NVTX_VERSION, faults);
    return faults != 0;
}
