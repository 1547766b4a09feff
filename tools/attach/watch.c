/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "finish/finish.h"
#include "tools/attach/anew.h"

enum { FIRST = STDERR_FILENO + 1 }; /* the descriptors of memory, in the watching process */

/* ---- the watching process ---- */

static void nap(long ms)
{
    enum { SECOND_MS = 1000, MS_NS = 1000000 };
    const struct timespec time = {.tv_sec = ms / SECOND_MS, .tv_nsec = ms % SECOND_MS * MS_NS};
    nanosleep(&time, NULL);
}

/*
 * Is the process still in use? Not after its end, nor as a new program: then the old memory is
 * gone, at any address.
 */
static bool is_in_use(int memory)
{
    char byte;
    return pread(memory, &byte, 1, 0) != 0;
}

static bool is_any_in_use(int n)
{
    for (int i = 0; i < n; i++)
        if (is_in_use(FIRST + i))
            return true;
    return false;
}

/*
 * Finds the session's directory even after a renaming. False: the directory was removed, or the
 * archive exists already.
 */
static bool find_session(int directory, char *place, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t n = readlinkat(AT_FDCWD, link, place, size - 1);
    if (n <= 0)
        return false;
    place[n] = '\0';
    return faccessat(directory, ".spur", F_OK, 0) == 0;
}

/*
 * Waits, since further processes may still record: children of the processes, and processes of
 * further commands and hosts. Each such process can make the archive at the process's end. The
 * waiting has a limit.
 */
void watch_here(char **words)
{
    enum { SHORT_MS = 250, LONG_MS = 8000, PATIENCE_MS = 3600000 };
    const struct spur_finish_options options = {.quiet = true, .unasked = true};
    char path[PATH_MAX];
    int directory = open(words[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int n = (int)strtol(words[1], NULL, 10);
    long ms = SHORT_MS;
    (void)prctl(PR_SET_NAME, "spur-attach");
    signal(SIGXFSZ, SIG_IGN); /* the error alone reports the limit */
    while (is_any_in_use(n) && find_session(directory, path, sizeof path))
        nap(SHORT_MS);
    for (long waited = 0; waited < PATIENCE_MS; waited += ms) {
        if (!find_session(directory, path, sizeof path) || spur_finish(path, &options) != -EBUSY)
            break;
        ms = ms < LONG_MS ? 2 * ms : LONG_MS;
        nap(ms);
    }
    _exit(0);
}

/* ---- the beginning ---- */

/* No descriptor of the caller stays open: the caller may wait for the end of a pipe. */
static bool leave(const int *memory, int n)
{
    int nothing = open("/dev/null", O_RDWR);
    bool is_left = setsid() >= 0 && nothing >= 0 && chdir("/") == 0;
    for (int i = 0; i < FIRST && is_left; i++)
        is_left = dup2(nothing, i) == i;
    /*
     * The descriptors were opened in sequence, each as the lowest free number: so none is below its
     * new number.
     */
    for (int i = 0; i < n && is_left; i++)
        is_left = memory[i] == FIRST + i ? fcntl(memory[i], F_SETFD, 0) == 0
                                         : dup2(memory[i], FIRST + i) == FIRST + i;
    return is_left && syscall(SYS_close_range, (unsigned)(FIRST + n), ~0U, 0) == 0;
}

void watch_begin(const char *directory, const int *memory, int n)
{
    char number[16];
    snprintf(number, sizeof number, "%d", n);
    if (n > 0 && fork() == 0) {
        if (leave(memory, n))
            anew_execute(WATCH_WORD, directory, number);
        _exit(1);
    }
}
