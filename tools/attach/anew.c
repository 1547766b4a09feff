/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/anew.h"

#include <stdlib.h>
#include <unistd.h>

/* Not with what `spur COMMAND` tells a program, if the command runs in one. */
void anew_execute(const char *word, const char *first, const char *second)
{
    static const char *const of_session[] = {"LD_PRELOAD", "CUDA_INJECTION64_PATH",
                                             "NVTX_INJECTION64_PATH"};
    for (size_t i = 0; i < sizeof of_session / sizeof of_session[0]; i++)
        unsetenv(of_session[i]); // NOLINT(concurrency-mt-unsafe): there is one thread
    execl("/proc/self/exe", "spur-attach", word, first, second, (char *)NULL);
}
