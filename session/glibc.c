/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/glibc.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mapping.h"

enum {
    PATH_BYTES = 512, /* longer ones are taken for unknown */
    LINKS = 8,
    BLOCK_BYTES = 64 << 10
};

static const char version_is[] = "GLIBC_2.";

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool spur_is_loader_of_musl(const char *path)
{
    return strncmp(base_of(path), "ld-musl", sizeof "ld-musl" - 1) == 0;
}

bool spur_is_loader(const char *path)
{
    const char *name = base_of(path);
    return strncmp(name, "ld-", 3) == 0 ||
           (strncmp(name, "ld", 2) == 0 && strstr(name, ".so") != NULL);
}

/* The number behind "GLIBC_2."; -1: the name is none of such a version. */
static int minor_of(const char *name)
{
    int minor = 0;
    if (strncmp(name, version_is, sizeof version_is - 1) != 0)
        return -1;
    for (name += sizeof version_is - 1; *name >= '0' && *name <= '9' && minor < 1000; name++)
        minor = 10 * minor + (*name - '0');
    return minor;
}

void spur_glibc_newest(const char *names, size_t bytes, char version[SPUR_GLIBC_VERSION_BYTES])
{
    int newest = -1;
    version[0] = '\0';
    for (size_t at = 0; at < bytes;) {
        size_t length = strnlen(names + at, bytes - at);
        bool is_whole = at + length < bytes && length < SPUR_GLIBC_VERSION_BYTES;
        int minor = is_whole ? minor_of(names + at) : -1;
        if (minor > newest) {
            newest = minor;
            memcpy(version, names + at, length + 1);
        }
        at += length + 1;
    }
}

/* The path of `name` in the folder of `file`; an absolute name stays. False: there is no room. */
static bool put_beside(const char *file, const char *name, char path[PATH_BYTES])
{
    size_t folder = name[0] == '/' ? 0 : (size_t)(base_of(file) - file);
    size_t bytes = strlen(name) + 1;
    if (folder + bytes > PATH_BYTES)
        return false;
    memmove(path, file, folder);
    memcpy(path + folder, name, bytes);
    return true;
}

/* Loaders are often links into the folder of the C library. Returns a descriptor, or -1. */
static long open_library(const char *loader)
{
    char at[PATH_BYTES], path[PATH_BYTES], link[PATH_BYTES];
    if (!put_beside("", loader, at))
        return -1;
    for (int i = 0; i < LINKS && put_beside(at, "libc.so.6", path); i++) {
        long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0)
            return fd;
        long n = syscall(SYS_readlinkat, AT_FDCWD, at, link, sizeof link - 1);
        if (n <= 0)
            return -1;
        link[n] = '\0';
        if (!put_beside(at, link, at))
            return -1;
    }
    return -1;
}

/* The name with the zero behind it, anywhere in the file: where names lie is told by headers that
 * may be anywhere, too. */
static bool find_name(long fd, const char *name, char *block)
{
    size_t kept = 0, bytes = strlen(name) + 1;
    uint64_t at = 0;
    for (;;) {
        long n = syscall(SYS_pread64, fd, block + kept, BLOCK_BYTES - kept, at);
        if (n <= 0)
            return n < 0; /* not known */
        size_t known = kept + (size_t)n;
        if (memmem(block, known, name, bytes))
            return true;
        at += (uint64_t)n;
        kept = known < bytes ? known : bytes - 1;
        memmove(block, block + known - kept, kept);
    }
}

static bool has_name(long fd, const char *name)
{
    char *block = spur_map_anonymous(BLOCK_BYTES);
    bool has = !block || find_name(fd, name, block);
    if (block)
        spur_unmap(block, BLOCK_BYTES);
    return has;
}

bool spur_glibc_lacks(const char *loader, const char *version)
{
    if (!version[0])
        return false;
    long fd = open_library(loader);
    if (fd < 0)
        return false;
    bool lacks = !has_name(fd, version);
    syscall(SYS_close, fd);
    return lacks;
}
