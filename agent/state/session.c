/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/state/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "base/beneath.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "session/batch.h"
#include "session/launchers.h"
#include "session/local_place.h"

enum { UNIQUE_TRIES = 1000, ANCESTORS = 16, CHOICES = 4 };

const char *spur_session_program(void)
{
    const char *name = program_invocation_short_name;
    return name && *name ? name : "program";
}

bool spur_session_is_launcher(void)
{
    return spur_session_is_launcher_name(spur_session_program());
}

/*
 * Jobs of batch systems that start ranks by a launcher of their own on each host: the variables of
 * the job are the same on all hosts. A job of a batch system may run within a job of another batch
 * system: then only the variable of the launcher tells the right system. The values are kept from
 * the start, as a program may change its environment.
 */
static struct job_step {
    const char *launcher, *job, *step, *restart;
    char key[64]; /* "": no job of this system */
} job_steps[] = {
#define JOB_STEP(part, job, step, restart) {part, job, step, restart, ""},
#include "session/job_steps.def"
#undef JOB_STEP
};

enum { JOB_STEPS = sizeof job_steps / sizeof job_steps[0] };

/*
 * The value of a variable, as a part of a file's name; NULL: the variable is not set, or is no
 * name. "": the job has no such part.
 */
static const char *told_part(const char *variable)
{
    const char *value = *variable ? secure_getenv(variable) : "";
    return value && !strchr(value, '/') ? value : NULL;
}

static void keep_job_steps(void)
{
    for (struct job_step *of = job_steps; of < job_steps + JOB_STEPS; of++) {
        const char *job = told_part(of->job), *step = told_part(of->step);
        const char *restart = told_part(of->restart);
        bool is_first = !restart || !*restart || strcmp(restart, "0") == 0;
        if (job && step)
            snprintf(of->key, sizeof of->key, "%.15s-%.20s.%.20s%s%.4s", of->launcher, job, step,
                     is_first ? "" : ".", is_first ? "" : restart);
    }
}

static const char *key_of_step(const char *launcher)
{
    for (const struct job_step *of = job_steps; of < job_steps + JOB_STEPS; of++)
        if (of->key[0] && strcmp(launcher, of->launcher) == 0)
            return of->key;
    return NULL;
}

/*
 * The common key of all ranks of a job: the job of a batch system, else the launcher above the
 * ranks.
 */
bool spur_session_job(char *key, size_t size)
{
    struct spur_procfs_stat stat;
    if (!spur_procfs_stat((int)getpid(), &stat))
        return false;
    for (int i = 0; i < ANCESTORS && stat.ppid > 1; i++) {
        int pid = stat.ppid;
        if (!spur_procfs_stat(pid, &stat))
            return false;
        if (spur_session_is_launcher_name(stat.name)) {
            const char *step = key_of_step(stat.name);
            if (step)
                snprintf(key, size, "%s", step);
            else
                snprintf(key, size, "%d-%llu", pid, (unsigned long long)stat.start);
            return true;
        }
    }
    return false;
}

bool spur_session_is_rank(void)
{
    static const char *const hints[] = {
#define RANK_VARIABLE(name, ...) name,
#include "session/rank_variables.def"
#undef RANK_VARIABLE
    };
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (secure_getenv(hints[i]))
            return true;
    return false;
}

/*
 * The time when the process began, for the name of a session. A later conversion would look for TZ,
 * and wait for a lock of libc. The program may hold the lock where a sample has interrupted the
 * program.
 */
static char began[32];

static void note_time(void)
{
    const uint64_t second = 1000000000;
    const time_t now = (time_t)(spur_clock_ns(CLOCK_REALTIME) / second);
    struct tm parts;
    if (localtime_r(&now, &parts))
        strftime(began, sizeof began, "%Y%m%d-%H%M%S", &parts);
}

static void default_name(char *out, size_t size)
{
    char job[SPUR_BATCH_TAG_BYTES], restart[SPUR_BATCH_RESTART_BYTES];
    spur_batch_tag(job);
    spur_batch_restart(restart);
    char cwd[SPUR_PATH_BYTES - 512];
    if (syscall(SYS_getcwd, cwd, sizeof cwd) < 0)
        strcpy(cwd, ".");
    snprintf(out, size, "%s/spur-%.200s%s%s-%s", cwd, spur_session_program(), job, restart, began);
}

