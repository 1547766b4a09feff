/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/left_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/segment/buffer.h"
#include "agent/spur_agent.h"
#include "agent/state/identity.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/own_stack.h"

static uint32_t first_user;
static bool is_told; /* of this process */

static uint32_t user_now(void)
{
    return (uint32_t)syscall(SYS_geteuid);
}

void spur_left_out_start(void)
{
    first_user = user_now();
    is_told = spur_settings.left_out != NULL;
}

/*
 * Only what forbids it counts. A program that is executed loses the capabilities of who was root
 * before, as the call does without the flag; a child keeps them.
 */
static bool may_write(int flags);

static bool may_write_here(int flags)
{
    const struct spur_process *p = &spur_process;
    const char *dir = p->archive ? p->place : spur_settings.dir;
    char path[SPUR_PATH_BYTES + sizeof "/.spur"];
    if (!dir || user_now() == first_user)
        return true;
    snprintf(path, sizeof path, "%.*s/.spur", SPUR_PATH_BYTES - 1, dir);
    long failed = flags ? syscall(SYS_faccessat2, AT_FDCWD, path, W_OK | X_OK, flags) : -1;
    if (failed && (!flags || errno == ENOSYS))
        failed = syscall(SYS_faccessat, AT_FDCWD, path, W_OK | X_OK);
    return !failed || (errno != EACCES && errno != EPERM);
}
SPUR_DOOR(bool, may_write, (int, flags))

static void count(struct spur_segment *segment, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (atomic_fetch_add_explicit(&segment->left_out, 1, memory_order_relaxed) != 0)
        return;
    segment->left_out_user = user_now();
    segment->left_out_pid = (uint32_t)syscall(SYS_getpid);
    snprintf(segment->left_out_name, sizeof segment->left_out_name, "%s", slash ? slash + 1 : path);
}

/* The segment is that of the nearest process that is recorded: children have it mapped as well. */
static struct spur_segment *segment_for(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    return segment && spur_state_now() != SPUR_OFF ? segment : NULL;
}

_Atomic uint32_t *spur_left_out_program(const char *path)
{
    struct spur_segment *segment = path ? segment_for() : NULL;
    if (!segment || is_told || may_write(0))
        return NULL;
    count(segment, path);
    return &segment->left_out;
}

void spur_left_out_child(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (!segment || is_told || may_write(AT_EACCESS))
        return;
    count(segment, spur_session_program());
    is_told = true;
}

bool spur_left_out_failed(int err)
{
    const struct spur_process *p = &spur_process;
    struct stat info;
    bool is_other =
        (err == -EACCES || err == -EPERM) && lstat(p->dir, &info) == 0 && info.st_uid != user_now();
    if (is_told || !is_other)
        return is_told;
    is_told = true;
    spur_off("pid %d (%s) and what it starts are not recorded: user %u may not write to %s; to "
             "record it, run 'spur -o ANOTHER_DIR' as this user",
             p->pid, spur_session_program(), user_now(), p->dir);
    return true;
}

bool spur_left_out_is_told(void)
{
    return is_told || (segment_for() && !may_write(0));
}
