/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/raw_file.h"

struct reading {
    const char *path;
    char *text;
    size_t size, at;
};

static int read_apart(void *data)
{
    struct reading *r = data;
    long fd = syscall(SYS_openat, AT_FDCWD, r->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    while (r->at < r->size - 1) {
        long n = syscall(SYS_read, fd, r->text + r->at, r->size - 1 - r->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        r->at += (size_t)n;
    }
    syscall(SYS_close, fd);
    r->text[r->at] = '\0';
    return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written by the errand */
long spur_procfs_read(const char *path, char *text, size_t size)
{
    struct reading reading = {.path = path, .text = text, .size = size};
    return spur_apart(read_apart, &reading) < 0 ? -1 : (long)reading.at;
}

/*
 * The fields read here are the same for a process and its main thread. The thread's entry is read,
 * since qemu-user shows a process another start in the process's own entry than other processes
 * see.
 */
bool spur_procfs_stat(int pid, struct spur_procfs_stat *stat)
{
    enum { FIELD_PPID = 4, FIELD_FLAGS = 9, FIELD_START = 22, PF_KTHREAD = 0x00200000 };
    char path[48];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, pid);
    if (spur_procfs_read(path, text, sizeof text) <= 0)
        return false;
    /* "pid (name) state ppid ...": the name may hold anything, so look for the last ')'. */
    char *open = strchr(text, '(');
    char *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return false;
    *close = '\0';
    snprintf(stat->name, sizeof stat->name, "%s", open + 1);
    char *p = close + 1;
    stat->state = *p;
    if (*p == ' ')
        stat->state = p[1];
    for (int field = 2; field < FIELD_START; field++) {
        p = strchr(p, ' ');
        if (!p)
            return false;
        p++;
        if (field + 1 == FIELD_PPID)
            stat->ppid = (int)strtol(p, NULL, 10);
        if (field + 1 == FIELD_FLAGS)
            stat->is_of_kernel = strtoul(p, NULL, 10) & PF_KTHREAD;
    }
    stat->start = strtoull(p, NULL, 10);
    return true;
}

bool spur_procfs_boot_id(char text[SPUR_BOOT_ID_BYTES])
{
    enum { UNKNOWN, TAKEN, KNOWN };
    static _Atomic int state;
    static char known[SPUR_BOOT_ID_BYTES];
    int is_free = UNKNOWN;
    text[0] = '\0';
    if (atomic_load_explicit(&state, memory_order_acquire) == KNOWN) {
        memcpy(text, known, sizeof known);
        return true;
    }
    if (spur_procfs_read("/proc/sys/kernel/random/boot_id", text, SPUR_BOOT_ID_BYTES) <= 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    if (atomic_compare_exchange_strong(&state, &is_free, TAKEN)) {
        memcpy(known, text, sizeof known);
        atomic_store_explicit(&state, KNOWN, memory_order_release);
    }
    return true;
}

/* Does /proc show the pids of getpid() and kill()? */
static bool is_of_our_pids(void)
{
    char text[16];
    ssize_t n = readlink("/proc/self", text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10) == syscall(SYS_getpid);
}

/*
 * The shift of process starts by a time namespace, in clock ticks, for processes that are read in
 * the namespace.
 */
static int64_t start_shift(const char *path)
{
    static const char name[] = "boottime";
    const long long second = 1000000000, tick = second / sysconf(_SC_CLK_TCK);
    char text[128] = "";
    (void)spur_procfs_read(path, text, sizeof text); /* missing: no time namespaces */
    char *at = strstr(text, name);
    long long seconds = at ? strtoll(at + strlen(name), &at, 10) : 0;
    long long ns = at ? strtoll(at, NULL, 10) : 0;
    return (int64_t)(seconds * (second / tick) + ns / tick);
}

/*
 * Compares two readings of a process's start. The process has read `start` itself, this process has
 * read `here`; both processes may be in time namespaces.
 */
static bool is_start(int pid, uint64_t here, uint64_t start)
{
    char path[48];
    if (here == start)
        return true;
    snprintf(path, sizeof path, "/proc/%d/timens_offsets", pid);
    int64_t shift = start_shift(path) - start_shift("/proc/self/timens_offsets");
    int64_t apart = (int64_t)(start - here) - shift; /* both are rounded */
    return shift && apart >= -1 && apart <= 1;
}

bool spur_procfs_runs(int pid, uint64_t start)
{
    struct spur_procfs_stat stat;
    if (spur_procfs_stat(pid, &stat) && !stat.is_of_kernel &&
        (!start || is_start(pid, stat.start, start)))
        return stat.state != 'Z' && stat.state != 'X';
    return !is_of_our_pids() && (syscall(SYS_kill, pid, 0) == 0 || errno == EPERM);
}

static _Atomic uint64_t pid_space;

void spur_procfs_after_fork(void)
{
    atomic_store_explicit(&pid_space, 0, memory_order_relaxed);
}

static uint64_t space_at(const char *link)
{
    char text[64];
    ssize_t n = readlink(link, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    const char *number = strchr(text, '['); /* "pid:[4026531836]" */
    return number ? strtoull(number + 1, NULL, 10) : 0;
}

uint64_t spur_procfs_pid_space(void)
{
    uint64_t known = atomic_load_explicit(&pid_space, memory_order_relaxed);
    if (known)
        return known;
    known = space_at("/proc/self/ns/pid");
    atomic_store_explicit(&pid_space, known, memory_order_relaxed);
    return known;
}

/* ---- processes of other namespaces ---- */

enum { STATUS_BYTES = 2048 };
static const uint64_t first_pid_space = 0xeffffffc; /* the kernel's PROC_PID_INIT_INO */

struct sought {
    uint64_t pid_space;
    long pid;
};

/*
 * The pid in the namespace of the process itself; 0: this process's namespace. "NSpid: 4711 15 1"
 */
static long innermost_pid(const char *status)
{
    const char *line = strstr(status, "\nNSpid:");
    size_t length = line ? strcspn(line + 1, "\n") + 1 : 0;
    const char *last = line ? memrchr(line, '\t', length) : NULL;
    bool has_several = last && memchr(line, '\t', (size_t)(last - line));
    return has_several ? strtol(last + 1, NULL, 10) : 0;
}

/* Does the process of an entry run, with this pid in its own namespace? */
static bool runs_with_pid(const char *name, long pid)
{
    char path[64], status[STATUS_BYTES];
    snprintf(path, sizeof path, "/proc/%.20s/status", name);
    return spur_procfs_read(path, status, sizeof status) > 0 && innermost_pid(status) == pid &&
           !strstr(status, "\nState:\tZ") && !strstr(status, "\nState:\tX");
}

/*
 * Not 0: the process of the entry may be the wanted process. Without a namespace the process has
 * just ended, or must not be looked at.
 */
static int look_at(void *data, const char *name)
{
    const struct sought *sought = data;
    char path[64];
    if (name[strspn(name, "0123456789")] || !runs_with_pid(name, sought->pid))
        return 0;
    snprintf(path, sizeof path, "/proc/%.20s/ns/pid", name);
    uint64_t space = space_at(path);
    return space ? space == sought->pid_space : runs_with_pid(name, sought->pid);
}

bool spur_procfs_has_ended(uint64_t pid_space_of, int pid)
{
    struct sought sought = {pid_space_of, pid};
    char first[STATUS_BYTES];
    return pid_space_of && spur_procfs_pid_space() == first_pid_space && is_of_our_pids() &&
           spur_procfs_read("/proc/1/status", first, sizeof first) > 0 &&
           spur_file_list("/proc", look_at, &sought) == 0;
}

/* ---- mappings ---- */

static uint64_t take_hex(char **at)
{
    return strtoull(*at, at, 16);
}

/* "start-end rwxp offset major:minor inode   path" */
static bool read_mapping(char *line, struct spur_procfs_mapping *mapping)
{
    char *at = line;
    mapping->start = take_hex(&at);
    if (*at++ != '-')
        return false;
    mapping->end = take_hex(&at);
    enum { PERMISSIONS = 5 }; /* with the blank before the permissions */
    if (strnlen(at, PERMISSIONS) < PERMISSIONS)
        return false;
    mapping->is_readable = at[1] == 'r';
    mapping->is_executable = at[3] == 'x';
    at += PERMISSIONS;
    mapping->offset = take_hex(&at);
    take_hex(&at);
    if (*at++ != ':')
        return false;
    take_hex(&at);
    mapping->inode = strtoull(at, &at, 10);
    mapping->path = at + strspn(at, " ");
    return true;
}

/*
 * Complete lines only; returns the beginning of the incomplete line, NULL once `each` wants no
 * more.
 */
static char *each_line(char *text, void *data,
                       bool (*each)(void *data, const struct spur_procfs_mapping *mapping))
{
    struct spur_procfs_mapping mapping;
    char *end;
    for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        *end = '\0';
        if (read_mapping(text, &mapping) && !each(data, &mapping))
            return NULL;
    }
    return text;
}

struct listing {
    char *room;
    size_t size;
    void *data;
    bool (*each)(void *data, const struct spur_procfs_mapping *mapping);
};

static long open_maps(const char *path)
{
    return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

/* False: the file is empty. */
static bool list_file(const struct listing *l, long fd)
{
    char *room = l->room;
    size_t kept = 0;
    bool has_lines = false;
    for (;;) {
        long n = syscall(SYS_read, fd, room + kept, l->size - 1 - kept);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        has_lines = true;
        room[kept + (size_t)n] = '\0';
        const char *rest = each_line(room, l->data, l->each);
        if (!rest)
            break;
        kept = strlen(rest);
        memmove(room, rest, kept + 1);
        if (kept == l->size - 1)
            kept = 0; /* a line of this length is of no use */
    }
    syscall(SYS_close, fd);
    return has_lines;
}

/*
 * Lists the mappings. The list of the process is empty once the main thread has ended; the list of
 * the thread is not. The thread's list comes second: under qemu-user the thread's list would be the
 * list of qemu.
 */
static int list_apart(void *data)
{
    const struct listing *l = data;
    long fd = open_maps("/proc/self/maps");
    if (fd >= 0 && list_file(l, fd))
        return 0;
    fd = open_maps("/proc/thread-self/maps");
    if (fd < 0)
        return -errno;
    (void)list_file(l, fd);
    return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written by the errand */
bool spur_procfs_each_mapping(char *room, size_t size, void *data,
                              bool (*each)(void *data, const struct spur_procfs_mapping *mapping))
{
    struct listing listing = {room, size, data, each};
    return spur_apart(list_apart, &listing) == 0;
}

struct search {
    int pid;
    const char *end;
    bool is_found;
};

static bool ends_so(void *data, const struct spur_procfs_mapping *mapping)
{
    struct search *search = data;
    const size_t length = strlen(mapping->path), bytes = strlen(search->end);
    search->is_found = length >= bytes && strcmp(mapping->path + length - bytes, search->end) == 0;
    return !search->is_found;
}

static int search_apart(void *data)
{
    enum { LINE_ROOM = 16 << 10 };
    char path[32], room[LINE_ROOM];
    struct search *search = data;
    const struct listing listing = {room, sizeof room, search, ends_so};
    snprintf(path, sizeof path, "/proc/%d/maps", search->pid);
    long fd = open_maps(path);
    return fd >= 0 && list_file(&listing, fd) ? search->is_found : -1;
}

int spur_procfs_has_mapped(int pid, const char *end)
{
    struct search search = {pid, end, false};
    return spur_apart(search_apart, &search);
}
