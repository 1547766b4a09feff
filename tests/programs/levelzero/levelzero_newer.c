/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses a loader of Level Zero that is newer than all that is known. */
#include <stdint.h>
#include <stdio.h>

uint32_t newer_start(void);

int main(void)
{
    printf("%u %u\n", newer_start(), newer_start());
    return 0;
}
