/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/job_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/base/digest.h"
#include "tools/base/say.h"

static pid_t watcher;
static int word = -1; /* pipe to the watcher */

/*
 * The standard error of a foreign process. The rank's own standard error leads to the same place
 * through the launcher, and to nowhere after the launcher's end. -1: no access.
 */
static int standard_error_of(long process)
{
    char path[64];
    struct stat st;
    int pidfd = process ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
    int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, STDERR_FILENO, 0);
    if (pidfd >= 0)
        (void)close(pidfd);
    if (fd >= 0 || !process)
        return fd;
    /*
     * Systems may forbid pidfd_getfd(). A file cannot be opened anew: only the launcher knows the
     * end of the file.
     */
    (void)snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, STDERR_FILENO);
    if (stat(path, &st) || (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode)))
        return -1;
    fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, 0);
    return fd;
}

static volatile sig_atomic_t is_said;

static void on_said(int number)
{
    (void)number;
    is_said = 1;
}

/* The words that the rank writes to the watcher: a letter and a text, up to a zero byte. */
enum word { END = 'E', SAID = 'S', REMOVE = 'R' };

_Noreturn static void keep_watch(FILE *from)
{
    char *text = NULL;
    char *file = NULL;
    size_t room = 0;
    while (getdelim(&text, &room, '\0', from) > 0) {
        if (*text == END)
            _exit(EXIT_SUCCESS);
        if (*text == SAID)
            is_said = 1;
        if (*text == REMOVE) {
            free(file);
            file = strdup(text + 1);
        }
    }
    if (file)
        (void)unlink(file);
    if (!is_said)
        say("a rank of this job was killed: there is no result");
    _exit(EXIT_SUCCESS);
}

_Noreturn static void watch(int from, long launcher)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)setsid();
    /*
     * The inherited descriptors belong to the rank: by their end a launcher sees the end of the
     * rank.
     */
    (void)dup2(from, STDIN_FILENO);
    int to = standard_error_of(launcher);
    if (to >= 0)
        (void)dup2(to, STDERR_FILENO);
    (void)close(STDOUT_FILENO);
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    FILE *words = fdopen(STDIN_FILENO, "r");
    if (words)
        keep_watch(words);
    _exit(EXIT_FAILURE);
}

void job_watch(long launcher)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    void (*before)(int) = signal(SIGUSR1, on_said); /* ranks learn of the watcher only later */
    watcher = fork();
    if (watcher == 0)
        watch(ends[0], launcher);
    (void)signal(SIGUSR1, before);
    (void)close(ends[0]);
    if (watcher > 0)
        word = ends[1];
    else
        (void)close(ends[1]);
}

static void write_word(enum word kind, const char *text)
{
    char bytes[PATH_MAX + 2];
    int n = snprintf(bytes, sizeof bytes, "%c%s", kind, text);
    if (word < 0 || n < 0 || n >= (int)sizeof bytes)
        return;
    while (write(word, bytes, (size_t)n + 1) < 0 && errno == EINTR) {
    }
}

void job_watch_file(const char *path)
{
    write_word(REMOVE, path);
}

void job_watch_end(void)
{
    if (word < 0)
        return;
    write_word(END, "");
    (void)close(word);
    word = -1;
}

void job_watch_said(void)
{
    write_word(SAID, "");
}

/* ---- for the remaining ranks ---- */

/*
 * A number equal for all processes of a host: on hosts with the same number, a process number means
 * the same process.
 */
static uint64_t host(void)
{
    char text[128] = "";
    uint64_t digest = DIGEST_BEGIN;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    size_t n = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        (void)fclose(file);
    digest = digest_add(digest, text, n);
    ssize_t length = readlink("/proc/self/ns/pid", text, sizeof text);
    return digest_add(digest, text, length > 0 ? (size_t)length : 0);
}

struct job_watcher job_watcher(void)
{
    return (struct job_watcher){word < 0 ? 0 : (uint64_t)watcher, host()};
}

bool job_watcher_is_far(struct job_watcher other)
{
    return other.process && other.host != host();
}

void job_watcher_told(struct job_watcher other)
{
    if (other.process && other.host == host())
        (void)kill((pid_t)other.process, SIGUSR1);
}
