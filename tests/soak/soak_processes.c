/* SPDX-License-Identifier: BSD-3-Clause */
/* Children, and the programs that they become. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

enum { CHILD_LOG = 32 << 10, NUMBER_BYTES = 24 };

extern char **environ;

_Noreturn void soak_child(struct soak_actor *parent, uint64_t seed, struct soak_log *log)
{
    struct soak_actor child = *parent;
    child.seed = seed;
    child.log = log;
    child.depth++;
    child.flags &= IN_HANDLER | IN_FIBRE;
    child.flags |= IS_CHILD;
    soak_fault = NULL;
    soak_script(&child, (unsigned)(seed % 4));
    soak_end(&child);
}

void soak_note_child(struct soak_actor *actor, pid_t pid, struct soak_log *log)
{
    int status = -1;
    pid_t waited;
    while ((waited = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
    }
    soak_note(actor, waited == pid && pid > 0);
    soak_note(actor, status);
    if (log)
        soak_note_log(actor, log);
}

/* With other threads only fork() leaves the child with locks that it can take. */
static pid_t make_child(const struct soak_actor *actor, uint64_t how)
{
    switch (actor->flags & (IN_CROWD | HAS_NOISE) ? 2 : how) {
    case 0:
        return _Fork();
    case 1:
        return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    default:
        return fork();
    }
}

void soak_op_fork(struct soak_actor *actor)
{
    uint64_t seed = soak_draw(actor, UINT64_MAX), how = soak_draw(actor, 8);
    struct soak_log *log = soak_log_new(CHILD_LOG);
    bool has_more = soak_draw(actor, 2);
    pid_t pid = make_child(actor, how);
    if (pid == 0)
        soak_child(actor, seed, log);
    if (has_more)
        soak_calls(20);
    soak_note_child(actor, pid, log);
}

void soak_op_forks(struct soak_actor *actor)
{
    enum { MAX = 5 };
    struct soak_log *logs[MAX];
    pid_t pids[MAX];
    unsigned n = 2 + (unsigned)soak_draw(actor, MAX - 1);
    for (unsigned i = 0; i < n; i++) {
        uint64_t seed = soak_draw(actor, UINT64_MAX);
        logs[i] = soak_log_new(CHILD_LOG);
        if ((pids[i] = fork()) == 0)
            soak_child(actor, seed, logs[i]);
    }
    for (unsigned i = 0; i < n; i++)
        soak_note_child(actor, pids[i], logs[i]);
}

void soak_op_killed(struct soak_actor *actor)
{
    static const int fatal[] = {SIGKILL, SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGSEGV,
                                SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP, SIGSYS,  SIGXCPU,
                                SIGPIPE, SIGALRM, SIGUSR1, SIGABRT, SIGPROF, SIGVTALRM};
    int sig = fatal[soak_draw(actor, sizeof fatal / sizeof fatal[0])];
    bool runs = soak_draw(actor, 2);
    sigset_t own, before;
    sigemptyset(&own);
    sigaddset(&own, sig);
    pthread_sigmask(SIG_BLOCK, &own, &before);
    pid_t pid = fork();
    if (pid == 0) {
        signal(sig, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &own, NULL);
        for (;;)
            if (runs)
                soak_calls(100);
            else
                pause();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    usleep((useconds_t)soak_draw(actor, 2000));
    soak_note(actor, kill(pid, sig));
    siginfo_t info;
    soak_note(actor, waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
    soak_note(actor,
              info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED ? info.si_status : -1);
    soak_note_child(actor, pid, NULL);
}

/* Its parent ends at once; who waits for it is the first process, which all others are left to. */
void soak_op_double_fork(struct soak_actor *actor)
{
    uint64_t seed = soak_draw(actor, UINT64_MAX);
    struct soak_log *log = soak_log_new(CHILD_LOG);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() == 0)
            soak_child(actor, seed, log);
        _exit(3);
    }
    soak_log_leave(seed, log);
    soak_note_child(actor, pid, NULL);
}

/* ---- programs ---- */

struct image {
    char place[NUMBER_BYTES], seed[NUMBER_BYTES], flags[NUMBER_BYTES], depth[NUMBER_BYTES];
    char *words[8];
    struct soak_log *log;
};

static void image_make(struct soak_actor *actor, struct image *image)
{
    image->log = soak_log_new(CHILD_LOG);
    snprintf(image->place, NUMBER_BYTES, "%zu", soak_log_place(image->log));
    snprintf(image->seed, NUMBER_BYTES, "%llu", (unsigned long long)soak_draw(actor, UINT64_MAX));
    snprintf(image->flags, NUMBER_BYTES, "%u", (unsigned)IS_CHILD);
    snprintf(image->depth, NUMBER_BYTES, "%u", actor->depth + 1);
    char *words[] = {soak_program, "--image",   (char *)soak_arena_path(),
                     image->place, image->seed, image->flags,
                     image->depth, NULL};
    memcpy(image->words, words, sizeof words);
}

