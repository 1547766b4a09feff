/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One region with very many short calls, one with few long ones, and one that is called as often as
 * that and has a short one within. It prints how often each was called, as "NAME CALLS".
 */
#include <stdio.h>

#include <spur/spur.h>

#include "truth.h"

enum { MANY = 1000000, FEW = 5, LONG_MS = 20 };

static struct spur_user_region tiny = SPUR_USER_REGION("tiny [a*] #1");
static struct spur_user_region other = SPUR_USER_REGION("tiny a #1");
static struct spur_user_region large = SPUR_USER_REGION("large");

int main(void)
{
    volatile int sum = 0;
    for (int i = 0; i < FEW; i++) {
        spur_user_enter(&large);
        for (int k = 0; k < MANY / FEW; k++) {
            spur_user_enter(&tiny);
            sum = sum + k;
            spur_user_leave(&tiny);
        }
        spur_user_enter(&other);
        truth_burn(LONG_MS);
        spur_user_leave(&other);
        spur_user_leave(&large);
    }
    printf("tiny [a*] #1=%d\ntiny a #1=%d\nlarge=%d\n", MANY, FEW, FEW);
    return 0;
}
