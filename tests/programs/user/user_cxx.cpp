/* SPDX-License-Identifier: BSD-3-Clause */
/* spur/spur.h in C++: a region is left by an exception, too. */
#include <stdexcept>

#include "user_work.h"

static spur_user_region guarded = SPUR_USER_REGION("guarded");

static void fail(int i)
{
    spur::scope here(guarded);
    if (i % 2)
        throw std::runtime_error("odd");
}

int main()
{
    do_all();
    int caught = 0;
    for (int i = 0; i < 10; i++) {
        try {
            fail(i);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    printf("caught %d\n", caught);
}
