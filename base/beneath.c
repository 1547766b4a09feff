/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/beneath.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_words.h"

enum { PATH_BYTES = 4096 + 512, TRIES = 3 };

/* ---- the beginning of the session in a path ---- */

static bool begins_with(const char *part, size_t bytes, const char *word)
{
    size_t length = strlen(word);
    return bytes >= length && memcmp(part, word, length) == 0;
}

/*
 * For DIR/.spur/... and DIR/traces...: the length of "DIR/". DIR may contain such names itself, so
 * the last name counts; below .spur there is no such name. For any other path: the length of all
 * but the last name.
 */
static size_t inner_at(const char *path)
{
    size_t spur = SIZE_MAX, traces = SIZE_MAX, last = 0;
    for (size_t at = 0; path[at];) {
        size_t bytes = strcspn(path + at, "/");
        if (bytes == strlen(".spur") && begins_with(path + at, bytes, ".spur"))
            spur = at;
        if (begins_with(path + at, bytes, "traces") &&
            (bytes == strlen("traces") || path[at + strlen("traces")] == '.'))
            traces = at;
        last = bytes ? at : last;
        at += bytes + (path[at + bytes] == '/');
    }
    return spur != SIZE_MAX ? spur : traces != SIZE_MAX ? traces : last;
}

/* ---- opening ---- */

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    for (;;) {
        long fd = syscall(SYS_openat, folder, path, flags, mode);
        if (fd >= 0)
            return (int)fd;
        if (errno != EINTR)
            return -errno;
    }
}

static void close_it(int fd)
{
    syscall(SYS_close, fd);
}

/*
 * May openat2(2) be used? openat2(2) resolves a whole path in one call. A filter of system calls,
 * put upon the program from outside, may kill the process for the call: few programs make the call.
 */
static _Atomic int has_openat2; /* 0: unknown, 1, or -1: not used */

static bool may_ask(void)
{
    int known = atomic_load_explicit(&has_openat2, memory_order_relaxed);
    if (!known) {
        bool is_filtered =
            syscall(SYS_prctl, PR_GET_SECCOMP, 0L, 0L, 0L, 0L) == SECCOMP_MODE_FILTER;
        known = is_filtered ? -1 : 1;
        atomic_store_explicit(&has_openat2, known, memory_order_relaxed);
    }
    return known > 0;
}

/* -ENOSYS: openat2(2) is not available, walk the path. */
static int ask(int folder, const char *path, int flags, mode_t mode)
{
    const struct open_how how = {.flags = (unsigned)flags,
                                 .mode = flags & O_CREAT ? mode : 0,
                                 .resolve = RESOLVE_NO_SYMLINKS |
                                            (folder == AT_FDCWD ? 0u : RESOLVE_BENEATH)};
    if (!may_ask())
        return -ENOSYS;
    for (;;) {
        long fd = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (errno == ENOSYS)
            atomic_store_explicit(&has_openat2, -1, memory_order_relaxed);
        if (errno == EPERM) /* of the file system, or of a later filter */
            return -ENOSYS;
        if (errno != EINTR && errno != EAGAIN)
            return -errno;
    }
}

bool spur_beneath_is_name(const char *name)
{
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strchr(name, '/');
}

/* Opens a folder on the way. With O_PATH the kernel reports a link as no directory. */
static int step(int folder, const char *name)
{
    char target;
    int fd = open_at(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd == -ENOTDIR && syscall(SYS_readlinkat, folder, name, &target, sizeof target) >= 0)
        return -ELOOP;
    return fd;
}

/* Resolves a path like openat2(2), one component after another. */
static int walk(int folder, const char *inner, int flags, mode_t mode)
{
    char name[NAME_MAX + 1];
    int at = folder;
    for (;;) {
        inner += strspn(inner, "/");
        size_t bytes = strcspn(inner, "/");
        bool is_last = !inner[bytes + strspn(inner + bytes, "/")];
        int next = -ENAMETOOLONG;
        if (bytes < sizeof name) {
            memcpy(name, inner, bytes);
            name[bytes] = '\0';
            next = !spur_beneath_is_name(name) ? -EXDEV
                   : is_last                   ? open_at(at, name, flags, mode)
                                               : step(at, name);
        }
        if (at != folder)
            close_it(at);
        if (next < 0 || is_last)
            return next;
        at = next;
        inner += bytes;
    }
}

