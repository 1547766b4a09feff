/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/launchers.h"
#include "agent/process.h"
#include "agent/procfs.h"

enum { UNIQUE_TRIES = 1000, ANCESTORS = 16 };

const char *spur_session_program(void)
{
    const char *name = program_invocation_short_name;
    return name && *name ? name : "program";
}

bool spur_session_is_launcher(void)
{
    return spur_session_is_launcher_name(spur_session_program());
}

/* What all ranks of a job on this host have in common: the launcher above them. */
static bool job_above(char *key, size_t size)
{
    struct spur_procfs_stat stat;
    if (!spur_procfs_stat((int)getpid(), &stat))
        return false;
    for (int i = 0; i < ANCESTORS && stat.ppid > 1; i++) {
        int pid = stat.ppid;
        if (!spur_procfs_stat(pid, &stat))
            return false;
        if (spur_session_is_launcher_name(stat.name)) {
            snprintf(key, size, "%d-%llu", pid, (unsigned long long)stat.start);
            return true;
        }
    }
    return false;
}

bool spur_session_is_rank(void)
{
    static const char *const hints[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID", "MV2_COMM_WORLD_RANK"};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (secure_getenv(hints[i]))
            return true;
    return false;
}

static void default_name(char *out, size_t size)
{
    char when[32] = "";
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    if (localtime_r(&now.tv_sec, &parts))
        strftime(when, sizeof when, "%Y%m%d-%H%M%S", &parts);
    char cwd[SPUR_PATH_BYTES - 512];
    if (syscall(SYS_getcwd, cwd, sizeof cwd) < 0)
        strcpy(cwd, ".");
    snprintf(out, size, "%s/spur-%.200s-%s", cwd, spur_session_program(), when);
}

/* Programs change their working directory, and so do those that start others. */
static void announce_absolute(const char *dir)
{
    char value[SPUR_PATH_BYTES];
    long n = dir[0] == '/' ? 0 : syscall(SYS_getcwd, value, sizeof value);
    if (n > 0 && (size_t)snprintf(value + n - 1, sizeof value - (size_t)n, "/%s", dir) <
                     sizeof value - (size_t)n)
        setenv("SPUR_DIR", value, 1); // NOLINT(concurrency-mt-unsafe): before main()
}

void spur_session_announce(const struct spur_config *config)
{
    char value[SPUR_PATH_BYTES];
    if (config->dir) {
        announce_absolute(config->dir);
        return;
    }
    if (spur_session_is_launcher()) {
        struct spur_procfs_stat stat;
        if (!config->job && spur_procfs_stat((int)getpid(), &stat)) {
            snprintf(value, sizeof value, "%d-%llu", (int)getpid(), (unsigned long long)stat.start);
            setenv("SPUR_JOB", value, 0); // NOLINT(concurrency-mt-unsafe): before main()
        }
    } else if (!config->job && !spur_session_is_rank()) {
        default_name(value, sizeof value);
        setenv("SPUR_DIR", value, 0); // NOLINT(concurrency-mt-unsafe): before main()
        struct spur_procfs_stat stat;
        if (spur_procfs_stat((int)getpid(), &stat)) {
            snprintf(value, sizeof value, "%d-%llu", (int)getpid(), (unsigned long long)stat.start);
            setenv("SPUR_ROOT", value, 1); // NOLINT(concurrency-mt-unsafe): before main()
        }
    }
}

/* "PID START BOOT/PIDSPACE", as spur-run writes it. */
bool spur_session_is_supervised(const struct spur_config *config)
{
    char boot[SPUR_BOOT_ID_BYTES], here[96];
    struct spur_procfs_stat stat;
    if (!config->session || !config->launcher)
        return config->session != NULL;
    char *end;
    unsigned long pid = strtoul(config->launcher, &end, 10);
    unsigned long long start = strtoull(end, &end, 10);
    spur_procfs_boot_id(boot);
    snprintf(here, sizeof here, " %s/%llu", boot, (unsigned long long)spur_procfs_pid_space());
    if (strcmp(end, here) != 0)
        return true;
    return spur_procfs_stat((int)pid, &stat) && stat.start == start && stat.state != 'Z' &&
           stat.state != 'X';
}

/* A directory that nobody else made: NAME, NAME-2, NAME-3, ... */
static int make_unique(char *dir, size_t size)
{
    size_t length = strlen(dir);
    for (int i = 2; mkdir(dir, 0700) < 0; i++) {
        if (errno != EEXIST || i > UNIQUE_TRIES)
            return -errno;
        snprintf(dir + length, size - length, "-%d", i);
    }
    return 0;
}

/*
 * Ranks without a common SPUR_DIR agree through a symbolic link named after their job: the first
 * one makes the directory and then the link, the others read it. Finishing removes it.
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
        char target[SPUR_PATH_BYTES];
        ssize_t n = readlink(link, target, sizeof target - 1);
        if (n > 0) {
            target[n] = '\0';
            snprintf(slash + 1, size - (size_t)(slash + 1 - dir), "%s", target);
            return 0;
        }
        int err = make_unique(dir, size);
        if (err)
            return err;
        if (symlink(slash + 1, link) == 0)
            return 0;
        err = errno;
        rmdir(dir); /* another rank was faster */
        if (err != EEXIST)
            return -err;
    }
    return -EEXIST;
}

/*
 * A given directory may exist if it is this session's or empty; an archive is never overwritten.
 * Whoever needs it first makes it.
 */
static int use_given(const char *given, char *dir, size_t size)
{
    char probe[SPUR_PATH_BYTES + 16];
    if ((size_t)snprintf(dir, size, "%s", given) >= size)
        return -ENAMETOOLONG;
    snprintf(probe, sizeof probe, "%s/traces.otf2", dir);
    if (access(probe, F_OK) == 0)
        return -EEXIST;
    return 0;
}

/* A session that was finished while this process lived: what is recorded now starts a new one. */
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

static int make_dir(const char *path)
{
    return mkdir(path, 0700) < 0 ? -errno : 0;
}

/* The session's own directories are there for all processes of it but the first. */
static int make_session_dirs(const char *dir)
{
    char path[SPUR_PATH_BYTES + 16];
    int err = make_dir(dir);
    if (err && err != -EEXIST)
        return err;
    snprintf(path, sizeof path, "%s/.spur", dir);
    err = make_dir(path);
    return err == -EEXIST ? 0 : err;
}

static int make_process_dir(char *dir, char *name, uint64_t start_ns)
{
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 16];
    spur_session_name(name, (int)getpid(), start_ns);
    snprintf(path, sizeof path, "%s/.spur/%s", dir, name);
    int err = make_dir(path);
    if (err == -ENOENT) {
        err = make_session_dirs(dir);
        if (!err)
            err = make_dir(path);
    }
    return err;
}

int spur_session_open(const struct spur_config *config, uint64_t start_ns, char *dir, char *name)
{
    char key[64];
    int err;
    if (config->dir)
        err = use_given_or_next(config, dir, SPUR_PATH_BYTES);
    else if (config->job || job_above(key, sizeof key))
        err = rendezvous(config->job ? config->job : key, dir, SPUR_PATH_BYTES);
    else {
        default_name(dir, SPUR_PATH_BYTES);
        err = make_unique(dir, SPUR_PATH_BYTES);
    }
    return err ? err : make_process_dir(dir, name, start_ns);
}
