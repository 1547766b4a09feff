/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/death.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/process/process.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/place.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/own_stack.h"
#include "base/procfs.h"
#include "session/segment.h"
#include "session/stamp.h"

enum { KEY_BYTES = 128, HOST_BYTES = 64, LINK_BYTES = SPUR_NAME_BYTES + 16 };

/* "HOST.PIDSPACE.PID", in DIR/.spur/pids. */
static void key_of(int pid, char *key)
{
    struct utsname host;
    if (uname(&host) < 0)
        strcpy(host.nodename, "localhost");
    for (char *at = host.nodename; *at; at++)
        if (*at == '/')
            *at = '_';
    snprintf(key, KEY_BYTES, "%.*s.%llu.%d", HOST_BYTES, host.nodename,
             (unsigned long long)spur_procfs_pid_space(), pid);
}

/* DIR/.spur/pids, as a descriptor for names in it. */
static int open_pids(const char *dir, bool is_made)
{
    char path[SPUR_PATH_BYTES + sizeof "/.spur/" SPUR_PIDS_FOLDER];
    snprintf(path, sizeof path, "%s/.spur/" SPUR_PIDS_FOLDER, dir);
    int pids = spur_beneath_open(path, O_PATH | O_DIRECTORY, 0);
    if (pids == -ENOENT && is_made) {
        (void)spur_beneath_mkdir(path, 0700);
        pids = spur_beneath_open(path, O_PATH | O_DIRECTORY, 0);
    }
    return pids;
}

/* False: there is something of that name already. */
static bool add_link(int pids, const char *name, const char *key)
{
    char from[SPUR_NAME_BYTES + sizeof "..//segment"], text[LINK_BYTES];
    snprintf(from, sizeof from, "../%.*s/segment", SPUR_NAME_BYTES - 1, name);
    if (syscall(SYS_linkat, pids, from, pids, key, 0) == 0)
        return true;
    if (errno == EEXIST)
        return false;
    snprintf(text, sizeof text, "%d/%s", (int)getppid(), name);
    return syscall(SYS_symlinkat, text, pids, key) == 0;
}

void spur_death_announce(const char *dir, const char *name)
{
    char key[KEY_BYTES];
    int saved = errno;
    int pids = open_pids(dir, true);
    if (pids >= 0) {
        key_of((int)getpid(), key);
        if (!add_link(pids, name, key)) {
            /* An earlier image of this process, or another one that nobody waited for. */
            syscall(SYS_unlinkat, pids, key, 0);
            add_link(pids, name, key);
        }
        syscall(SYS_close, pids);
    }
    errno = saved;
}

void spur_death_withdraw(const char *dir)
{
    char key[KEY_BYTES];
    int saved = errno;
    int pids = open_pids(dir, false);
    if (pids >= 0) {
        key_of((int)getpid(), key);
        syscall(SYS_unlinkat, pids, key, 0);
        syscall(SYS_close, pids);
    }
    errno = saved;
}

/* ---- who waits ---- */

static void leave_note(const char *dir, const char *name, int status)
{
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32], text[SPUR_DEATH_BYTES];
    struct spur_stamp now = spur_stamp_now();
    snprintf(path, sizeof path, "%s/.spur/%.*s/" SPUR_DEATH_FILE, dir, SPUR_NAME_BYTES - 1, name);
    int length =
        snprintf(text, sizeof text, "%d %llu %llu %llu\n", status, (unsigned long long)now.realtime,
                 (unsigned long long)now.monotonic, (unsigned long long)now.tsc);
    int fd = spur_beneath_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, text, (size_t)length);
        syscall(SYS_close, fd);
    }
}

/* The directory of who has made the link, and who is his parent; false: it tells nothing. */
static bool read_segment(int pids, const char *key, int pid, int *parent, char *name)
{
    struct {
        uint32_t ppid;
        uint64_t start;
    } of;
    int fd = (int)syscall(SYS_openat, pids, key, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_read = syscall(SYS_pread64, fd, &of.ppid, sizeof of.ppid,
                           (long)offsetof(struct spur_segment, ppid)) == sizeof of.ppid &&
                   syscall(SYS_pread64, fd, &of.start, sizeof of.start,
                           (long)offsetof(struct spur_segment, first.realtime)) == sizeof of.start;
    syscall(SYS_close, fd);
    if (is_read) {
        *parent = (int)of.ppid;
        spur_session_name(name, pid, of.start);
    }
    return is_read;
}

static bool read_link(int pids, const char *key, int *parent, char *name)
{
    char text[LINK_BYTES], *at;
    long n = syscall(SYS_readlinkat, pids, key, text, sizeof text - 1);
    if (n <= 0)
        return false;
    text[n] = '\0';
    *parent = (int)strtol(text, &at, 10);
    if (*at++ != '/' || !*at || strchr(at, '/') || at[0] == '.')
        return false;
    snprintf(name, SPUR_NAME_BYTES, "%.*s", SPUR_NAME_BYTES - 1, at);
    return true;
}

/* A link that this process's child has made itself, and not an earlier process of that number. */
static void look_for(const char *dir, int pids, int pid, int status)
{
    char key[KEY_BYTES], name[SPUR_NAME_BYTES];
    int parent = 0;
    key_of(pid, key);
    if ((!read_segment(pids, key, pid, &parent, name) && !read_link(pids, key, &parent, name)) ||
        parent != (int)getpid())
        return;
    leave_note(dir, name, status);
    syscall(SYS_unlinkat, pids, key, 0);
}

struct ended {
    const char *dir;
    int pid, status;
};

static int note_apart(void *data)
{
    const struct ended *ended = data;
    int pids = open_pids(ended->dir, false);
    if (pids < 0)
        return pids;
    look_for(ended->dir, pids, ended->pid, ended->status);
    syscall(SYS_close, pids);
    return 0;
}

static void spur_child_ended_here(int pid, int status)
{
    const struct spur_process *p = &spur_process;
    if (spur_state_now() == SPUR_UNBORN || spur_process_is_sealed() ||
        (!WIFEXITED(status) && !WIFSIGNALED(status)))
        return;
    char room[SPUR_PATH_BYTES];
    int saved = errno;
    struct ended ended = {spur_settings.dir || p->archive ? spur_place_here(room) : NULL, pid,
                          status};
    if (ended.dir)
        (void)spur_apart(note_apart, &ended);
    errno = saved;
}
SPUR_DOOR_VOID(spur_child_ended, (int, pid), (int, status))
