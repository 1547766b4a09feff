/* SPDX-License-Identifier: BSD-3-Clause */
/* The monotonic clock for patience, in ms. */
#ifndef SPUR_NOW_H
#define SPUR_NOW_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* By a system call: what the C library reads may be forbidden to the program (PR_SET_TSC). */
static inline uint64_t spur_now_ms(void)
{
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif
