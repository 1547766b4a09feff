/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way to make a process and to become another program. The mode is the first argument; each
 * process tells its identity once:
 *
 *     child PID of PARENT: ARGUMENT... MINE=... [ENVIRONMENT OF NONE OF OURS]
 *
 * The arguments and the environment in the line have to be the same with and without the agent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[4096];
static char *const own_env[] = {"MINE=own", "OTHER=1", NULL};
static char *const no_env[] = {NULL};
static char *const preloading[] = {"MINE=preloading", "LD_PRELOAD=libm.so.6", NULL};

static void check(int is_right, const char *what)
{
    if (!is_right) {
        dprintf(1, "trees: %s: %s\n", what, strerror(errno));
        _exit(1);
    }
}

/* The number of environment variables that do not come from the agent. */
static int variables(void)
{
    int n = 0;
    for (char **e = environ; e && *e; e++)
        n += strncmp(*e, "SPUR_", 5) != 0 && strncmp(*e, "LD_PRELOAD=", 11) != 0 &&
             strncmp(*e, "OPENCL_LAYERS=", 14) != 0 &&
             strncmp(*e, "CUDA_INJECTION64_PATH=", 22) != 0 &&
             strncmp(*e, "NVTX_INJECTION64_PATH=", 22) != 0;
    return n;
}

static void say(int argc, char **argv)
{
    char line[1024];
    const char *mine = getenv("MINE");
    int at = snprintf(line, sizeof line, "child %d of %d:", (int)getpid(), (int)getppid());
    for (int i = 0; i < argc; i++)
        at += snprintf(line + at, sizeof line - at, " %s", i ? argv[i] : "argv[0]");
    at += snprintf(line + at, sizeof line - at, " MINE=%s", mine ? mine : "none");
    if (mine || variables() < 3)
        at += snprintf(line + at, sizeof line - at, " %d", variables());
    line[at++] = '\n';
    check(write(1, line, at) == at, "write");
}

static void say_child(const char *name)
{
    char *argv[] = {self, (char *)(uintptr_t)name};
    say(2, argv);
}

static void wait_for(pid_t pid)
{
    int status;
    check(pid > 0, "a child");
    while (waitpid(pid, &status, 0) < 0)
        check(errno == EINTR, "waitpid");
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        dprintf(1, "ended by %#x\n", status);
}

/* ---- children that stay the same program ---- */

static void with_fork(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        say_child("fork");
        exit(0);
    }
    wait_for(pid);
}

static void with_forks(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        say_child("first");
        with_fork(); /* ends there, and here */
        _exit(3);
    }
    wait_for(pid);
}

static void with_killed(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        say_child("killed");
        with_fork();
        kill(getpid(), SIGKILL);
    }
    wait_for(pid);
}

static void with_bare_fork(void)
{
    pid_t pid = _Fork();
    if (pid == 0) {
        say_child("_Fork");
        _exit(0);
    }
    wait_for(pid);
}

static void with_forkpty(void)
{
    int terminal;
    char text[256];
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    if (pid == 0) {
        say_child("forkpty");
        exit(0);
    }
    check(pid > 0, "forkpty");
    ssize_t n = read(terminal, text, sizeof text);
    check(n > 2 && write(1, text, n - 2) == n - 2 && write(1, "\n", 1) == 1, "terminal");
    wait_for(pid);
    close(terminal);
}

static char stack[256 << 10] __attribute__((aligned(64)));

static int in_clone(void *name)
{
    say_child(name);
    return 0;
}

static void with_clone(void)
{
    wait_for(clone(in_clone, stack + sizeof stack, SIGCHLD, "clone"));
}

static void with_raw_fork(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        say_child("raw");
        _exit(0);
    }
    wait_for(pid);
}

static void with_daemon(void)
{
    int fd = dup(1), ends[2];
    char byte;
    check(pipe(ends) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        check(daemon(0, 0) == 0, "daemon");
        check(dup2(fd, 1) == 1, "dup2");
        char line[64];
        int n = snprintf(line, sizeof line, "daemon %d\n", (int)getpid());
        check(write(1, line, n) == n, "write");
        exit(0);
    }
    wait_for(pid);
    close(ends[1]);
    check(read(ends[0], &byte, 1) == 0, "the daemon's end"); /* the daemon held the write end */
}

/* ---- programs ---- */

static char *const leaf[] = {"a name of its own", "leaf", "an argument", "", NULL};

static void with_vfork(void)
{
    for (volatile int i = 0; i < 3; i++) {
        pid_t pid = vfork();
        if (pid == 0) {
            if (i == 0)
                execv(self, leaf);
            else
                execve(self, leaf, i == 1 ? own_env : no_env);
            _exit(9);
        }
        wait_for(pid);
    }
}

