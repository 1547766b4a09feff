/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/segment/buffer.h"
#include "agent/segment/moved.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/place.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/beneath.h"
#include "base/file_map.h"
#include "base/own_stack.h"
#include "base/said_to.h"
#include "session/journal.h"

/* One process of the session speaks for all: the one that makes this file. */
static bool is_first(void)
{
    char path[SPUR_PATH_BYTES + 32];
    int saved = errno;
    snprintf(path, sizeof path, "%s/.spur/stopped", spur_process.place);
    bool is_there = spur_file_mark(path) == -EEXIST;
    errno = saved;
    return !is_there;
}

/* What to do, with the option that chooses the place: another one for a place on the host. */
#define CHOOSE(before, behind)                                                                     \
    {                                                                                              \
        before "-o" behind, before "--local" behind                                                \
    }
#define DO(text)                                                                                   \
    {                                                                                              \
        text, text                                                                                 \
    }

const char *spur_stop_remedy(int error)
{
    static const struct {
        int error; /* 0: any other */
        const char *say[2];
    } remedies[] = {
        {ENOSPC, CHOOSE("free some space or give another directory with ",
                        "; SPUR_FLUSH=ring keeps the newest events in little space")},
        {EDQUOT,
         CHOOSE("the quota is used up: free some space or give another directory with ", "")},
        {EFBIG, DO("raise the limit on the size of files (ulimit -f), or bound what is kept with "
                   "SPUR_FLUSH=ring")},
        {ENOMEM, DO("raise the limit on memory (ulimit -v), or lower SPUR_BUFFER")},
        {SPUR_FOREIGN, CHOOSE("give a directory of your own with ", "")},
        {ELOOP, CHOOSE("remove the link, or give another directory with ", "")},
        {0, CHOOSE("give a directory that can be written with ", "")},
    };
    size_t i = 0;
    while (remedies[i].error && remedies[i].error != error)
        i++;
    return remedies[i].say[spur_place_is_local()];
}

static void say(enum spur_stop why, int error, const char *detail)
{
    const struct spur_config *config = &spur_settings;
    char dir[SPUR_PATH_BYTES];
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
    case SPUR_STOP_SHARE:
        spur_off("recording stopped: the disk of %s is nearly full, and spur leaves a share of it "
                 "free; SPUR_LIMIT=0 uses all of it, SPUR_FLUSH=ring keeps the newest events in "
                 "little space",
                 spur_process.place);
        break;
    case SPUR_STOP_DEFINITIONS:
        spur_off("recording stopped: a process has %d definitions of the kind %s, as many as an "
                 "archive can have of one; leave some out (SPUR_FILTER, SPUR_IO_PATHS)",
                 SPUR_IDS_MAX, detail);
        break;
    case SPUR_STOP_NOT:
    case SPUR_STOPS:
    case SPUR_STOP_DISK:
        if (spur_moved_to(dir) == SPUR_REMOVED) {
            spur_off_silently();
            spur_moved_say_removed();
            break;
        }
        spur_off("recording stopped: events cannot be written to %s: %s; %s", spur_process.place,
                 error ? spur_beneath_reason(error) : detail, spur_stop_remedy(error));
    }
}

static void spur_stop_here(enum spur_stop why, int error, const char *detail)
{
    struct spur_segment *segment = spur_buffer_segment();
    uint32_t none = SPUR_STOP_NOT;
    if (!segment || !__atomic_compare_exchange_n(&segment->stopped, &none, (uint32_t)why, false,
                                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return;
    segment->stopped_at = spur_clock_now();
    segment->stop_error = (uint32_t)error;
    if (spur_may_say() && is_first())
        say(why, error, detail);
    else
        spur_off_silently();
}
SPUR_DOOR_VOID(spur_stop, (enum spur_stop, why), (int, error), (const char *, detail))

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
