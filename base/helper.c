/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/helper.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_file.h"

/* The path from the agent's folder to the commands, as installed. */
#ifndef SPUR_LIBEXEC
#define SPUR_LIBEXEC "../libexec/spur"
#endif

enum { STACK_BYTES = 64 << 10, LINES_BYTES = 16 << 10, NOT_STARTED = 127 };

/* The object that holds this code: the agent in a traced program, or a command. */
struct self {
    uintptr_t address;
    char folder[SPUR_FILE_PATH_BYTES]; /* ends in a slash; "": not found */
};

static bool see_mapping(void *data, const struct spur_procfs_mapping *mapping)
{
    struct self *self = data;
    if (self->address < mapping->start || self->address >= mapping->end)
        return true;
    const char *slash = strrchr(mapping->path, '/');
    if (slash)
        snprintf(self->folder, sizeof self->folder, "%.*s", (int)(slash + 1 - mapping->path),
                 mapping->path);
    return false;
}

int spur_helper_find(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", SPUR_LIBEXEC "/", "../libexec/spur/"};
    struct self self = {.address = (uintptr_t)&spur_helper_run};
    char *lines = spur_mem_new(LINES_BYTES);
    if (!lines)
        return -ENOMEM;
    (void)spur_procfs_each_mapping(lines, LINES_BYTES, &self, see_mapping);
    spur_mem_free(lines, LINES_BYTES);
    for (size_t i = 0; self.folder[0] && i < sizeof places / sizeof places[0]; i++)
        if ((size_t)snprintf(path, size, "%s%s%s", self.folder, places[i], name) < size &&
            access(path, X_OK) == 0)
            return 0;
    return -ENOENT;
}

/* The memory that the process and its two children share. */
struct child {
    char *const *arguments;
    char *const *environment;
    int in, out;
    char *stack; /* end of the second child's stack */
    int err;     /* status of the program */
    int failed;  /* error of the start; 0: started */
};

/* Runs in the process's memory, with the process's signals blocked: system calls only. */
static int become(void *data)
{
    struct child *child = data;
    syscall(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0); /* inherited; loaders use it */
    if (syscall(SYS_dup3, child->in, STDIN_FILENO, 0) >= 0 &&
        syscall(SYS_dup3, child->out, STDOUT_FILENO, 0) >= 0)
        syscall(SYS_execve, child->arguments[0], child->arguments, child->environment);
    child->failed = -errno;
    syscall(SYS_exit_group, NOT_STARTED);
    return 0;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    long ended;
    do
        ended = syscall(SYS_wait4, pid, &status, __WALL, NULL);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        return -errno;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return -ENOEXEC;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

/*
 * exec() turns any child into a child that sends SIGCHLD. Therefore the program's parent is a child
 * of this process that sends no SIGCHLD, and waits for the program.
 */
static int run_and_wait(void *data)
{
    struct child *child = data;
    const struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &action, NULL);
    pid_t pid = clone(become, child->stack, CLONE_VM | CLONE_VFORK | SIGCHLD, child);
    child->err = pid < 0 ? -errno : wait_for(pid);
    if (child->failed)
        child->err = child->failed;
    syscall(SYS_exit_group, 0);
    return 0;
}

static const char *libraries_kept;
static bool is_kept;

void spur_helper_keep(const char *(*keep)(const char *text))
{
    libraries_kept = keep(secure_getenv("LD_LIBRARY_PATH"));
    is_kept = true;
}

int spur_helper_run(const char *name, int in, int out)
{
    char path[SPUR_FILE_PATH_BYTES], libraries[SPUR_FILE_PATH_BYTES];
    const char *value = is_kept ? libraries_kept : secure_getenv("LD_LIBRARY_PATH");
    bool is_passed = value && (size_t)snprintf(libraries, sizeof libraries, "LD_LIBRARY_PATH=%s",
                                               value) < sizeof libraries;
    char *const arguments[] = {path, NULL};
    char *const environment[] = {is_passed ? libraries : NULL, NULL};
    struct child child = {arguments, environment, in, out, NULL, -EIO, 0};
    sigset_t all, before;
    int err = spur_helper_find(name, path, sizeof path);
    if (err)
        return err;
    char *stack = spur_mem_new(STACK_BYTES);
    if (!stack)
        return -ENOMEM;
    child.stack = stack + STACK_BYTES;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* The process goes on when the child has ended. */
    pid_t pid = clone(run_and_wait, stack + STACK_BYTES / 2, CLONE_VM | CLONE_VFORK, &child);
    err = pid < 0 ? -errno : wait_for(pid);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    spur_mem_free(stack, STACK_BYTES);
    return err ? err : child.err;
}
