/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that give a process another program, or start a program in a new process. The program
 * is told of the session even if its environment lacks the session's variables. The rest of the
 * environment, and the arguments, stay unchanged.
 *
 * All code here may run in a child of vfork(), on the parent's memory, and in a signal handler. So
 * no lock is taken, and mapped memory is given back.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include "wrappers/process/process_real.h"

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved in the headers */

/* The arguments of a call. */
struct program {
    enum process_call_id id; /* the called function */
    int dir;                 /* start of a relative path, or the file itself, or SPUR_SEARCHED */
    bool is_spawn;           /* posix_spawn() or one of its kin */
    int flags;               /* of execveat() */
    const char *path;        /* NULL: not known */
    char *const *argv;
    char *const *envp;
    int *number; /* of posix_spawn() and its kin, like the members below */
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
};

/* The C library's call. 0, -1 with errno, or an error number of posix_spawn(). */
typedef int (*run)(const struct program *program, char *const *envp);

static int run_path(const struct program *p, char *const *envp)
{
    return PROCESS_REAL(execve)(p->path, p->argv, envp);
}

static int run_search(const struct program *p, char *const *envp)
{
    return PROCESS_REAL(execvpe)(p->path, p->argv, envp);
}

static int run_at(const struct program *p, char *const *envp)
{
    return PROCESS_REAL(execveat)(p->dir, p->path, p->argv, envp, p->flags);
}

static int run_open(const struct program *p, char *const *envp)
{
    return PROCESS_REAL(fexecve)(p->dir, p->argv, envp);
}

static int run_program(const struct program *program, run real)
{
    struct spur_exec exec;
    PROCESS_FRAME(frame, program->id, program->is_spawn || spur_process_is_shown());
    bool is_traced =
        spur_exec_begin(&exec, !program->is_spawn, program->dir, program->path, program->envp);
    struct spur_lent lent = {NULL, 0};
    char *const *envp = program->envp;
    if (is_traced || exec.is_foreign)
        envp = spur_environment_lend(&lent, envp, exec.is_foreign);
    int ret = real(program, envp);
    spur_environment_give_back(&lent);
    if (ret != 0)
        spur_exec_failed(&exec);
    return ret;
}

#define RUN(name, real, ...)                                                                       \
    run_program(&(const struct program){.id = PROCESS_##name, __VA_ARGS__}, real)
#define HERE .dir = AT_FDCWD
#define SEARCHED .dir = SPUR_SEARCHED

SPUR_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    return RUN(execve, run_path, HERE, .path = path, .argv = argv, .envp = envp);
}

SPUR_EXPORT int execv(const char *path, char *const argv[])
{
    return RUN(execv, run_path, HERE, .path = path, .argv = argv, .envp = environ);
}

SPUR_EXPORT int execvp(const char *file, char *const argv[])
{
    return RUN(execvp, run_search, SEARCHED, .path = file, .argv = argv, .envp = environ);
}

SPUR_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return RUN(execvpe, run_search, SEARCHED, .path = file, .argv = argv, .envp = envp);
}

SPUR_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    return RUN(fexecve, run_open, .dir = fd, .argv = argv, .envp = envp);
}

SPUR_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[],
                         int flags)
{
    return RUN(execveat, run_at, .dir = dir, .path = path, .argv = argv, .envp = envp,
               .flags = flags);
}

/*
 * posix_spawn() and its kin: `number` becomes that of the process, or of a descriptor for the
 * process. The result is an error number, also of a C library that lacks the function.
 */
#define SPAWN(name, place)                                                                         \
    static int run_##name(const struct program *p, char *const *envp)                              \
    {                                                                                              \
        int ret =                                                                                  \
            PROCESS_REAL(name)(p->number, p->path, p->actions, p->attributes, p->argv, envp);      \
        return ret == -1 ? ENOSYS : ret;                                                           \
    }                                                                                              \
    SPUR_EXPORT int name(int *number, const char *path, const posix_spawn_file_actions_t *actions, \
                         const posix_spawnattr_t *attributes, char *const argv[],                  \
                         char *const envp[])                                                       \
    {                                                                                              \
        return RUN(name, run_##name, place, .path = path, .argv = argv, .envp = envp,              \
                   .is_spawn = true, .number = number, .actions = actions,                         \
                   .attributes = attributes);                                                      \
    }
SPAWN(posix_spawn, HERE)
SPAWN(posix_spawnp, SEARCHED)
SPAWN(pidfd_spawn, HERE)
SPAWN(pidfd_spawnp, SEARCHED)

/* ---- arguments one by one ---- */

static size_t count(const char *first, va_list args)
{
    size_t n = 0;
    va_list walk;
    va_copy(walk, args);
    for (const char *arg = first; arg; arg = va_arg(walk, const char *))
        n++;
    va_end(walk);
    return n;
}

/* argv[] of n words and the final NULL; leaves `args` behind the NULL. */
static void collect(char **argv, size_t n, const char *first, va_list *args)
{
    for (size_t i = 0; i < n; i++) {
        argv[i] = (char *)(uintptr_t)first; /* execve() does not change the words */
        first = va_arg(*args, const char *);
    }
    argv[n] = NULL;
}

#define RUN_LIST(name, real, place, path_, arg, envp_)                                             \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, arg);                                                                       \
        size_t n = count(arg, args);                                                               \
        char **argv = alloca((n + 1) * sizeof *argv);                                              \
        collect(argv, n, arg, &args);                                                              \
        char *const *environment = envp_;                                                          \
        va_end(args);                                                                              \
        return RUN(name, real, place, .path = path_, .argv = argv, .envp = environment);           \
    } while (0)

SPUR_EXPORT int execl(const char *path, const char *arg, ...)
{
    RUN_LIST(execl, run_path, HERE, path, arg, environ);
}

SPUR_EXPORT int execlp(const char *file, const char *arg, ...)
{
    RUN_LIST(execlp, run_search, SEARCHED, file, arg, environ);
}

SPUR_EXPORT int execle(const char *path, const char *arg, ...)
{
    RUN_LIST(execle, run_path, HERE, path, arg, va_arg(args, char *const *));
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
