/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw system calls only: children of vfork() and signal handlers call this. */
#include "agent/process/target.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_agent.h"
#include "agent/state/identity.h"
#include "base/apart.h"
#include "base/own_code.h"
#include "session/glibc.h"
#include "session/launcher_note.h"

enum {
    HEAD = 1024,
    SCRIPTS = 5,     /* levels followed by the kernel */
    NAME_BYTES = 256 /* bytes of a script read by the kernel */
};

/*
 * Finds the needed version of the C library. The names of versions with which this object is linked
 * are among the names of the object's symbols.
 */
static void find_needed(char version[SPUR_GLIBC_VERSION_BYTES])
{
    uintptr_t base = (uintptr_t)&__ehdr_start, names = 0;
    size_t bytes = 0;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            names = entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRSZ)
            bytes = entry->d_un.d_val;
    }
    /* Some loaders write addresses there. */
    names += names < base ? base : 0;
    spur_glibc_newest((const char *)names, bytes, version); // NOLINT(performance-no-int-to-ptr)
}

static long open_file(int dir, const char *path)
{
    return syscall(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/*
 * Is this the loader of this process? The process's loader takes the agent. The loader may lie
 * elsewhere by now (chroot).
 */
static bool is_own_loader(const char *path)
{
    char head[HEAD];
    const char *own = (const char *)getauxval(AT_BASE); // NOLINT(performance-no-int-to-ptr)
    long fd = own ? open_file(AT_FDCWD, path) : -1;
    if (fd < 0)
        return false;
    long n = syscall(SYS_pread64, fd, head, sizeof head, 0L);
    syscall(SYS_close, fd);
    /* With the loader's build id. */
    return n == HEAD && memcmp(head, own, HEAD) == 0;
}

/* By the loader of a program: can the agent be preloaded there? */
static enum spur_target target_of_loader(const char *loader)
{
    char version[SPUR_GLIBC_VERSION_BYTES];
    if (spur_is_loader_of_musl(loader))
        return TARGET_FOREIGN;
    if (is_own_loader(loader))
        return TARGET_TRACED;
    find_needed(version);
    return spur_glibc_lacks(loader, version) ? TARGET_FOREIGN : TARGET_TRACED;
}

static enum spur_target target_of_interpreter(const Elf64_Phdr *entry, const char *head, long n)
{
    char path[NAME_BYTES];
    if (entry->p_offset > (uint64_t)n || entry->p_filesz > (uint64_t)n - entry->p_offset ||
        entry->p_filesz > sizeof path || !entry->p_filesz)
        return TARGET_TRACED; /* an unusual place: unknown */
    memcpy(path, head + entry->p_offset, entry->p_filesz);
    path[entry->p_filesz - 1] = '\0';
    return target_of_loader(path);
}

/*
 * No interpreter in the headers: nothing is preloaded. The loader itself has no interpreter either.
 */
static enum spur_target target_of_headers(const char *path, const char *head, long n)
{
    Elf64_Ehdr header;
    Elf64_Phdr entry;
    if (n < (long)sizeof header)
        return TARGET_TRACED;
    memcpy(&header, head, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return TARGET_TRACED;
    if (header.e_machine != __ehdr_start.e_machine ||
        memcmp(header.e_ident, __ehdr_start.e_ident, EI_VERSION) != 0)
        return TARGET_UNTRACED; /* of another processor, or of 32 bits */
    if (header.e_phentsize != sizeof entry)
        return TARGET_TRACED;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        uint64_t at = header.e_phoff + i * sizeof entry;
        if (at > (uint64_t)n - sizeof entry)
            return TARGET_TRACED; /* headers in an unusual place: unknown */
        memcpy(&entry, head + at, sizeof entry);
        if (entry.p_type == PT_INTERP)
            return target_of_interpreter(&entry, head, n);
    }
    return spur_is_loader(path) ? target_of_loader(path) : TARGET_UNTRACED;
}

/* Is the program a launcher, of this or another version of spur? */
static bool is_launcher(const char *head, long n)
{
    return memmem(head, (size_t)n, SPUR_LAUNCHER_NOTE, sizeof SPUR_LAUNCHER_NOTE) != NULL;
}

/* Rights that a program gains by being executed: setuid, setgid, file capabilities. */
static bool is_privileged(long fd, const struct stat *info)
{
    uid_t user = (uid_t)syscall(SYS_geteuid);
    gid_t group = (gid_t)syscall(SYS_getegid);
    return (info->st_mode & S_ISUID && info->st_uid != user) ||
           ((info->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            info->st_gid != group) ||
           (user != 0 && syscall(SYS_fgetxattr, fd, "security.capability", NULL, 0) > 0);
}

/* The knowledge of a file. */
struct look {
    char head[HEAD];
    long n; /* bytes of the head; -1: unreadable */
    bool is_privileged;
};

static void look_at(int dir, const char *path, struct look *look)
{
    struct stat info;
    long fd = open_file(dir, path);
    look->n = -1;
    if (fd < 0)
        return;
    if (syscall(SYS_fstat, fd, &info) == 0 && S_ISREG(info.st_mode)) {
        look->n = syscall(SYS_pread64, fd, look->head, HEAD, 0L);
        look->is_privileged = is_privileged(fd, &info);
    }
    syscall(SYS_close, fd);
}

/* The interpreter of a script. False: the file is no script. */
static bool is_script(const struct look *look, char interpreter[NAME_BYTES])
{
    const char *head = look->head;
    long n = look->n;
    if (n < 2 || memcmp(head, "#!", 2) != 0)
        return false;
    const char *end = head + (n < NAME_BYTES ? n : NAME_BYTES);
    const char *from = head + 2;
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    const char *to = from;
    while (to < end && *to != ' ' && *to != '\t' && *to != '\n' && *to)
        to++;
    memcpy(interpreter, from, (size_t)(to - from));
    interpreter[to - from] = '\0';
    return true;
}

struct inspection {
    int dir;
    const char *path;
};

static int inspect_apart(void *data)
{
    const struct inspection *program = data;
    char interpreter[NAME_BYTES];
    struct look look;
    const char *path = program->path;
    look_at(program->dir, path, &look);
    for (int i = 0; i < SCRIPTS && is_script(&look, interpreter); i++) {
        path = interpreter;
        look_at(AT_FDCWD, path, &look);
    }
    if (look.n < 0)
        return TARGET_UNKNOWN;
    if (look.is_privileged)
        return TARGET_UNTRACED;
    return (int)(is_launcher(look.head, look.n) ? TARGET_TRACED
                                                : target_of_headers(path, look.head, look.n));
}

static bool is_program(const char *path)
{
    struct stat info;
    return syscall(SYS_newfstatat, AT_FDCWD, path, &info, 0) == 0 && S_ISREG(info.st_mode) &&
           syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

/* Searches a name without a slash, like execvp(). False: no program found. */
static bool search(const char *name, char *path, size_t size)
{
    const char *list = secure_getenv("PATH");
    size_t bytes = strlen(name) + 1;
    for (list = list ? list : "/bin:/usr/bin";; list++) {
        size_t length = strcspn(list, ":");
        if (length + 1 + bytes <= size) {
            char *end = mempcpy(path, list, length);
            if (length)
                *end++ = '/'; /* else the working directory */
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
    /* A descriptor of the program's own does not exist in the helper thread. */
    struct inspection inspection = {dir, path};
    bool needs_dir = dir != AT_FDCWD && path[0] != '/';
    return (enum spur_target)(needs_dir ? inspect_apart(&inspection)
                                        : spur_apart(inspect_apart, &inspection));
}
