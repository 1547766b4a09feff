/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/buffer.h"
#include "agent/clock.h"
#include "agent/process.h"

/* One process of the session speaks for all: the one that makes this file. */
static bool is_first(void)
{
    char path[SPUR_PATH_BYTES + 32];
    int saved = errno;
    snprintf(path, sizeof path, "%s/.spur/stopped", spur_process.dir);
    long fd = syscall(SYS_openat, AT_FDCWD, path,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool is_made = fd >= 0;
    if (is_made)
        syscall(SYS_close, fd);
    bool is_there = !is_made && errno == EEXIST;
    errno = saved;
    return !is_there;
}

const char *spur_stop_remedy(int error)
{
    switch (error) {
    case ENOSPC:
        return "free some space or give another directory with -o; SPUR_FLUSH=ring keeps the "
               "newest events in little space";
    case EDQUOT:
        return "the quota is used up: free some space or give another directory with -o";
    case EFBIG:
        return "raise the limit on the size of files (ulimit -f), or bound what is kept with "
               "SPUR_FLUSH=ring";
    case ENOMEM:
        return "raise the limit on memory (ulimit -v), or lower SPUR_BUFFER";
    default:
        return "give a directory that can be written with -o";
    }
}

static void say(enum spur_stop why, int error, const char *detail)
{
    const struct spur_config *config = &spur_process.config;
    switch (why) {
    case SPUR_STOP_BUFFER:
        spur_off("recording stopped: a thread has filled its SPUR_BUFFER of %zu bytes, and "
                 "SPUR_FLUSH=stop; make it larger, or choose write or ring",
                 config->buffer);
        break;
    case SPUR_STOP_LIMIT:
        spur_off("recording stopped: a process has recorded the %zu bytes that SPUR_LIMIT allows",
                 config->limit.process);
        break;
    case SPUR_STOP_LIMIT_ALL:
        spur_off("recording stopped: all processes together have recorded the %zu bytes that "
                 "SPUR_LIMIT allows",
                 config->limit.all);
        break;
    case SPUR_STOP_NOT:
    case SPUR_STOPS:
    case SPUR_STOP_DISK:
        spur_off("recording stopped: events cannot be written to %s: %s; %s", spur_process.dir,
                 error ? strerrordesc_np(error) : detail, spur_stop_remedy(error));
    }
}

void spur_stop(enum spur_stop why, int error, const char *detail)
{
    struct spur_segment *segment = spur_buffer_segment();
    uint32_t none = SPUR_STOP_NOT;
    if (!segment || !__atomic_compare_exchange_n(&segment->stopped, &none, (uint32_t)why, false,
                                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return;
    segment->stopped_at = spur_clock_now();
    segment->stop_error = (uint32_t)error;
    if (is_first())
        say(why, error, detail);
    else
        spur_off_silently();
}

void spur_stop_failed(OTF2_ErrorCode error)
{
    int no_chunk = spur_buffer_error();
    int err = 0;
    if (error == OTF2_ERROR_MEM_ALLOC_FAILED || error == OTF2_ERROR_MEM_FAULT)
        err = no_chunk ? -no_chunk : ENOMEM;
    else if (error == OTF2_ERROR_ENOSPC)
        err = ENOSPC;
    else if (error == OTF2_ERROR_EDQUOT)
        err = EDQUOT;
    else if (error == OTF2_ERROR_EFBIG)
        err = EFBIG;
    spur_stop(SPUR_STOP_DISK, err, OTF2_Error_GetDescription(error));
}
