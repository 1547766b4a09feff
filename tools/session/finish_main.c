/* SPDX-License-Identifier: BSD-3-Clause */
/* spur-finish: make the archive of a session out of what its processes left. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "finish/finish.h"
#include "settings/config.h"
#include "settings/families.h"
#include "tools/base/options.h"
#include "tools/engine/engine.h"
#include "tools/session/crew.h"
#include "tools/session/team.h"

enum { WAIT_MS = 3000 };

static struct spur_finish_options options = {.wait_ms = WAIT_MS};
static unsigned threads;

static void take_child(const char *value)
{
    char *end;
    options.child = (int)strtol(value, &end, 10);
    if (end == value || *end != ':')
        options_wrong("--child takes PID:STATUS, not '%s'", value);
    options.child_status = (int)strtol(end + 1, NULL, 10);
}

static void take_container(const char *value)
{
    const char *wrong = spur_container_parse(value, &options.container);
    if (wrong)
        options_wrong("--container: '%s' %s", value, wrong);
    options.has_container = true;
}

static const struct option_row rows[] = {
    {"quiet", "q", .set = &options.quiet, .doc = "no summary (also with SPUR_VERBOSE=0)"},
    {"recover", "r", .set = &options.recover,
     .doc = "treat processes of other hosts and boots as dead if they did not end in order"},
    {"leave", "l", .set = &options.leaves,
     .doc = "if processes still run, let the last of them finish DIR when it ends"},
    {"container", .argument = "FORM", .take = take_container,
     .doc = "none: plain files; sion, sion:N: in SION containers, one for each host or N\n"
            "of each kind (default: as SPUR_CONTAINER was when it was recorded)"},
    {"threads", .argument = "N", .threads = &threads,
     .doc = "use N threads (default: one for each processor that this process may use,\nfewer for "
            "few processes)"},
    {"child", "c", .argument = "PID:STATUS", .take = take_child,
     .doc = "for the launcher: its child PID ended with this wait status"},
};

static const struct command_line command = {
    .name = "spur recover",
    .form = "[OPTION]... DIR",
    .about = "Finishes the archive of a run that was cut off.\n"
             "With 'mpirun -n N', on one or several hosts, N ranks do so together.",
    OPTION_ROWS(rows),
    .least = 1,
    .most = 1,
    .needs = "'spur recover' needs one directory",
};

/* As agent/process/follow.c has it. */
static bool records_processes(void)
{
    const char *families = secure_getenv("SPUR_WRAP");
    const char *session = secure_getenv("SPUR_SESSION");
    return families ? (spur_families_listed(families) >> SPUR_FAMILY_PROCESS & 1)
                    : session && strcmp(session, "mixed") == 0;
}

/* The launcher finishes what it has started, whatever job it is itself in. */
static bool is_by_launcher(char **words)
{
    return words[0] && strcmp(words[0], "--leave") == 0;
}

int main(int argc, char **argv)
{
    const char *verbose = secure_getenv("SPUR_VERBOSE");
    (void)argc;
    signal(SIGXFSZ, SIG_IGN); /* the error alone tells of it */
    options.quiet = verbose && strcmp(verbose, "0") == 0;
    if (!is_by_launcher(argv + 1))
        engine_start();
    char *dir = options_read(&command, argv + 1)[0];
    options.crew = crew_of(threads, engine_rank_threads(threads));
    options.is_tree = options.leaves && records_processes();
    for (size_t n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
        dir[n - 1] = '\0';
    return team_finish(dir, &options) ? 1 : 0;
}
