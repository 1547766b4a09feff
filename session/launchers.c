/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/launchers.h"

#include <stddef.h>
#include <string.h>

/* They make thread calls of their own: not the user's. */
static const char *const launchers[] = {
#define LAUNCHER(name, role) name,
#include "session/launchers.def"
#undef LAUNCHER
};

bool spur_session_is_launcher_name(const char *name)
{
    /* /proc/PID/stat cuts names at 15 bytes. */
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (strcmp(name, launchers[i]) == 0 ||
            (strlen(name) == 15 && strncmp(name, launchers[i], 15) == 0))
            return true;
    return false;
}
