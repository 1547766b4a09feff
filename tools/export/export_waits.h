/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits are those of spur report: its parts read the archive once more, on one worker. Memory
 * follows the messages and collective operations that are under way.
 */
#ifndef TOOLS_EXPORT_WAITS_H
#define TOOLS_EXPORT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct found_wait {
    uint64_t location; /* numbers as the archive has them */
    uint64_t process;
    uint64_t region; /* UINT64_MAX: it is in none */
    const char *why;
    uint64_t begin; /* ticks */
    uint64_t end;
};

struct waits_wish {
    const char *path;
    const bool *is_chosen; /* by location */
    double from;           /* seconds: a window */
    double to;
    void (*tell)(void *user, const struct found_wait *w);
    void *user;
};

void waits_find(const struct waits_wish *wish);

#endif
