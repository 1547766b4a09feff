/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-snapshot: an archive of what a process, or all processes of a session, have recorded so far,
 * while they go on. See finish/snapshot.h for how.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/log.h"
#include "base/raw_file.h"
#include "finish/finish.h"
#include "finish/snapshot.h"
#include "session/local_place.h"
#include "session/segment.h"
#include "tools/base/options.h"
#include "tools/session/mapped.h"

enum { PATH_BYTES = SPUR_FILE_PATH_BYTES, NAMES = 10000 };

static struct spur_finish_options options = {.recover = true, .snapshot = true};
static const char *output;

static const struct option_row rows[] = {
    {"output", "o", .argument = "DIR", .text = &output,
     .doc = "write the archive to DIR (default: SESSION-snapshot-1, -2, ...)"},
    {"quiet", "q", .set = &options.quiet, .doc = "no summary (also with SPUR_VERBOSE=0)"},
};

static const struct command_line command = {
    .name = "spur snapshot",
    .form = "[OPTION]... PID|DIR",
    .about = "Makes an archive of what a process or a session has recorded so far. The processes "
             "continue.",
    OPTION_ROWS(rows),
    .more = "  PID   the process\n"
            "  DIR   the directory of a session: takes all of its processes",
    .least = 1,
    .most = 1,
    .needs = "'spur snapshot' needs the number of a process or the directory of a session",
};

/* Cut "SESSION/.spur/NAME/segment" to SESSION and NAME. */
static char *split(char *path)
{
    path[strlen(path) - strlen(MAPPED_SEGMENT)] = '\0';
    char *slash = strrchr(path, '/');
    slash[-(int)strlen("/.spur")] = '\0';
    return slash + 1;
}

/* Where the session is of which this is a host's part (SPUR_LOCAL), while that is there. */
static void go_home(char *session, size_t size)
{
    char home[SPUR_PLACE_BYTES];
    struct stat here, there;
    if (stat(session, &here) == 0 && spur_local_home(session, home) == 0 &&
        stat(home, &there) == 0 && there.st_uid == here.st_uid)
        snprintf(session, size, "%s", home);
}

static bool find_free_name(const char *session, char *path, size_t size)
{
    struct stat info;
    for (int i = 1; i < NAMES; i++)
        if ((size_t)snprintf(path, size, "%s-snapshot-%d", session, i) < size &&
            lstat(path, &info) < 0 && errno == ENOENT)
            return true;
    return false;
}

/* Leave nothing of a copy that cannot be used. */
static int remove_in(void *data, const char *name)
{
    char path[2 * PATH_BYTES];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", (const char *)data, name);
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)spur_file_list(path, remove_in, path);
        (void)spur_beneath_rmdir(path);
    } else {
        (void)spur_beneath_unlink(path);
    }
    return 0;
}

static void remove_copy(const char *dir)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/.spur", dir);
    (void)spur_file_list(path, remove_in, path);
    (void)spur_beneath_rmdir(path);
    rmdir(dir);
}

static bool is_finished(const char *dir)
{
    char anchor[PATH_BYTES], session[PATH_BYTES];
    struct stat info;
    return (size_t)snprintf(anchor, sizeof anchor, "%s/traces.otf2", dir) < sizeof anchor &&
           (size_t)snprintf(session, sizeof session, "%s/.spur", dir) < sizeof session &&
           lstat(anchor, &info) == 0 && lstat(session, &info) != 0;
}

static const char *reason(const char *dir, int err)
{
    if ((err == -ENOENT || err == -EAGAIN) && is_finished(dir))
        return "it is a finished archive; 'spur report' and the other commands read it";
    return err == -ENOENT ? "nothing is recorded there, or recording has ended"
           : err == -EAGAIN
               ? "it is finished or being finished, or buffers change faster than they can be "
                 "copied; use a larger SPUR_BUFFER"
           : err == -EPROTO ? "it is recorded by another version of spur"
                            : spur_beneath_reason(-err);
}

/* The name that was free may be another one's by now: ranks get a signal at once. */
static int copy(struct spur_snapshot *snapshot, char *path, size_t size)
{
    int err = -EEXIST;
    for (int i = 0; i < NAMES && err == -EEXIST; i++) {
        if (!output && !find_free_name(snapshot->from, path, size)) {
            spur_log("no free name beside %s: give one with -o", snapshot->from);
            return err;
        }
        options.taken = spur_stamp_now();
        err = spur_snapshot_copy(snapshot);
        if (output)
            break;
    }
    return err;
}

static int take(struct spur_snapshot *snapshot, char *path, size_t size)
{
    int err = copy(snapshot, path, size);
    if (err) {
        spur_log("no snapshot of %s: %s", snapshot->from, reason(snapshot->from, err));
        if (err != -EEXIST)
            remove_copy(snapshot->to);
        return 1;
    }
    if (snapshot->away[0] && !snapshot->only && !options.quiet)
        spur_log("not in the snapshot: what is recorded on %s", snapshot->away);
    return spur_finish(snapshot->to, &options) ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *verbose = secure_getenv("SPUR_VERBOSE");
    char session[PATH_BYTES], name[SPUR_NAME_BYTES], path[PATH_BYTES], *end;
    (void)argc;
    signal(SIGXFSZ, SIG_IGN);
    options.quiet = verbose && strcmp(verbose, "0") == 0;
    const char *what = options_read(&command, argv + 1)[0];
    if (!*what)
        options_wrong("%s", command.needs);
    struct spur_snapshot snapshot = {.from = session, .to = output};
    unsigned long pid = strtoul(what, &end, 10);
    if (!*end && what[0] >= '0' && what[0] <= '9') {
        if (!mapped_segment(pid, session, sizeof session))
            return 1;
        snprintf(name, sizeof name, "%s", split(session));
        snapshot.only = name;
        go_home(session, sizeof session);
    } else {
        snprintf(session, sizeof session, "%s", what);
        for (size_t n = strlen(session); n > 1 && session[n - 1] == '/'; n--)
            session[n - 1] = '\0';
    }
    snapshot.to = output ? output : path;
    return take(&snapshot, path, sizeof path);
}
