/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/memory.h"

#include <stdlib.h>

void *otf2_mem_new(size_t bytes)
{
    return calloc(1, bytes);
}

void otf2_mem_free(void *mem)
{
    free(mem);
}
