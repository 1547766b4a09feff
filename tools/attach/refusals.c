/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/refusals.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"
#include "session/glibc.h"
#include "tools/base/elf_file.h"
#include "tools/base/program.h"

#define REFUSAL(NAME, text) const char REFUSAL_##NAME[] = text;
#include "tools/attach/refusals.def"
#undef REFUSAL

const char *refusal_of_errno(int pid, int error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", pid);
    return error == ESRCH || error == ENOENT || access(path, F_OK) != 0 ? REFUSAL_GONE
                                                                        : REFUSAL_PERMISSION;
}

const char *status_line(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? at + strlen(name) : "";
}

static enum tracer tracer_in(const char *status)
{
    struct spur_procfs_stat stat;
    const int tracer = (int)strtol(status_line(status, "\nTracerPid:"), NULL, 10);
    if (!tracer || tracer == (int)getpid())
        return TRACER_NONE;
    return spur_procfs_stat(tracer, &stat) && strcmp(stat.name, "spur-attach") == 0 ? TRACER_SPUR
                                                                                    : TRACER_OTHER;
}

enum tracer tracer_of(int tid)
{
    char path[64], status[8192];
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    return spur_procfs_read(path, status, sizeof status) < 0 ? TRACER_NONE : tracer_in(status);
}

static const char *refusal_of_user(const char *status)
{
    char *at = (char *)(uintptr_t)status_line(status, "\nUid:"), *end;
    unsigned long real = strtoul(at, &at, 10), effective = strtoul(at, &at, 10);
    unsigned long saved = strtoul(at, &end, 10);
    if (end == at)
        return REFUSAL_GONE;
    if (real != effective || real != saved)
        return REFUSAL_SETUID;
    return real == geteuid() ? NULL : REFUSAL_USER;
}

static bool is_secure(int pid)
{
    char path[64];
    uint64_t words[128];
    snprintf(path, sizeof path, "/proc/%d/auxv", pid);
    long n = spur_procfs_read(path, (char *)words, sizeof words);
    for (long i = 0; (i + 1) * (long)sizeof *words < n; i += 2)
        if (words[i] == AT_SECURE)
            return words[i + 1] != 0;
    return false;
}

/* They have no memory, and kthreadd has made them all. */
static bool is_of_kernel(int pid, const char *status)
{
    enum { KTHREADD = 2 };
    return !*status_line(status, "\nVmSize:") &&
           (pid == KTHREADD || strtol(status_line(status, "\nPPid:"), NULL, 10) == KTHREADD);
}

static const char *refusal_of_program(int pid)
{
    char path[64], loader[PROGRAM_PATH_BYTES];
    struct elf_file program;
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (access(path, R_OK) != 0)
        return refusal_of_errno(pid, errno);
    if (elf_open(&program, path) != 0)
        return REFUSAL_MACHINE;
    const char *refusal = program.is_native ? NULL : REFUSAL_MACHINE;
    if (!refusal && elf_interpreter(&program, loader, sizeof loader) &&
        spur_is_loader_of_musl(loader))
        refusal = REFUSAL_MUSL;
    elf_close(&program);
    return refusal;
}

const char *refusal_of_process(int pid)
{
    char path[64], status[8192];
    struct spur_procfs_stat stat;
    if (pid == (int)getpid())
        return REFUSAL_SELF;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (!spur_procfs_stat(pid, &stat) || spur_procfs_read(path, status, sizeof status) < 0)
        return REFUSAL_GONE;
    if (strtol(status_line(status, "\nTgid:"), NULL, 10) != pid)
        return REFUSAL_THREAD;
    if (stat.state == 'Z' || stat.state == 'X')
        return strtol(status_line(status, "\nThreads:"), NULL, 10) > 1 ? REFUSAL_LEFT
                                                                       : REFUSAL_ENDING;
    if (is_of_kernel(pid, status))
        return REFUSAL_KERNEL;
    const char *refusal = refusal_of_user(status);
    if (refusal)
        return refusal;
    if (stat.state == 'T')
        return REFUSAL_STOPPED;
    if (tracer_in(status) == TRACER_OTHER)
        return REFUSAL_TRACED;
    if (strtol(status_line(status, "\nSeccomp:"), NULL, 10) != 0)
        return REFUSAL_SECCOMP;
    if (strstr(status_line(status, "\nx86_Thread_features:"), "shstk"))
        return REFUSAL_SHADOW;
    refusal = refusal_of_program(pid);
    return !refusal && is_secure(pid) ? REFUSAL_SETUID : refusal;
}
