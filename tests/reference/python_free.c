/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debian's python3-otf2 has a copy of the reference library inside its _otf2.so. This stands in its
 * place and uses the library of the system, or the one that LD_LIBRARY_PATH says; the function is
 * the only one in it that is not OTF2's.
 */
#include <stdlib.h>

void otf2_python_free(void *pointer);

void otf2_python_free(void *pointer)
{
    free(pointer);
}
