/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/judge.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/spur_attached.h"
#include "base/log.h"
#include "tools/attach/anew.h"

#define EXPORT __attribute__((visibility("default")))

enum { VARIABLES = 128 };

/* The agent finds them when it is loaded: what it judges, and that this is all that it does. */
EXPORT extern char *spur_attach_environment[];
EXPORT extern const bool spur_attach_judges;
char *spur_attach_environment[VARIABLES + 1];
const bool spur_attach_judges = true;

/* What a program is told when it starts, and not later. */
static const struct {
    const char *name, *off;
} of_starts[] = {{"SPUR_MEMORY=", "off"}, {"SPUR_PYTHON=", "off"}};

static bool is_for_start(const char *entry)
{
    for (size_t i = 0; i < sizeof of_starts / sizeof of_starts[0]; i++) {
        const size_t length = strlen(of_starts[i].name);
        if (strncmp(entry, of_starts[i].name, length) == 0 &&
            strcmp(entry + length, of_starts[i].off) != 0)
            return true;
    }
    return false;
}

/* The agent of a process would only find out there. */
static bool is_no_folder(const char *entry)
{
    static const char name[] = "SPUR_LOCAL=";
    struct stat info;
    if (strncmp(entry, name, sizeof name - 1) != 0)
        return false;
    const char *path = entry + sizeof name - 1;
    if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    else if (access(path, W_OK | X_OK) == 0)
        return false;
    spur_log("%s: %s; give a directory that can be written to", entry, strerror(errno));
    return true;
}

static bool take(char *settings)
{
    size_t n = 0;
    for (char *at = settings; *at; at += strlen(at) + 1) {
        if (n == VARIABLES) {
            spur_log("there are too many variables SPUR_...");
            return false;
        }
        if (is_for_start(at)) {
            spur_log("%s: this is recorded from the start of a program on, as by 'spur PROGRAM'; "
                     "'spur attach' is too late for it",
                     at);
            return false;
        }
        if (is_no_folder(at))
            return false;
        spur_attach_environment[n++] = at;
    }
    return true;
}

typedef bool agent_function(enum spur_attached_step step);

static bool ask_agent(const char *library)
{
    char path[PATH_MAX];
    agent_function *agent = NULL;
    const char *slash = strrchr(library, '/');
    snprintf(path, sizeof path, "%.*s/libspur.so", slash ? (int)(slash - library) : 0, library);
    void *agent_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = agent_library ? dlsym(agent_library, "spur_attach_agent") : NULL;
    memcpy(&agent, &address, sizeof address);
    if (!agent)
        spur_log("%s", dlerror()); // NOLINT(concurrency-mt-unsafe): there is one thread
    return agent && agent(SPUR_ATTACHED_JUDGE);
}

void judge_here(char *settings, const char *library)
{
    _exit(!take(settings) || !ask_agent(library));
}

static void begin_anew(void)
{
    anew_execute(JUDGE_WORD, NULL, NULL);
    spur_log("spur-attach cannot be started: %s", strerror(errno));
    _exit(1);
}

/* The agent is told to begin off in any case, until all processes are ready. */
static bool is_start_wrong(void)
{
    const char *start = getenv("SPUR_START");
    bool is_wrong = start && strcmp(start, "on") != 0;
    if (is_wrong)
        spur_log("SPUR_START=%s: 'spur attach' records at once, and 'spur off PID' pauses that; "
                 "unset it",
                 start);
    return is_wrong;
}

bool judge_settings(void)
{
    if (is_start_wrong())
        return false;
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        begin_anew();
    if (child < 0) {
        spur_log("fork: %s", strerror(errno));
        return false;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        spur_log("the agent cannot be loaded: it was killed by signal %d", WTERMSIG(status));
    return status == 0;
}
