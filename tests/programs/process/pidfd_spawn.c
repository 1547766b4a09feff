/* SPDX-License-Identifier: BSD-3-Clause */
/* pidfd_spawn() and pidfd_spawnp() of glibc 2.39, also for a C library that lacks them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);

spawn pidfd_spawn, pidfd_spawnp;

/* By the C library's own function: another library in front of it sees one call. */
static int run(const char *name, int *descriptor, const char *path,
               const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
               char *const argv[], char *const envp[])
{
    void *library = dlopen("libc.so.6", RTLD_LAZY);
    spawn *real = library ? (spawn *)dlsym(library, name) : NULL;
    pid_t pid;
    int error = real ? real(&pid, path, actions, attributes, argv, envp) : ENOSYS;
    if (error)
        return error;
    *descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    return *descriptor < 0 ? errno : 0;
}

int pidfd_spawn(int *descriptor, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return run("posix_spawn", descriptor, path, actions, attributes, argv, envp);
}

int pidfd_spawnp(int *descriptor, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return run("posix_spawnp", descriptor, path, actions, attributes, argv, envp);
}
