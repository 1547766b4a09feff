/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-run: runs a command under the agent, waits for it and has the archive finished; what the
 * launcher (scripts/spur) leaves to C because a shell changes the command's signal dispositions,
 * standard input or exit status.
 *
 *     spur-run [-p LIBRARY] [-d DIR -n NAME [-m MARKER]] -- COMMAND [ARGUMENT]...
 *
 *   -p LIBRARY  preload it into the command, after what is preloaded already
 *   -d DIR      wait for the command, then finish the session in DIR; without it the command takes
 *               this process' place
 *   -n NAME     what the command is called in messages
 *   -m MARKER   an empty directory to remove at the end
 *
 * Ends as the command ended, by the same status or the same signal; 127 and 126 are those of a
 * shell (not found, not executable).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/program.h"

struct run {
    const char *library; /* NULL: not traced */
    const char *dir;     /* NULL: do not wait */
    const char *name;
    const char *marker;
    char **command;
    sigset_t inherited_mask;
    struct sigaction inherited_chld;
};

/* What a user or a batch system may send to the launcher and means for the program. */
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

static bool is_listed(const char *list, const char *item)
{
    size_t length = strlen(item);

    while (*list) {
        size_t word = strcspn(list, ": ");

        if (word == length && memcmp(list, item, length) == 0)
            return true;
        list += word;
        list += strspn(list, ": ");
    }
    return false;
}

/* Behind the others: a sanitizer's runtime insists on being first. */
static int preload(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    char *list = NULL;
    int failed;

    if (!before || !*before)
        return setenv("LD_PRELOAD", library, 1);
    if (is_listed(before, library))
        return 0;
    if (asprintf(&list, "%s:%s", before, library) < 0)
        return -1;
    failed = setenv("LD_PRELOAD", list, 1);
    free(list);
    return failed;
}

/* The first line of a small file, without its end; false: there is none. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool is_read = file && fgets(line, (int)size, file);

    if (file)
        fclose(file);
    if (is_read)
        line[strcspn(line, "\n")] = '\0';
    return is_read;
}

/*
 * Tell the processes who will finish the archive, "PID START BOOT/PIDSPACE", so that the last of
 * them can see that this process has been killed.
 */
static void tell_launcher(void)
{
    enum { START_FIELD = 22 };
    char stat[1024];
    char boot[64];
    char space[64];
    char value[192];
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
    char *field;
    const char *number;

    space[length > 0 ? length : 0] = '\0';
    number = strchr(space, '[');
    if (!read_line("/proc/self/stat", stat, sizeof(stat)) || !(field = strrchr(stat, ')')) ||
        !read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
        return;
    for (int i = 2; i < START_FIELD && field; i++)
        field = strchr(field + 1, ' ');
    snprintf(value, sizeof(value), "%d %llu %s/%llu", (int)getpid(),
             field ? strtoull(field, NULL, 10) : 0, boot,
             number ? strtoull(number + 1, NULL, 10) : 0);
    setenv("SPUR_LAUNCHER", value, 1);
}

/* Returns only when the command cannot be executed, with the shell's status for it. */
static int become(const struct run *run)
{
    int error;

    if (run->library && preload(run->library) != 0)
        fputs("spur: no memory for LD_PRELOAD; nothing is traced\n", stderr);
    execvp(run->command[0], run->command);
    error = errno;
    fprintf(stderr, "spur: %s: %s\n", run->command[0],
            error == ENOENT ? "command not found" : strerror(error));
    return error == ENOENT ? 127 : 126;
}

/*
 * Wait for the command, passing on what others send to this process. What the terminal sends goes
 * to the whole foreground group, so the command has it already.
 */
static int wait_for(pid_t child, const sigset_t *waited)
{
    int status;

    for (;;) {
        siginfo_t info;
        int sig = sigwaitinfo(waited, &info);

        if (sig == SIGCHLD) {
            if (waitpid(child, &status, WNOHANG) == child)
                return status;
        } else if (sig > 0 && info.si_code <= 0) {
            kill(child, sig);
        }
    }
}

/* End like the command, which left the wait status `status`; without a second core dump. */
static int end_like(int status)
{
    if (WIFSIGNALED(status)) {
        const struct rlimit none = {0, 0};
        int sig = WTERMSIG(status);
        sigset_t set;

        setrlimit(RLIMIT_CORE, &none);
        prctl(PR_SET_DUMPABLE, 0);
        signal(sig, SIG_DFL);
        raise(sig);
        sigemptyset(&set);
        sigaddset(&set, sig);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        return 128 + sig;
    }
    return WEXITSTATUS(status);
}

static bool exists_in(const char *dir, const char *entry)
{
    char *path = NULL;
    bool exists;

    if (asprintf(&path, "%s/%s", dir, entry) < 0)
        return false;
    exists = access(path, F_OK) == 0;
    free(path);
    return exists;
}

/* Path of the command beside this one, allocated; NULL without memory. */
static char *sibling(const char *name)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;
    char *path = NULL;

    if (length < 0)
        return NULL;
    self[length] = '\0';
    slash = strrchr(self, '/');
    if (!slash || asprintf(&path, "%.*s/%s", (int)(slash - self), self, name) < 0)
        return NULL;
    return path;
}

