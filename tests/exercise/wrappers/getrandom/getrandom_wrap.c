/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls for random bytes. There is no code per function here: getrandom_calls.def has it all. */
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include "wrappers/kit/wrapper.h"

#define GETRANDOM_CALL(type, name, ...)                                                            \
    WRAPPER_PLAIN(GETRANDOM, "random", WRAPPER, type, name, __VA_ARGS__)
#include "wrappers/getrandom/getrandom_calls.def"