/*
 * Programs change their working directory, and so do programs that start other programs. So
 * SPUR_DIR becomes absolute.
 */
static void announce_absolute(const char *dir)
{
    char value[SPUR_PATH_BYTES];
    long n = dir[0] == '/' ? 0 : syscall(SYS_getcwd, value, sizeof value);
    if (n > 0 && (size_t)snprintf(value + n - 1, sizeof value - (size_t)n, "/%s", dir) <
                     sizeof value - (size_t)n)
        setenv("SPUR_DIR", value, 1); // NOLINT(concurrency-mt-unsafe): before main()
}

/*
 * Announces this process as the first of its session: the archive is made by the first process, or
 * by the last process that outlives the first.
 */
static void announce_root(void)
{
    char value[64];
    struct spur_procfs_stat stat;
    if (spur_procfs_stat((int)getpid(), &stat)) {
        snprintf(value, sizeof value, "%d-%llu", (int)getpid(), (unsigned long long)stat.start);
        setenv("SPUR_ROOT", value, 1); // NOLINT(concurrency-mt-unsafe): before main()
    }
}

void spur_session_announce(const struct spur_config *config)
{
    char value[SPUR_PATH_BYTES];
    bool is_alone = !spur_session_is_launcher() && !config->job && !spur_process.is_rank;
    if (config->dir) {
        announce_absolute(config->dir);
        if (is_alone && !config->session && !config->root)
            announce_root();
        return;
    }
    note_time();
    keep_job_steps();
    if (spur_session_is_launcher()) {
        struct spur_procfs_stat stat;
        if (!config->job && spur_procfs_stat((int)getpid(), &stat)) {
            snprintf(value, sizeof value, "%d-%llu", (int)getpid(), (unsigned long long)stat.start);
            setenv("SPUR_JOB", value, 0); // NOLINT(concurrency-mt-unsafe): before main()
        }
    } else if (is_alone) {
        default_name(value, sizeof value);
        setenv("SPUR_DIR", value, 0); // NOLINT(concurrency-mt-unsafe): before main()
        announce_root();
    }
}

/*
 * The launcher's pid, from "PID START BOOT/PIDSPACE", as written by the launcher. 0: of another
 * host or container, -1: gone.
 */
static int find_launcher(const struct spur_config *config)
{
    char boot[SPUR_BOOT_ID_BYTES], here[96];
    char *end;
    unsigned long pid = strtoul(config->launcher, &end, 10);
    unsigned long long start = strtoull(end, &end, 10);
    spur_procfs_boot_id(boot);
    snprintf(here, sizeof here, " %s/%llu", boot, (unsigned long long)spur_procfs_pid_space());
    if (strcmp(end, here) != 0)
        return 0;
    return spur_procfs_runs((int)pid, start) ? (int)pid : -1;
}

bool spur_session_is_supervised(const struct spur_config *config)
{
    if (!config->session || !config->launcher)
        return config->session != NULL;
    return find_launcher(config) >= 0;
}

static bool has_made_it;  /* this process has made the session */
static bool has_made_dir; /* perhaps only the directory */

bool spur_session_has_made_dir(void)
{
    return has_made_dir;
}

void spur_session_tell_launcher(const struct spur_config *config)
{
    bool is_ours = has_made_it && config->session && config->launcher;
    int pid = is_ours ? find_launcher(config) : 0;
    if (pid > 0)
        syscall(SYS_kill, pid, SIGCHLD);
}

/* Makes a directory under a free name: NAME, NAME-2, NAME-3, ... */
static int make_unique(char *dir, size_t size)
{
    size_t length = strlen(dir);
    for (int i = 2; syscall(SYS_mkdirat, AT_FDCWD, dir, 0700) < 0; i++) {
        if (errno != EEXIST || i > UNIQUE_TRIES)
            return -errno;
        snprintf(dir + length, size - length, "-%d", i);
    }
    has_made_dir = true;
    return 0;
}

/*
 * Reads the name in the link, if a rank of this user has made the link: other users may make a link
 * in a working directory that is open to everybody, and lead the ranks anywhere. -ENOENT: there is
 * no link.
 */
