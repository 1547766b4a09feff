/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Half a second of CPU time without a call that is recorded; tells how many ns it was. With an
 * argument, signals are handled on an alternate stack, as in programs of some languages.
 */
#include <signal.h>

#include "truth.h"

int main(int argc, char **argv)
{
    enum { MILLISECONDS = 500, STACK = 64 << 10 };
    static char stack[STACK];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    (void)argv;
    if (argc > 1 && sigaltstack(&alternate, NULL) != 0)
        return 1;
    printf("work %lld\n", (long long)truth_burn(MILLISECONDS));
    return 0;
}
