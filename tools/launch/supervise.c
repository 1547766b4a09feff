/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/launch/supervise.h"
#include "tools/base/fail.h"

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

#include "tools/base/program.h"
#include "tools/base/say.h"
#include "tools/launch/held.h"
#include "tools/launch/inherited.h"
#include "tools/launch/launch.h"

static sigset_t inherited_mask;
static struct sigaction inherited_chld;

/* Signals that a user or a batch system may send to the launcher, meant for the program. */
static const int forwarded[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGUSR1,
                                SIGUSR2, SIGALRM, SIGPROF, SIGVTALRM, SIGXCPU};

/* The first line of a small file, without the line's end; false: no line. */
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
 * Tell the processes the identity of the launcher, "PID START BOOT/PIDSPACE": the launcher will
 * finish the archive. So the last process can see a kill of the launcher.
 */
static void tell_launcher(void)
{
    enum { START_FIELD = 22 };
    char path[48];
    char stat[1024];
    char boot[64];
    char space[64];
    char value[192];
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
    char *field;
    const char *number;

    /*
     * qemu-user makes up a start time for the process itself, different from the start time seen by
     * further processes.
     */
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
    space[length > 0 ? length : 0] = '\0';
    number = strchr(space, '[');
    if (!read_line(path, stat, sizeof(stat)) || !(field = strrchr(stat, ')')) ||
        !read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
        return;
    for (int i = 2; i < START_FIELD && field; i++)
        field = strchr(field + 1, ' ');
    snprintf(value, sizeof(value), "%d %llu %s/%llu", (int)getpid(),
             field ? strtoull(field, NULL, 10) : 0, boot,
             number ? strtoull(number + 1, NULL, 10) : 0);
    setenv("SPUR_LAUNCHER", value, 1);
}

/* For an existing command file, ENOENT means that the interpreter is missing. */
static const char *reason(const char *command, int error)
{
    if (error != ENOENT)
        return strerror(error);
    if (strchr(command, '/'))
        return access(command, F_OK) == 0 ? "the interpreter that it names does not exist"
                                          : "command not found";
    const char *nearest = launch_nearest_command(command);
    return nearest ? make_text("command not found; did you mean 'spur %s'?", nearest)
                   : "command not found";
}

static int execute(const struct run *run)
{
    int error;

    execvp(run->command[0], run->command);
    error = errno;
    say("%s: %s", run->command[0], reason(run->command[0], error));
    return error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_EXECUTE;
}

int supervise_become(const struct run *run)
{
    inherited_give_back(&run->preloaded);
    return execute(run);
}

/* For a kernel whose rules forbid waiting for signals: the signals act on this process as usual. */
static int wait_plainly(pid_t child, const sigset_t *waited)
{
    int status = 0;

    sigprocmask(SIG_UNBLOCK, waited, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/*
 * Wait for the command, passing on signals of foreign processes. Signals of the terminal go to the
 * whole foreground group, so the command already has these signals.
 */
static int wait_for(pid_t child, const char *dir, const sigset_t *waited)
{
    int status = 0;

    for (;;) {
        siginfo_t info;
        int sig = sigwaitinfo(waited, &info);

        if (sig < 0 && errno != EINTR && errno != EAGAIN)
            return wait_plainly(child, waited);
        if (sig == SIGCHLD) {
            held_look(dir, info.si_code <= 0); /* sent by a process that has made a session */
            if (waitpid(child, &status, WNOHANG) == child)
                return status;
        } else if (sig > 0 && info.si_code <= 0) {
            kill(child, sig);
        }
    }
}

/* End like the command, by the command's wait status `status`, but without a second core dump. */
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
    char *path = make_text("%s/%s", dir, entry);
    bool exists = access(path, F_OK) == 0;

    free(path);
    return exists;
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
 * Could the smallest recording be made at `path`, or in its future place? The function tries, since
 * a quota shows only in a try, as does a sandbox that refuses to set the size of a file. Where a
 * try is impossible, the answer is yes. The size of the file stays unchanged, since a size beyond
 * the limit of the shell would cause a signal.
 */
static bool could_record(const char *path)
{
    enum { NEEDED = 4 << 20 };
    struct rlimit limit;
    int fd = open_nameless(path);
    int error = fd < 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, NEEDED) != 0 ? errno : 0;
    bool is_refused = fd >= 0 && ftruncate(fd, 0) != 0;

    if (fd >= 0)
        close(fd);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < NEEDED)
        error = EFBIG;
    return !is_refused && error != ENOSPC && error != EDQUOT && error != EFBIG;
}

/*
 * Say the reason: a program beyond the reach of preloaded libraries may have made any call; a
 * failing launcher may not even have started the program.
 */
static void say_nothing_recorded(const struct run *run, int status)
{
    char path[PROGRAM_PATH_BYTES];
    const char *launcher = run->command[0];
    const char *why = program_is_out_of_reach(launcher, path);
    bool has_failed = !why && status != 0 && strcmp(launcher, run->name) != 0;
    char *sieves = why ? NULL : launch_sieves();
    bool has_sieves = sieves && *sieves;
    const char *made = launch_records_files() ? "made no MPI, OpenMP, thread or file call"
                                              : "made no MPI, OpenMP or thread call";

    if (launch_drops_preload(run->command))
        made = "runs without the agent, since the command takes LD_PRELOAD from the program";
    launch_say_wrong_settings(); /* the agent reports wrong settings of recorded programs itself */
    say("nothing was recorded: %s%s%s %s%s%s (see 'spur doctor %s')", has_failed ? launcher : "",
        has_failed ? " failed, and " : "", why ? path : run->name, why ? why : made,
        has_sieves ? " that passes " : "", has_sieves ? sieves : "", run->name);
    free(sieves);
}

/* False: spur-finish could not be executed. */
static bool make_archive(const struct run *run, const char *dir, pid_t ended, int status)
{
    char how[64];
    char *program = make_text("%s/spur-finish", run->libexec);
    int result = 0;
    pid_t child;

    snprintf(how, sizeof(how), "%d:%d", (int)ended, status);
    child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &inherited_mask, NULL);
        execl(program, program, "--leave", "--child", how, dir, (char *)NULL);
        _exit(LAUNCH_NOT_FOUND);
    }
    free(program);
    while (child > 0 && waitpid(child, &result, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(result) && WEXITSTATUS(result) != LAUNCH_NOT_FOUND;
}

static void finish_in(const struct run *run, const char *dir, pid_t ended, int status)
{
    if (!make_archive(run, dir, ended, status))
        say("the archive is not finished; run 'spur recover %s'", dir);
}

bool launch_is_silent(void)
{
    const char *verbose = getenv("SPUR_VERBOSE");

    return verbose && strcmp(verbose, "0") == 0;
}

/*
 * Finish the session made by the first processes, if the session was moved; true: the session is
 * not at its old place.
 */
static bool finish_moved(const struct run *run, pid_t ended, int status)
{
    char *place = NULL;
    enum held held = held_find(run->dir, &place);

    if (held == HELD_REMOVED && !launch_is_silent())
        say("%s was removed while the program ran, and what was recorded with it", run->dir);
    if (held == HELD_LOST && !launch_is_silent())
        say("%s was renamed or removed as soon as it was there; 'spur recover' finishes what is "
            "left of it",
            run->dir);
    if (held == HELD_MOVED && !launch_is_silent())
        say("%s was renamed to %s while the program ran", run->dir, place);
    if (held == HELD_MOVED)
        finish_in(run, place, ended, status);
    free(place);
    return held == HELD_LOST || held == HELD_MOVED || held == HELD_REMOVED;
}

/*
 * The archive of a command beyond the reach of preloaded libraries contains only the programs
 * started by the command, and looks complete.
 */
static void say_not_itself(const struct run *run)
{
    char path[PROGRAM_PATH_BYTES];
    bool is_asked = !launch_is_silent() && !launch_is_mpi_starter(run->command[0]);
    const char *why = is_asked ? program_is_out_of_reach(run->command[0], path) : NULL;

    if (why)
        say("only what %s has started is recorded: it %s", path, why);
}

/* The command was the process `ended`, and left the wait status `status`. */
static void finish(const struct run *run, pid_t ended, int status)
{
    bool is_moved = finish_moved(run, ended, status);

    /* Processes that began afterwards have made a new session of the same name. */
    if (exists_in(run->dir, ".spur") || (!is_moved && exists_in(run->dir, "traces.otf2"))) {
        finish_in(run, run->dir, ended, status);
        say_not_itself(run);
    } else if (!is_moved && !launch_is_silent() && could_record(run->dir)) {
        say_nothing_recorded(run, status); /* else the agent has said why */
    }
}

/*
 * The agent treats the first process of the session differently from the processes started later.
 */
static void name_first(void)
{
    char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("SPUR_ROOT", pid, 1);
    unsetenv("SPUR_CREATOR");
    unsetenv("SPUR_STDERR");
    unsetenv("SPUR_LEFT_OUT");
}

/* Start the command. *failed is readable and gets a byte when the command could not be executed. */
static pid_t start(const struct run *run, int *failed)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    inherited_take_timers();
    child = fork();
    if (child == 0) {
        int status;

        sigaction(SIGCHLD, &inherited_chld, NULL);
        name_first();
        inherited_give_back(&run->preloaded);
        sigprocmask(SIG_SETMASK, &inherited_mask, NULL);
        status = execute(run);
        if (write(ends[1], "", 1) < 0)
            status = LAUNCH_CANNOT_EXECUTE;
        _exit(status);
    }
    close(ends[1]);
    *failed = ends[0];
    return child;
}

/* A limit on processes or descriptors, or a sandbox: without spur the program runs. */
static int run_alone(const struct run *run, int error)
{
    const struct run plain = {.command = run->command};

    say("cannot start a process beside this one: %s; %s runs untraced", strerror(error),
        run->command[0]);
    unsetenv("SPUR_DIR");
    unsetenv("SPUR_SESSION");
    unsetenv("SPUR_LAUNCHER");
    if (run->marker)
        unlink(run->marker);
    sigaction(SIGCHLD, &inherited_chld, NULL);
    sigprocmask(SIG_SETMASK, &inherited_mask, NULL);
    return supervise_become(&plain);
}

int supervise(const struct run *run)
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
    sigaddset(&blocked, SIGPIPE); /* a closed stderr must not change the way the launcher ends */
    sigprocmask(SIG_BLOCK, &blocked, &inherited_mask);
    sigaction(SIGCHLD, &deliver, &inherited_chld);

    tell_launcher();
    child = start(run, &failed);
    if (child < 0)
        return run_alone(run, errno);
    status = wait_for(child, run->dir, &waited);
    if (read(failed, &byte, 1) != 1)
        finish(run, child, status);
    if (run->marker)
        unlink(run->marker);
    return end_like(status);
}