/* Opens the folder of the first `bytes` bytes of the path, ending in a slash. */
static int open_dir(const char *path, size_t bytes)
{
    char dir[PATH_BYTES];
    if (bytes >= sizeof dir)
        return -ENAMETOOLONG;
    memcpy(dir, path, bytes);
    dir[bytes] = '\0';
    return open_at(AT_FDCWD, bytes ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
}

/* Opens in two steps, for a DIR behind links, or if openat2(2) is not available. */
static int open_from_dir(const char *path, int flags, mode_t mode)
{
    size_t inner = inner_at(path);
    int dir = open_dir(path, inner);
    if (dir < 0)
        return dir;
    int fd = ask(dir, path + inner, flags, mode);
    if (fd == -ENOSYS)
        fd = walk(dir, path + inner, flags, mode);
    close_it(dir);
    return fd;
}

static int open_here(const char *path, int flags, mode_t mode)
{
    int fd = ask(AT_FDCWD, path, flags, mode);
    if (fd != -ELOOP && fd != -ENOSYS)
        return fd;
    /* Between two calls another thread may close a descriptor unknown to the thread. */
    fd = -EBADF;
    for (int i = 0; i < TRIES && fd == -EBADF; i++)
        fd = open_from_dir(path, flags, mode);
    return fd;
}

static _Atomic spur_beneath_elsewhere elsewhere;

void spur_beneath_ask(spur_beneath_elsewhere call)
{
    atomic_store(&elsewhere, call);
}

static int open_elsewhere(const char *path, int flags, mode_t mode)
{
    char there[PATH_BYTES];
    spur_beneath_elsewhere ask_for = atomic_load(&elsewhere);
    return ask_for && ask_for(path, there, sizeof there) ? open_here(there, flags, mode) : -ENOENT;
}

int spur_beneath_open(const char *path, int flags, mode_t mode)
{
    flags |= O_NOFOLLOW | O_CLOEXEC;
    int fd = open_here(path, flags, mode);
    return fd == -ENOENT ? open_elsewhere(path, flags, mode) : fd;
}

/* ---- names in a folder ---- */

/* Opens the folder of the path's last component; *name is the component. */
static int open_parent(const char *path, const char **name)
{
    char parent[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    size_t bytes = slash ? (size_t)(slash + 1 - path) : 0;
    *name = path + bytes;
    if (!spur_beneath_is_name(*name))
        return -EINVAL;
    if (bytes <= inner_at(path))
        return open_dir(path, bytes);
    if (bytes > sizeof parent)
        return -ENAMETOOLONG;
    memcpy(parent, path, bytes - 1);
    parent[bytes - 1] = '\0';
    return spur_beneath_open(parent, O_PATH | O_DIRECTORY, 0);
}

static int result(long done)
{
    return done < 0 ? -errno : 0;
}

static int remove_with(const char *path, int flags)
{
    const char *name;
    int folder = open_parent(path, &name);
    if (folder < 0)
        return folder;
    int err = result(syscall(SYS_unlinkat, folder, name, flags));
    close_it(folder);
    return err;
}

int spur_beneath_unlink(const char *path)
{
    return remove_with(path, 0);
}

int spur_beneath_rmdir(const char *path)
{
    return remove_with(path, AT_REMOVEDIR);
}

int spur_beneath_unlink_all(const char *folder, const char *const *names, size_t n)
{
    int at = spur_beneath_open(folder, O_PATH | O_DIRECTORY, 0), err = at < 0 ? at : 0;
    for (size_t i = 0; i < n && at >= 0; i++) {
        int failed = result(syscall(SYS_unlinkat, at, names[i], 0));
        if (failed && failed != -ENOENT && !err)
            err = failed;
    }
    if (at >= 0)
        close_it(at);
    return err;
}

/*
 * Makes a folder unless the folder exists. Making an existing folder would wait for everybody who
 * makes or removes a neighbour in the same parent, as all ranks of a host do at the end.
 */
int spur_beneath_mkdir(const char *path, mode_t mode)
{
    const char *name;
    int folder = open_parent(path, &name);
    if (folder < 0)
        return folder;
    const bool is_there = syscall(SYS_faccessat, folder, name, F_OK) == 0;
    int err = is_there ? -EEXIST : result(syscall(SYS_mkdirat, folder, name, mode));
    close_it(folder);
    return err;
}

int spur_beneath_symlink(const char *text, const char *path)
{
    const char *name;
    int folder = open_parent(path, &name);
    if (folder < 0)
        return folder;
    int err = result(syscall(SYS_symlinkat, text, folder, name));
    close_it(folder);
    return err;
}

/* Some sandboxes and old kernels refuse renameat2(), and some processors have no other call. */
static int rename_in(int here, const char *old, int there, const char *new)
{
#ifdef SYS_renameat
    return result(syscall(SYS_renameat, here, old, there, new));
#else
    return result(syscall(SYS_renameat2, here, old, there, new, 0u));
#endif
}

/* rename(2) or link(2): both take two folders and two names. */
static int with_both(const char *from, const char *to, bool is_link)
{
    const char *old, *new;
    int here = open_parent(from, &old);
    if (here < 0)
        return here;
    int there = open_parent(to, &new);
    int err = there < 0 ? there
              : is_link ? result(syscall(SYS_linkat, here, old, there, new, 0))
                        : rename_in(here, old, there, new);
    if (there >= 0)
        close_it(there);
    close_it(here);
    return err;
}

int spur_beneath_rename(const char *from, const char *to)
{
    return with_both(from, to, false);
}

int spur_beneath_link(const char *from, const char *to)
{
    return with_both(from, to, true);
}

/* ---- owners ---- */

int spur_beneath_check_owner(int folder, const char *made)
{
    struct stat info, of_made;
    if (fstat(folder, &info) < 0)
        return -errno;
    if (info.st_uid == geteuid())
        return 0;
    if (fstatat(folder, made, &of_made, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    return of_made.st_uid == info.st_uid ? 0 : -SPUR_FOREIGN;
}

const char *spur_beneath_reason(int error)
{
    switch (error) {
    case SPUR_FOREIGN:
        return "it belongs to another user";
    case ELOOP:
        return "it is a symbolic link, or lies behind one";
    case EMLINK:
        return "it has another name, so it may be somebody else's file";
    default:
        return spur_error_text(error);
    }
}
