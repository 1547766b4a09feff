/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that says on standard output what it is and where: "function file:line". */
#ifndef SAID_H
#define SAID_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AT(name, ...) (said(#name, __FILE__, __LINE__), name(__VA_ARGS__))

static inline void said(const char *name, const char *path, int line)
{
    char text[256];
    const char *slash = strrchr(path, '/');
    int n = snprintf(text, sizeof text, "%s %s:%d\n", name, slash ? slash + 1 : path, line);
    if (write(STDOUT_FILENO, text, (size_t)n) != n)
        _exit(1);
}

#endif
