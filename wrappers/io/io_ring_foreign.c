/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_agent.h"
#include "session/properties.h"

/* Generation of the process + 1: there is a ring that nothing tells of yet. 0: none. */
static _Atomic uint64_t untold;

static bool is_ring(int fd)
{
    static const char ring[] = "anon_inode:[io_uring]";
    char link[32], target[sizeof ring];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const long n = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target);
    return n == (long)sizeof ring - 1 && memcmp(target, ring, sizeof ring - 1) == 0;
}

/* The guard is up. */
static void say(void)
{
    if (!spur_process_property(SPUR_PROPERTY_RINGS, "not recorded"))
        return;
    atomic_store_explicit(&untold, 0, memory_order_relaxed);
}

static void look_here(int fd)
{
    const int saved = errno;
    if (is_ring(fd)) {
        atomic_store_explicit(&untold, (uint64_t)spur_generation() + 1, memory_order_relaxed);
        say();
    }
    errno = saved;
}
static void look(int fd);
SPUR_DOOR_VOID(look, (int, fd))

void io_ring_mapped(int fd)
{
    if (spur_inside() || !spur_may_record())
        return;
    spur_inside_begin();
    look(fd);
    spur_inside_end();
}

void io_ring_say_late(void)
{
    const uint64_t whose = atomic_load_explicit(&untold, memory_order_relaxed);
    if (__builtin_expect(whose && whose == (uint64_t)spur_generation() + 1, 0))
        say();
}