/* A file without a name where `path` is, or would be; -1 and errno. */
static int open_nameless(const char *path)
{
    char *place = strdup(path);
    int fd = -1;

    errno = ENOMEM;
    while (place && (fd = open(place, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600)) < 0 &&
           errno == ENOENT && strchr(place + 1, '/'))
        *strrchr(place, '/') = '\0';
    free(place);
    return fd;
}

/*
 * Is there room for the smallest recording where `path` is, or would be? It is tried, since a quota
 * shows only then, and counts as there where that cannot be. The size of the file stays, for beyond
 * the limit of the shell it would be a signal.
 */
static bool has_room(const char *path)
{
    enum { NEEDED = 4 << 20 };
    struct rlimit limit;
    int fd = open_nameless(path);
    int error = fd < 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, NEEDED) != 0 ? errno : 0;

    if (fd >= 0)
        close(fd);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < NEEDED)
        error = EFBIG;
    return error != ENOSPC && error != EDQUOT && error != EFBIG;
}

/*
 * Why: what nothing can be loaded into may have made any call; a launcher that fails may not even
 * have started the program.
 */
static void say_nothing_recorded(const struct run *run, int status)
{
    char path[PROGRAM_PATH_BYTES];
    const char *launcher = run->command[0];
    const char *why = program_is_out_of_reach(launcher, path);
    bool has_failed = !why && status != 0 && strcmp(launcher, run->name) != 0;

    fprintf(stderr, "spur: nothing was recorded: %s%s%s %s (see 'spur doctor %s')\n",
            has_failed ? launcher : "", has_failed ? " failed, and " : "", why ? path : run->name,
            why ? why : "made no MPI or thread call", run->name);
}

/* The command was the process `ended`, and left this wait status. */
static void finish(const struct run *run, pid_t ended, int status)
{
    char how[64];
    const char *verbose = getenv("SPUR_VERBOSE");
    char *program = sibling("spur-finish");
    pid_t child;

    if (!exists_in(run->dir, ".spur") && !exists_in(run->dir, "traces.otf2")) {
        /* Where there is no room the agent has said why. */
        if ((!verbose || strcmp(verbose, "0") != 0) && has_room(run->dir))
            say_nothing_recorded(run, status);
        free(program);
        return;
    }
    snprintf(how, sizeof(how), "%d:%d", (int)ended, status);
    child = program ? fork() : -1;
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &run->inherited_mask, NULL);
        execl(program, program, "--leave", "--child", how, run->dir, (char *)NULL);
        _exit(127);
    }
    if (child > 0) {
        int result = 0;

        while (waitpid(child, &result, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(result) && WEXITSTATUS(result) != 127) {
            free(program);
            return;
        }
    }
    fprintf(stderr, "spur: the archive is not finished; 'spur recover %s' does it\n", run->dir);
    free(program);
}

/* The agent treats what the session began with in another way than what that has started. */
static void name_first(void)
{
    char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("SPUR_ROOT", pid, 1);
    unsetenv("SPUR_CREATOR");
}

/* Start the command. *failed is readable and gets a byte when it could not be executed. */
static pid_t start(const struct run *run, int *failed)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        int status;

        sigaction(SIGCHLD, &run->inherited_chld, NULL);
        sigprocmask(SIG_SETMASK, &run->inherited_mask, NULL);
        name_first();
        status = become(run);
        if (write(ends[1], "", 1) < 0)
            status = 126;
        _exit(status);
    }
    close(ends[1]);
    *failed = ends[0];
    return child;
}

static int supervise(struct run *run)
{
    struct sigaction deliver = {.sa_handler = SIG_DFL};
    sigset_t blocked;
    sigset_t waited;
    pid_t child;
    int failed = -1;
    int status;
    char byte;

    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
        sigaddset(&waited, forwarded[i]);
    blocked = waited;
    sigaddset(&blocked, SIGPIPE); /* a closed stderr must not change how this ends */
    sigprocmask(SIG_BLOCK, &blocked, &run->inherited_mask);
    sigaction(SIGCHLD, &deliver, &run->inherited_chld);

    tell_launcher();
    child = start(run, &failed);
    if (child < 0) {
        fprintf(stderr, "spur: cannot start %s: %s\n", run->name, strerror(errno));
        status = 126 << 8;
    } else {
        status = wait_for(child, &waited);
        if (read(failed, &byte, 1) != 1)
            finish(run, child, status);
    }
    if (run->marker)
        rmdir(run->marker);
    return end_like(status);
}

int main(int argc, char **argv)
{
    struct run run = {.name = "the command"};
    int option;

    while ((option = getopt(argc, argv, "+p:d:n:m:")) != -1) {
        switch (option) {
        case 'p':
            run.library = optarg;
            break;
        case 'd':
            run.dir = optarg;
            break;
        case 'n':
            run.name = optarg;
            break;
        case 'm':
            run.marker = optarg;
            break;
        default:
            return 2;
        }
    }
    if (optind >= argc) {
        fputs("spur: spur-run needs a command\n", stderr);
        return 2;
    }
    run.command = argv + optind;
    return run.dir ? supervise(&run) : become(&run);
}