static int become_leaf(void *unused)
{
    (void)unused;
    execve(self, leaf, own_env);
    return 9;
}

static void with_clone_vm(void)
{
    wait_for(clone(become_leaf, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

/* Of glibc 2.39; in tests/programs/process/pidfd_spawn.c for an older one. */
typedef int spawn_at(int *descriptor, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);
extern spawn_at pidfd_spawn, pidfd_spawnp;

static void wait_at(spawn_at *way, char *const env[])
{
    int descriptor;
    siginfo_t end;
    check(way(&descriptor, self, NULL, NULL, leaf, env) == 0, "pidfd_spawn");
    check(waitid(P_PIDFD, (id_t)descriptor, &end, WEXITED) == 0, "waitid");
    close(descriptor);
}

static void with_spawn(void)
{
    pid_t pid;
    check(posix_spawn(&pid, self, NULL, NULL, leaf, own_env) == 0, "posix_spawn");
    wait_for(pid);
    check(posix_spawn(&pid, self, NULL, NULL, leaf, no_env) == 0, "posix_spawn");
    wait_for(pid);
    check(posix_spawnp(&pid, self, NULL, NULL, leaf, environ) == 0, "posix_spawnp");
    wait_for(pid);
    check(posix_spawn(&pid, "/no/such/program", NULL, NULL, leaf, environ) == ENOENT, "ENOENT");
    wait_at(pidfd_spawn, own_env);
    wait_at(pidfd_spawnp, environ);
}

/* Does not return on success. False: there are no more ways. */
static int become(int way)
{
    int fd = open(self, O_RDONLY | O_CLOEXEC);
    switch (way) {
    case 0:
        return execv(self, leaf), 1;
    case 1:
        return execve(self, leaf, own_env), 1;
    case 2:
        return execve(self, leaf, no_env), 1;
    case 3:
        return execve(self, leaf, preloading), 1;
    case 4:
        return execvp(self, leaf), 1;
    case 5:
        return execvpe(self, leaf, own_env), 1;
    case 6:
        return execl(self, "other", "leaf", "execl", "", "last", (char *)NULL), 1;
    case 7:
        return execlp(self, "other", "leaf", "execlp", (char *)NULL), 1;
    case 8:
        return execle(self, "other", "leaf", "execle", (char *)NULL, own_env), 1;
    case 9:
        return fexecve(fd, leaf, own_env), 1;
    case 10:
        return execveat(AT_FDCWD, self, leaf, own_env, 0), 1;
    case 11:
        return execveat(fd, "", leaf, own_env, AT_EMPTY_PATH), 1;
    case 12:
        return clearenv(), execv(self, leaf), 1;
    default:
        return 0;
    }
}

static void with_exec(void)
{
    for (int way = 0; way < 13; way++) {
        pid_t pid = fork();
        if (pid == 0) {
            become(way);
            _exit(9);
        }
        wait_for(pid);
    }
}

/* The same process is another program, twice. */
static void with_exec_self(void)
{
    say_child("before");
    with_fork();
    execle(self, "other", "leaf", "after", (char *)NULL, own_env);
}

static void with_exec_failure(void)
{
    errno = 0;
    check(execvp("no-such-program-at-all", leaf) == -1 && errno == ENOENT, "ENOENT");
    check(execve("/", leaf, no_env) == -1 && errno == EACCES, "EACCES");
    with_fork();
    check(execl("/dev/null", "null", (char *)NULL) == -1 && errno == EACCES, "EACCES");
    with_fork();
}

static void with_system(void)
{
    char command[4200];
    snprintf(command, sizeof command, "%s leaf system && exit 0", self);
    check(system(command) == 0, "system");
    check(system("exit 7") == 7 << 8, "a status");
    FILE *pipe = popen(command, "r");
    char line[1024];
    check(pipe && fgets(line, sizeof line, pipe), "popen");
    check(write(1, line, strlen(line)) > 0 && pclose(pipe) == 0, "pclose");
    clearenv();
    check(system(command) == 0, "system");
    check(!environ || !environ[0], "an environment without anything");
}

static void as_leaf(void)
{
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"fork", with_fork},
    {"forks", with_forks},
    {"bare", with_bare_fork},
    {"pty", with_forkpty},
    {"clone", with_clone},
    {"raw", with_raw_fork},
    {"killed", with_killed},
    {"vfork", with_vfork},
    {"clone_vm", with_clone_vm},
    {"spawn", with_spawn},
    {"exec", with_exec},
    {"exec_self", with_exec_self},
    {"failure", with_exec_failure},
    {"system", with_system},
    {"daemon", with_daemon},
    {"leaf", as_leaf},
};

int main(int argc, char **argv)
{
    check(argc > 1 && readlink("/proc/self/exe", self, sizeof self - 1) > 0, "a mode");
    say(argc, argv);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    return 0;
}
