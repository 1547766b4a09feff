/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/stream_fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/say.h"

/*
 * The C library forgets why an earlier write failed, and drops what it had to write. What is wrong
 * with the file is mostly still so: one more byte tells.
 */
static const char *earlier_reason(FILE *file)
{
    clearerr(file);
    bool is_well = fputc('\n', file) != EOF && !fflush(file);
    return is_well ? "a part could not be written" : strerror(errno);
}

const char *stream_fault(FILE *file)
{
    const bool has_failed = ferror(file);
    if (fflush(file))
        return strerror(errno);
    return has_failed ? earlier_reason(file) : NULL;
}

const char *stream_end(FILE *file)
{
    const char *why = stream_fault(file);
    return fclose(file) && !why ? strerror(errno) : why;
}

/* Some file systems tell only whoever closes the file that its disk is full. */
static const char *close_fault(void)
{
    int fd = dup(STDOUT_FILENO);
    return fd >= 0 && close(fd) ? strerror(errno) : NULL;
}

static void end_output(void)
{
    if (__fbufsize(stdout) == 0)
        return; /* nothing was ever printed */
    const char *why = stream_fault(stdout);
    why = why ? why : close_fault();
    if (!why || fail_has_begun())
        return;
    say("standard output: %s", why);
    if (fail_others)
        fail_others(fail_status);
    _exit(fail_status);
}

void stream_watch_output(void)
{
    static bool is_watched;
    if (!is_watched)
        is_watched = atexit(end_output) == 0;
}
