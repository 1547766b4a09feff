/* SPDX-License-Identifier: BSD-3-Clause */
/* spur-attach: starts or ends the recording of running processes. See docs/attach.md. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "settings/config.h"
#include "tools/attach/inject.h"
#include "tools/attach/judge.h"
#include "tools/attach/watch.h"
#include "tools/base/options.h"

static const char *directory;

static const struct option_row attach_rows[] = {
    {.name = "output",
     .brief = "o",
     .argument = "DIR",
     .text = &directory,
     .doc = "record to DIR (default: spur-PID-DATE-TIME, in the working directory)"},
};

static const struct command_line attach_line = {
    .name = "spur attach",
    .form = "[OPTION...] PID...\n       spur detach PID...",
    .about =
        "Records processes that run already, from now on until they end or 'spur detach'. When\n"
        "the last one of the directory has ended or was detached, the archive is made.",
    OPTION_ROWS(attach_rows),
    .more = "Settings are the variables SPUR_... of this command, see 'spur help settings'.\n"
            "Give all ranks of a job to one command: they make one archive.\n",
    .least = 1,
    .most = INT_MAX,
    .needs = "'spur attach' needs the number of a process",
};

static const struct command_line detach_line = {
    .name = "spur detach",
    .form = "PID...",
    .about = "Ends what 'spur attach' has begun. The process goes on; when the last one of the\n"
             "directory has ended or was detached, the archive is made.",
    .least = 1,
    .most = INT_MAX,
    .needs = "'spur detach' needs the number of a process",
};

/* ---- the order ---- */

static bool add(struct attach_order *order, size_t *at, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (bytes + 1 > sizeof order->text - *at)
        return false;
    memcpy(order->text + *at, text, bytes);
    *at += bytes;
    return true;
}

/*
 * Settings that spur makes for the processes of a session belong to the session of the command, if
 * the command runs in a session.
 */
static bool is_own(const char *entry)
{
    static const struct {
        const char *name, *help;
    } settings[] = {
#define CONFIG(TYPE, name, NAME, default_, help) {"SPUR_" #NAME "=", help},
#include "settings/config.def"
#undef CONFIG
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strncmp(entry, settings[i].name, strlen(settings[i].name)) == 0 &&
            spur_config_is_internal(settings[i].help))
            return true;
    return strncmp(entry, "SPUR_", 5) != 0 || strncmp(entry, "SPUR_DIR=", 9) == 0 ||
           strncmp(entry, "SPUR_START=", 11) == 0;
}

/* A relative path keeps the command's meaning: the process may work in a different directory. */
static bool add_setting(struct attach_order *order, size_t *at, const char *entry)
{
    static const char *const paths[] = {"SPUR_FILTER=", "SPUR_LOCAL="};
    char path[PATH_MAX], text[PATH_MAX + 16];
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const size_t length = strlen(paths[i]);
        if (strncmp(entry, paths[i], length) != 0 || !realpath(entry + length, path))
            continue;
        snprintf(text, sizeof text, "%s%s", paths[i], path);
        return add(order, at, text);
    }
    return add(order, at, entry);
}

/* The output of the process stays the program's own: spur reports only troubles there. */
static bool add_settings(struct attach_order *order, const char *to)
{
    char text[PATH_MAX + 16];
    size_t at = 0;
    bool fits = true;
    for (char **entry = environ; *entry; entry++)
        if (!is_own(*entry))
            fits &= add_setting(order, &at, *entry);
    snprintf(text, sizeof text, "SPUR_DIR=%s", to);
    fits &= add(order, &at, text) && add(order, &at, "SPUR_START=off");
    return fits && (getenv("SPUR_VERBOSE") || add(order, &at, "SPUR_VERBOSE=0"));
}