static int read_job_link(const char *link, char *name, size_t size)
{
    struct stat info;
    if (lstat(link, &info) < 0)
        return -errno;
    ssize_t n = readlink(link, name, size - 1);
    if (n < 0)
        return -errno;
    name[n] = '\0';
    if (info.st_uid != geteuid())
        return -SPUR_FOREIGN;
    return spur_beneath_is_name(name) ? 0 : -ELOOP;
}

/*
 * Has the same user made the directory named by the link? The directory itself must not be a link.
 */
static int check_job_dir(const char *dir)
{
    struct stat info;
    if (lstat(dir, &info) < 0)
        return errno == ENOENT ? 0 : -errno; /* finished already: to be made again */
    if (!S_ISDIR(info.st_mode))
        return S_ISLNK(info.st_mode) ? -ELOOP : -ENOTDIR;
    return info.st_uid == geteuid() ? 0 : -SPUR_FOREIGN;
}

static int use_job_link(const char *link, char *dir, size_t size)
{
    char name[SPUR_PATH_BYTES];
    int err = read_job_link(link, name, sizeof name);
    if (err == -ENOENT)
        return err;
    if (err) {
        snprintf(dir, size, "%s", link);
        return err;
    }
    char *slash = strrchr(dir, '/') + 1;
    if ((size_t)snprintf(slash, size - (size_t)(slash - dir), "%s", name) >=
        size - (size_t)(slash - dir))
        return -ENAMETOOLONG;
    return check_job_dir(dir);
}

/*
 * Ranks without a common SPUR_DIR agree through a symbolic link named after their job: the first
 * rank makes the directory and then the link, the other ranks read the link. Finishing removes the
 * link.
 */
static int rendezvous(const char *key, char *dir, size_t size)
{
    char link[SPUR_PATH_BYTES];
    default_name(dir, size);
    char *slash = strrchr(dir, '/');
    if (snprintf(link, sizeof link, "%.*s/.spur-job-%s", (int)(slash - dir), dir, key) >=
        (int)sizeof link)
        return -ENAMETOOLONG;
    for (int i = 0; i < UNIQUE_TRIES; i++) {
        int err = use_job_link(link, dir, size);
        if (err != -ENOENT)
            return err;
        err = make_unique(dir, size);
        if (err)
            return err;
        if (symlink(slash + 1, link) == 0)
            return 0;
        err = errno;
        rmdir(dir); /* another rank was faster */
        has_made_dir = false;
        if (err != EEXIST)
            return -err;
    }
    return -EEXIST;
}

/*
 * A given directory may exist if the directory is this session's or empty; an archive is never
 * overwritten. The first process that needs the directory makes the directory.
 */
static int use_given(const char *given, char *dir, size_t size)
{
    if ((size_t)snprintf(dir, size, "%s", given) >= size)
        return -ENAMETOOLONG;
    return spur_session_is_over(dir) ? -EEXIST : 0;
}

/* If the session was finished while this process lived, further records start a new session. */
static int use_given_or_next(const struct spur_config *config, char *dir, size_t size)
{
    int err = use_given(config->dir, dir, size);
    if (err == -EEXIST && !config->session)
        return make_unique(dir, size);
    return err;
}

void spur_session_name(char *name, int pid, uint64_t start_ns)
{
    struct utsname host;
    if (uname(&host) < 0)
        strcpy(host.nodename, "localhost");
    for (char *p = host.nodename; *p; p++)
        if (*p == '/' || *p == ':')
            *p = '_';
    snprintf(name, SPUR_NAME_BYTES, "%.64s.%d.%llu", host.nodename, pid,
             (unsigned long long)start_ns);
}

/*
 * Makes the session's directories. For all processes of the session but the first the directories
 * are already there. The files of the future archive must not be there: such a file is somebody's,
 * or a link to somewhere.
 */
