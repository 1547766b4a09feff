/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/process/death.h"
#include "agent/record/event_files.h"
#include "agent/segment/budget.h"
#include "agent/segment/buffer.h"
#include "agent/segment/disk.h"
#include "agent/segment/gathered.h"
#include "agent/segment/lock_cells.h"
#include "agent/segment/look.h"
#include "agent/segment/moved.h"
#include "agent/segment/stop.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/place.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/file_signal.h"
#include "base/procfs.h"
#include "finish/finish.h"
#include "session/local_place.h"
#include "session/stamp.h"

/*
 * Sizes of chunks. Few enough for a slot, and small: a single chunk is written in line. Chunks are
 * mapped, on hosts of a session that may differ: the sizes are whole pages of the largest page
 * size.
 */
enum {
    CHUNKS_A_BUFFER = SPUR_SLOT_CHUNKS,
    CHUNK_MIN = 256 << 10,
    CHUNK_MAX = 16 << 20,
    PAGE_MAX = 64 << 10
};

static void describe(struct spur_segment *segment)
{
    struct spur_process *p = &spur_process;
    struct utsname host;
    struct spur_procfs_stat stat = {.ppid = (int)getppid()};
    if (uname(&host) == 0)
        snprintf(segment->host, sizeof segment->host, "%.*s", (int)sizeof segment->host - 1,
                 host.nodename);
    spur_procfs_boot_id(segment->boot_id);
    spur_procfs_stat(p->pid, &stat);
    segment->ppid = (uint32_t)stat.ppid;
    segment->pid_space = spur_procfs_pid_space();
    segment->kernel_start = stat.start;
    memcpy(segment->parent, p->parent, sizeof segment->parent);
    segment->rank = -1;
    segment->finalized = spur_is_attached(); /* the attaching command knows which ranks exist */
    segment->clock = p->clock;
    segment->clock_id = spur_clock_id();
    segment->flush = spur_settings.flush;
    segment->container = spur_settings.container;
    segment->first = p->start;
    segment->identity = spur_segment_identity(segment, (uint32_t)p->pid);
    segment->last = spur_clock_moment(); /* the rate of the clock follows from `first` and `last` */
    const struct spur_clock_pair start = {p->start.ticks, p->start.monotonic};
    spur_clock_watch_add(&segment->watch, start, 0);
    /* Last: a pid without its namespace would be looked for in the namespace of any reader. */
    atomic_thread_fence(memory_order_release);
    segment->pid = (uint32_t)p->pid;
}

static uint64_t chunk_bytes(void)
{
    uint64_t bytes = spur_settings.buffer / CHUNKS_A_BUFFER;
    bytes -= bytes % PAGE_MAX;
    return bytes < CHUNK_MIN ? CHUNK_MIN : bytes > CHUNK_MAX ? CHUNK_MAX : bytes;
}

/*
 * Space for finishing the session on a disk that has become full: for a chunk being copied and the
 * definitions. One file for all processes. Recording works without the reserve.
 */
static void make_reserve(void)
{
    enum { DEFINITION_BYTES = 512 << 10 };
    char path[SPUR_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/.spur/" SPUR_RESERVE_FILE, spur_process.place);
    int fd = spur_beneath_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return;
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    if (posix_fallocate(fd, 0, (off_t)(DEFINITION_BYTES + chunk_bytes())) != 0)
        spur_beneath_unlink(path);
    spur_file_signal_release(&hold);
    close(fd);
}

int spur_process_files_open(void)
{
    struct spur_process *p = &spur_process;
    char dir[sizeof p->dir + sizeof p->name + SPUR_NAME_BYTES];
    const char *complaint;
    int err =
        spur_place_open(&spur_settings, p->start.realtime, p->dir, p->place, p->name, &complaint);
    if (err)
        return err;
    if (complaint)
        spur_complain(complaint);
    snprintf(dir, sizeof dir, "%.*s/.spur/%.*s", SPUR_PATH_BYTES - 1, p->place, SPUR_NAME_BYTES - 1,
             p->name);
    err = spur_buffer_open(dir, chunk_bytes());
    if (err)
        return err;
    spur_moved_watch();
    spur_gathered_open(dir);
    spur_lock_cells_open(dir);
    describe(spur_buffer_segment());
    spur_usage_begin(p->generation > 0);
    spur_death_announce(p->place, p->name);
    spur_disk_open(!spur_settings.limit.is_given);
    err = spur_budget_open(p->place, spur_settings.limit);
    if (err)
        return err;
    err = spur_defs_open(dir);
    if (err)
        return err;
    errno = 0; /* the library's code tells less */
    p->archive = spur_event_files_open(dir, chunk_bytes(), spur_settings.buffer);
    int failed = errno;
    if (p->archive) {
        make_reserve();
        spur_session_tell_launcher(&spur_settings);
    }
    return p->archive ? 0 : failed ? -failed : -EIO;
}

/* Perhaps this process was the last process there. */
static void leave_place(void)
{
    const struct spur_process *p = &spur_process;
    char path[SPUR_PATH_BYTES + 32];
    (void)spur_finish_gather(p->dir, p->place, NULL);
    snprintf(path, sizeof path, "%.*s/.spur/" SPUR_HOSTS_FOLDER, SPUR_PATH_BYTES - 1, p->dir);
    (void)spur_beneath_rmdir(path);
}

static int abandon(void *unused)
{
    static const char *const made[] = {"/traces", "/segment", "/journal", ""};
    struct spur_process *p = &spur_process;
    char path[sizeof p->dir + sizeof p->name + SPUR_NAME_BYTES];
    (void)unused;
    spur_death_withdraw(p->place);
    for (size_t i = 0; p->name[0] && i < sizeof made / sizeof made[0]; i++) {
        snprintf(path, sizeof path, "%.*s/.spur/%.*s%s", SPUR_PATH_BYTES - 1, p->place,
                 SPUR_NAME_BYTES - 1, p->name, made[i]);
        if (spur_beneath_unlink(path) < 0)
            spur_beneath_rmdir(path);
    }
    snprintf(path, sizeof path, "%.*s/.spur/" SPUR_PIDS_FOLDER, SPUR_PATH_BYTES - 1, p->place);
    if (p->name[0])
        spur_beneath_rmdir(path);
    if (p->name[0] && spur_place_is_local())
        leave_place();
    snprintf(path, sizeof path, "%.*s/.spur", SPUR_PATH_BYTES - 1, p->dir);
    if (p->name[0])
        (void)spur_beneath_rmdir(path);
    if (p->name[0] && spur_session_has_made_dir())
        rmdir(p->dir); /* unless the directory has contents */
    return 0;
}

void spur_process_files_abandon(void)
{
    (void)spur_apart(abandon, NULL);
}
