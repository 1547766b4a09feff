/* SPDX-License-Identifier: BSD-3-Clause */
/* Half a second of CPU time without a call that is recorded; tells how many ns it was. */
#include "truth.h"

int main(void)
{
    enum { MILLISECONDS = 500 };
    printf("work %lld\n", (long long)truth_burn(MILLISECONDS));
    return 0;
}