static bool find_library(char *path)
{
    static const char below[] = "/" SPUR_LIBDIR "/" ATTACH_LIBRARY;
    char beside[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", beside, sizeof beside - sizeof below);
    if (n < 0)
        return false;
    beside[n] = '\0';
    for (int up = 0; up < 3; up++)
        *strrchr(beside, '/') = '\0';
    memcpy(strchr(beside, '\0'), below, sizeof below);
    return realpath(beside, path) != NULL;
}

/* ---- the processes ---- */

struct job {
    struct target target;
    uint64_t place; /* of the order, in the process */
    bool is_begun, is_ready, is_elsewhere;
};

static struct attach_order order;
static bool is_asked_for; /* the directory was asked for */

static bool say(const struct job *job, const char *refusal)
{
    if (refusal)
        spur_log("process %d: %s", job->target.pid, refusal);
    return !refusal;
}

/* Prints the agent's messages from the process; the program's output stays its own. */
static void say_heard(const struct job *job)
{
    const char *end = order.said + sizeof order.said;
    for (const char *at = order.said; at < end && *at; at += strnlen(at, (size_t)(end - at)) + 1)
        (void)say(job, at);
}

/* `to`: the directory of the recording; NULL: no settings. */
static bool make_order(const char *function, const char *to)
{
    order = (struct attach_order){.state = ATTACH_ASKED};
    if (!find_library(order.library)) {
        spur_log(ATTACH_LIBRARY " is not where it was installed");
        return false;
    }
    snprintf(order.function, sizeof order.function, "%s", function);
    if (to && !add_settings(&order, to)) {
        spur_log("the variables SPUR_... are too long");
        return false;
    }
    return true;
}

/* Takes the job up to the point where the process is ready to go. */
static bool begin(struct job *job, int pid, bool is_detach)
{
    job->target.memory = -1;
    if (!make_order(is_detach ? "spur_detach" : "spur_attach", is_detach ? NULL : directory) ||
        !target_find(&job->target, pid, order.library, is_detach))
        return false;
    job->is_begun = say(job, inject(&job->target, &order, &job->place));
    job->is_ready = job->is_begun && order.state == ATTACH_READY;
    return job->is_begun;
}

/* Prints a line with the result of the job. */
static bool end(struct job *job, bool is_detach)
{
    const char *refusal = inject_await(&job->target, job->place, ATTACH_DONE, &order);
    if (!refusal && order.answer[0])
        refusal = order.answer;
    if (!refusal)
        say_heard(job);
    if (!say(job, refusal))
        return false;
    if (is_detach) {
        printf("process %d is not recorded any more\n", job->target.pid);
        return true;
    }
    job->is_elsewhere = strcmp(order.directory, directory) != 0;
    if (job->is_elsewhere && is_asked_for) {
        spur_log("process %d: it is recorded already, to %s", job->target.pid, order.directory);
        return false;
    }
    printf("process %d is recorded to %s\n", job->target.pid, order.directory);
    return true;
}

/* Starts the watcher for the processes without an earlier watcher. */
static void watch(const struct job *job, int n)
{
    int *memory = calloc((size_t)n, sizeof *memory), watched = 0;
    for (int i = 0; memory && i < n; i++)
        if (job[i].is_ready && !job[i].is_elsewhere && !job[i].target.is_attached)
            memory[watched++] = job[i].target.memory;
    if (memory)
        watch_begin(directory, memory, watched);
    free(memory);
}

/*
 * All processes are made ready, then all start, so that the recordings begin at the same time.
 * False: a process has failed.
 */
static bool carry_out(struct job *job, const int *pid, int n, bool is_detach)
{
    bool is_good = true, is_used = false;
    for (int i = 0; i < n; i++)
        is_good &= begin(&job[i], pid[i], is_detach);
    for (int i = 0; i < n; i++)
        if (job[i].is_ready)
            inject_go(&job[i].target, job[i].place);
    for (int i = 0; i < n; i++) {
        is_good &= !job[i].is_begun || end(&job[i], is_detach);
        is_used |= job[i].is_ready && !job[i].is_elsewhere;
    }
    if (!is_detach)
        watch(job, n);
    for (int i = 0; i < n; i++)
        target_close(&job[i].target);
    if (!is_detach && !is_used)
        (void)rmdir(directory); /* fails if the directory is not empty */
    return is_good;
}

static int judge(void)
{
    if (make_order("spur_attach", "."))
        judge_here(order.text, order.library);
    return 1;
}

/*
 * Every recorded process must be able to write to the directory. `name`: the default without a
 * given directory.
 */
static bool make_directory(const char *name)
{
    static char path[PATH_MAX];
    const char *wanted = directory ? directory : name;
    is_asked_for = directory != NULL;
    bool is_made = mkdir(wanted, 0700) == 0;
    if ((!is_made && errno != EEXIST) || !realpath(wanted, path)) {
        spur_log("cannot write to %s: %s", wanted, strerror(errno));
        return false;
    }
    directory = path;
    return true;
}

/* spur-PID-DATE-TIME */
static void make_name(int pid, char *name, size_t size)
{
    const time_t now = time(NULL);
    struct tm parts;
    size_t n = (size_t)snprintf(name, size, "spur-%d", pid);
    if (localtime_r(&now, &parts))
        (void)strftime(name + n, size - n, "-%Y%m%d-%H%M%S", &parts);
}

static int number_of(const char *word)
{
    char *end;
    long pid = strtol(word, &end, 10);
    if (*end || pid <= 0 || pid > INT_MAX)
        options_wrong("%s is not the number of a process", word);
    return (int)pid;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], JUDGE_WORD) == 0)
        return judge();
    if (argc == 4 && strcmp(argv[1], WATCH_WORD) == 0)
        watch_here(argv + 2);
    bool is_detach = argc > 1 && strcmp(argv[1], "detach") == 0;
    bool is_named = is_detach || (argc > 1 && strcmp(argv[1], "attach") == 0);
    char **words = options_read(is_detach ? &detach_line : &attach_line, argv + 1 + is_named);
    int n = 0;
    bool is_good = false;
    while (words[n])
        n++;
    int *pid = calloc((size_t)n + 1, sizeof *pid);
    struct job *job = calloc((size_t)n + 1, sizeof *job);
    for (int i = 0; pid && i < n; i++)
        pid[i] = number_of(words[i]);
    if (n > 0 && pid && job) {
        char name[64];
        make_name(pid[0], name, sizeof name);
        is_good = (is_detach || (judge_settings() && make_directory(name))) &&
                  carry_out(job, pid, n, is_detach);
    }
    free(job);
    free(pid);
    return !is_good;
}