static int make_session_dirs(char *dir)
{
    static const char *const made[] = {"traces", "traces.def"};
    char path[SPUR_PATH_BYTES + 16];
    if (syscall(SYS_mkdirat, AT_FDCWD, dir, 0700) == 0) {
        has_made_dir = true;
    } else {
        if (errno != EEXIST)
            return -errno;
        for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
            snprintf(path, sizeof path, "%s/%s", dir, made[i]);
            if (spur_file_is_there(path)) {
                snprintf(dir, SPUR_PATH_BYTES, "%.*s", SPUR_PATH_BYTES - 1, path);
                return -EEXIST;
            }
        }
    }
    snprintf(path, sizeof path, "%s/.spur", dir);
    int err = spur_beneath_mkdir(path, 0700);
    return err == -EEXIST ? 0 : err;
}

int spur_session_make(const char *session, const char *name)
{
    int folder = spur_beneath_open(session, O_PATH | O_DIRECTORY, 0);
    if (folder < 0)
        return folder;
    int err = syscall(SYS_mkdirat, folder, name, 0700) < 0 ? -errno : 0;
    if (!err) {
        err = spur_beneath_check_owner(folder, name);
        if (err)
            syscall(SYS_unlinkat, folder, name, AT_REMOVEDIR);
    }
    syscall(SYS_close, folder);
    return err;
}

bool spur_session_is_over(const char *dir)
{
    char anchor[SPUR_PATH_BYTES + 16];
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", dir);
    return spur_file_is_there(anchor);
}

static int leave_folder(const char *session, const char *name)
{
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 16];
    snprintf(path, sizeof path, "%s/%s", session, name);
    (void)spur_beneath_rmdir(path);
    return -ESTALE;
}

/* Makes a folder in DIR/.spur, if need be. -ESTALE: the session is over. */
static int make_folder(char *dir, const char *name)
{
    char session[SPUR_PATH_BYTES + 16];
    snprintf(session, sizeof session, "%s/.spur", dir);
    int err = spur_session_make(session, name);
    has_made_it = false;
    if (err == -ENOENT) {
        err = make_session_dirs(dir);
        if (!err)
            err = spur_session_make(session, name);
        has_made_it = !err;
    }
    if (!err && spur_session_is_over(dir))
        err = leave_folder(session, name);
    if (err == -ELOOP || err == -SPUR_FOREIGN)
        snprintf(dir, SPUR_PATH_BYTES, "%.*s", SPUR_PATH_BYTES - 1, session);
    return err;
}

static int choose(const struct spur_config *config, char *dir)
{
    char key[64];
    int err;
    has_made_dir = false;
    if (config->dir)
        err = use_given_or_next(config, dir, SPUR_PATH_BYTES);
    else if (config->job || spur_session_job(key, sizeof key))
        err = rendezvous(config->job ? config->job : key, dir, SPUR_PATH_BYTES);
    else {
        default_name(dir, SPUR_PATH_BYTES);
        err = make_unique(dir, SPUR_PATH_BYTES);
    }
    return err;
}

static const char hosts_folder[] = SPUR_HOSTS_FOLDER;

static bool has_hosts(const char *dir)
{
    char path[SPUR_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/.spur/" SPUR_HOSTS_FOLDER, dir);
    return spur_file_is_there(path);
}

/*
 * Chooses a session and makes a folder in its directory. Between both steps another process may
 * have finished the session. Then the next choice is another session, or is refused. *is_chosen:
 * the choice itself was without error.
 */
static int make_chosen(const struct spur_config *config, char *dir, const char *name,
                       bool *is_chosen)
{
    int err = -ESTALE;
    for (int i = 0; (err == -ESTALE || err == -EEXIST) && i < CHOICES; i++) {
        err = choose(config, dir);
        *is_chosen = err == 0;
        if (err)
            return err;
        err = make_folder(dir, name);
        if (err == -EEXIST && name == hosts_folder && has_hosts(dir))
            err = 0;
    }
    return err == -ESTALE ? -EEXIST : err;
}

int spur_session_begin(const struct spur_config *config, char *dir)
{
    bool is_chosen;
    return make_chosen(config, dir, hosts_folder, &is_chosen);
}

int spur_session_open(const struct spur_config *config, uint64_t start_ns, char *dir, char *name)
{
    bool is_chosen;
    spur_session_name(name, (int)getpid(), start_ns);
    int err = make_chosen(config, dir, name, &is_chosen);
    if (!is_chosen || err == -ELOOP || err == -SPUR_FOREIGN || err == -EEXIST)
        name[0] = '\0'; /* this process must not remove any of the files */
    return err;
}
