/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw system calls only: children of vfork() and signal handlers call this. */
#include "agent/process/target.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_agent.h"
#include "agent/state/identity.h"
#include "base/apart.h"
#include "session/launcher_note.h"

/* The interpreter that a header names: that of musl? `n`: as many bytes of the file are known. */
static bool is_of_musl(const Elf64_Phdr *entry, const char *head, long n)
{
    static const char loader[] = "/ld-musl-";
    if (entry->p_offset >= (uint64_t)n)
        return false;
    uint64_t known = (uint64_t)n - entry->p_offset;
    return memmem(head + entry->p_offset, entry->p_filesz < known ? entry->p_filesz : known, loader,
                  sizeof loader - 1) != NULL;
}

/* No interpreter in its headers: nothing is preloaded. The loader itself has none either. */
static enum spur_target target_of_headers(const char *head, long n)
{
    Elf64_Ehdr header;
    Elf64_Phdr entry;
    if (n < (long)sizeof header)
        return TARGET_TRACED;
    memcpy(&header, head, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof entry)
        return TARGET_TRACED;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        uint64_t at = header.e_phoff + i * sizeof entry;
        if (at > (uint64_t)n - sizeof entry)
            return TARGET_TRACED; /* headers in an unusual place: not known */
        memcpy(&entry, head + at, sizeof entry);
        if (entry.p_type == PT_INTERP)
            return is_of_musl(&entry, head, n) ? TARGET_FOREIGN : TARGET_TRACED;
    }
    return TARGET_UNTRACED;
}

/* Of this or another version of spur. */
static bool is_launcher(const char *head, long n)
{
    return memmem(head, (size_t)n, SPUR_LAUNCHER_NOTE, sizeof SPUR_LAUNCHER_NOTE) != NULL;
}

struct inspection {
    int dir;
    const char *path;
};

static int inspect_apart(void *data)
{
    enum { HEAD = 1024 };
    const struct inspection *program = data;
    char head[HEAD];
    struct stat info;
    const char *path = program->path, *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    long fd = syscall(SYS_openat, program->dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return TARGET_UNKNOWN;
    long n = -1;
    bool is_privileged = false;
    if (syscall(SYS_fstat, fd, &info) == 0 && S_ISREG(info.st_mode)) {
        uid_t user = (uid_t)syscall(SYS_geteuid);
        gid_t group = (gid_t)syscall(SYS_getegid);
        is_privileged =
            (info.st_mode & S_ISUID && info.st_uid != user) ||
            ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != group);
        n = syscall(SYS_pread64, fd, head, sizeof head, 0L);
    }
    syscall(SYS_close, fd);
    bool is_loader = strncmp(base, "ld-", 3) == 0 || strncmp(base, "ld.", 3) == 0;
    if (n < 0)
        return TARGET_UNKNOWN;
    if (is_privileged)
        return TARGET_UNTRACED;
    return (int)(is_loader || is_launcher(head, n) ? TARGET_TRACED : target_of_headers(head, n));
}

static bool is_program(const char *path)
{
    struct stat info;
    return syscall(SYS_newfstatat, AT_FDCWD, path, &info, 0) == 0 && S_ISREG(info.st_mode) &&
           syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

/* As execvp() looks for a name without a slash. False: there is none. */
static bool search(const char *name, char *path, size_t size)
{
    const char *list = secure_getenv("PATH");
    size_t bytes = strlen(name) + 1;
    for (list = list ? list : "/bin:/usr/bin";; list++) {
        size_t length = strcspn(list, ":");
        if (length + 1 + bytes <= size) {
            char *end = mempcpy(path, list, length);
            if (length)
                *end++ = '/'; /* else it is the working directory */
            memcpy(end, name, bytes);
            if (is_program(path))
                return true;
        }
        list += length;
        if (!*list)
            return false;
    }
}

enum spur_target spur_target(int dir, const char *path)
{
    char found[SPUR_PATH_BYTES];
    if (dir == SPUR_SEARCHED && !strchr(path, '/')) {
        if (!search(path, found, sizeof found))
            return TARGET_UNKNOWN;
        path = found;
    }
    dir = dir == SPUR_SEARCHED ? AT_FDCWD : dir;
    /* A descriptor of the program's own is not there when we are apart. */
    struct inspection inspection = {dir, path};
    bool needs_dir = dir != AT_FDCWD && path[0] != '/';
    return (enum spur_target)(needs_dir ? inspect_apart(&inspection)
                                        : spur_apart(inspect_apart, &inspection));
}