static void become(const struct image *image, unsigned how)
{
    char *none[] = {NULL}, *some[] = {"SOAK=1", "PATH=/bin", NULL};
    char *const *w = image->words;
    switch (how) {
    case 0:
        execv(w[0], w);
        break;
    case 1:
        execve(w[0], w, none);
        break;
    case 2:
        execve(w[0], w, some);
        break;
    case 3:
        clearenv();
        execvp(w[0], w);
        break;
    case 4:
        fexecve(open(w[0], O_RDONLY | O_CLOEXEC), w, environ);
        break;
    case 5:
        fexecve(open(w[0], O_RDONLY | O_CLOEXEC), w, none);
        break;
    case 6:
        execl(w[0], w[0], w[1], w[2], w[3], w[4], w[5], w[6], NULL);
        break;
    default:
        setenv("SOAK", "2", 1);
        execvpe(w[0], w, environ);
    }
    _exit(125);
}

void soak_op_exec(struct soak_actor *actor)
{
    struct image image;
    unsigned how = (unsigned)soak_draw(actor, 8);
    uint64_t calls = soak_draw(actor, 20);
    image_make(actor, &image);
    pid_t pid = fork();
    if (pid == 0) {
        soak_calls((unsigned)calls);
        become(&image, how);
    }
    soak_note_child(actor, pid, image.log);
}

void soak_op_vfork(struct soak_actor *actor)
{
    struct image image;
    bool execs = soak_draw(actor, 2);
    image_make(actor, &image);
    pid_t pid = vfork();
    if (pid == 0) {
        if (execs)
            execv(image.words[0], image.words);
        _exit(4);
    }
    soak_calls(3);
    soak_note_child(actor, pid, image.log);
}

void soak_op_spawn(struct soak_actor *actor)
{
    struct image image;
    char *none[] = {NULL};
    pid_t pid = -1;
    bool cleared = soak_draw(actor, 2);
    image_make(actor, &image);
    soak_note(actor,
              posix_spawn(&pid, soak_program, NULL, NULL, image.words, cleared ? none : environ));
    soak_note_child(actor, pid, image.log);
}

void soak_op_no_program(struct soak_actor *actor)
{
    char *words[] = {"nothing", NULL};
    pid_t pid = -1;
    errno = 0;
    soak_note(actor, execv("/nonexistent/program", words));
    soak_note(actor, errno);
    errno = 0;
    soak_note(actor, execvp("no-such-program-there-is", words));
    soak_note(actor, errno);
    soak_note(actor, posix_spawn(&pid, "/nonexistent", NULL, NULL, words, environ));
    errno = 0;
    soak_note(actor, waitpid(1, NULL, WNOHANG));
    soak_note(actor, errno);
}

static void line_for_shell(struct soak_actor *actor, char *line, size_t size)
{
    snprintf(line, size, "'%s' --say %d", soak_program, (int)soak_draw(actor, 1000));
}

void soak_op_system(struct soak_actor *actor)
{
    char line[PATH_MAX + 64];
    struct sigaction action;
    line_for_shell(actor, line, sizeof line - 32);
    strcat(line, " >/dev/null");
    soak_note(actor, system(line));
    soak_note(actor, system("exit 5"));
    soak_note(actor, system(NULL) != 0);
    sigaction(SIGINT, NULL, &action);
    soak_note(actor, action.sa_handler == SIG_DFL);
}

void soak_op_popen(struct soak_actor *actor)
{
    char line[PATH_MAX + 64], text[64] = "";
    line_for_shell(actor, line, sizeof line);
    FILE *file = popen(line, "re");
    if (file && fgets(text, sizeof text, file))
        soak_note_word(actor, strtok(text, "\n"));
    soak_note(actor, file ? pclose(file) : -1);
}

/* With an environment that has nothing. */
void soak_op_system_cleared(struct soak_actor *actor)
{
    char line[PATH_MAX + 64];
    clearenv();
    line_for_shell(actor, line, sizeof line - 32);
    strcat(line, " >/dev/null");
    soak_note(actor, system(line));
    soak_note(actor, !environ || !*environ);
    setenv("SOAK", "3", 1);
    soak_note(actor, system("test \"$SOAK\" = 3"));
}

/* Names and values, but what the agent is told, and what shells add. */
void soak_op_environment(struct soak_actor *actor)
{
    static const char *const others[] = {"SPUR_",
                                         "LD_PRELOAD=",
                                         "OPENCL_LAYERS=",
                                         "CUDA_INJECTION64_PATH=",
                                         "NVTX_INJECTION64_PATH=",
                                         "PMI",
                                         "_=",
                                         "SHLVL=",
                                         "PWD=",
                                         "OLDPWD="};
    int64_t hash = 0;
    for (char **entry = environ; entry && *entry; entry++) {
        bool counts = true;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            counts = counts && strncmp(*entry, others[i], strlen(others[i])) != 0;
        for (const char *c = *entry; counts && *c; c++)
            hash += *c;
    }
    soak_note(actor, hash);
}

static int clone_main(void *argument)
{
    soak_calls(200);
    return *(int *)argument;
}

static void clone_child(struct soak_actor *actor, int flags)
{
    enum { SIZE = 64 << 10 };
    static int result;
    result = (int)soak_draw(actor, 100);
    char *stack = soak_stack_new(SIZE + soak_room());
    pid_t pid = clone(clone_main, stack + SIZE + soak_room(), flags | SIGCHLD, &result);
    soak_calls(200);
    soak_note_child(actor, pid, NULL);
    soak_stack_free(stack, SIZE + soak_room());
}

void soak_op_clone(struct soak_actor *actor)
{
    clone_child(actor, 0);
}

/* Beside the parent, with the same memory and the same data of the thread. */
void soak_op_clone_beside(struct soak_actor *actor)
{
    clone_child(actor, CLONE_VM);
}
