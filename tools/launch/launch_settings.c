/* SPDX-License-Identifier: BSD-3-Clause */
/* What the settings of a run are worth: before it, and when it has recorded nothing. */
#include "tools/base/fail.h"
#include "tools/base/say.h"
#include "tools/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "settings/config.h"
#include "settings/filter.h"
#include "settings/selection.h"

enum { FILTER_BYTES_MAX = 1 << 20 }; /* as the agent */

/* ---- a value ---- */

static const char *complaint;

static void keep_complaint(const char *variable, const char *value, const char *why)
{
    (void)variable, (void)value;
    complaint = why;
}

const char *launch_judge_value(const char *variable, const char *value)
{
    char *entry = make_text("%s=%s", variable, value);
    char *const env[] = {entry, NULL};
    struct spur_config config;

    complaint = NULL;
    spur_config_read(&config, env, keep_complaint);
    free(entry);
    return complaint ? complaint : launch_judge_words(variable, value);
}

void launch_spread_selection(const char *list, bool replaces)
{
    struct spur_selection selection;
    int error = 0;

    if (spur_selection_read(list, &selection))
        return;
    for (int i = 0; i < SPUR_SELECTION_VARIABLES; i++) {
        if (*selection.text[i])
            error |= setenv(spur_selection_variables[i], selection.text[i], replaces);
        else if (replaces)
            unsetenv(spur_selection_variables[i]);
    }
    unsetenv("SPUR_RECORD");
    if (error)
        fail("no memory");
}

static void say_wrong(const char *variable, const char *value, const char *why)
{
    (void)value;
    say("%s %s", variable, why);
}

void launch_say_wrong_settings(void)
{
    struct spur_config config;

    spur_config_read(&config, environ, say_wrong);
}

/* ---- a filter ---- */

/* The whole file as text, to be freed; NULL and errno. */
static char *read_text(const char *path)
{
    char *text = calloc(1, FILTER_BYTES_MAX);
    FILE *file = text ? fopen(path, "re") : NULL;
    size_t bytes = file ? fread(text, 1, FILTER_BYTES_MAX - 1, file) : 0;
    int error = !file || ferror(file) ? errno : bytes == FILTER_BYTES_MAX - 1 ? EFBIG : 0;

    if (file)
        fclose(file);
    if (error) {
        free(text);
        text = NULL;
        errno = error;
    }
    return text;
}

const char *launch_judge_filter(const char *path)
{
    uint32_t line = 0;
    const char *why = "no memory";
    char *text = read_text(path);
    const struct spur_filter *filter = NULL;

    if (!text)
        return make_text("cannot be read: %s", strerror(errno));
    filter = spur_filter_parse(text, &line, &why); /* stays: this process is short */
    free(text);
    return filter ? NULL : make_text("is no filter: in line %u a word %s", line, why);
}

/* ---- metrics ---- */

/* A process of its own looks them up: it loads libraries. It says itself what is wrong. */
bool launch_knows_metrics(const struct launch *launch, const char *typed, const char *list)
{
    char *program = make_text("%s/spur-metrics", launch->libexec);
    struct sigaction deliver = {.sa_handler = SIG_DFL};
    struct sigaction before;
    int status = 0;
    pid_t child;

    sigaction(SIGCHLD, &deliver, &before);
    child = fork();
    if (child == 0) {
        execl(program, program, "--judge", typed, list, (char *)NULL);
        _exit(LAUNCH_NOT_FOUND);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGCHLD, &before, NULL);
    free(program);
    return !WIFEXITED(status) || WEXITSTATUS(status) != LAUNCH_MISUSE;
}

/* ---- what lets calls pass ---- */

/* Not filters and switches: with these there is an archive, which says what was left out. */

static bool is_set(const char *variable, const char *standard)
{
    const char *value = getenv(variable);

    return value && !launch_judge_value(variable, value) && strcmp(value, standard) != 0;
}

bool launch_records_files(void)
{
    struct spur_config standard;

    spur_config_read(&standard, NULL, NULL);
    return is_set("SPUR_IO", standard.io);
}

char *launch_sieves(void)
{
    struct spur_config standard;
    char *list = make_text("%s", "");

    spur_config_read(&standard, NULL, NULL);
    const struct {
        const char *variable;
        const char *standard;
    } sieves[] = {
        {"SPUR_FOLLOW", standard.follow}, {"SPUR_WRAP", standard.wrap},
        {"SPUR_MPI", standard.mpi},       {"SPUR_PTHREAD", standard.pthread},
        {"SPUR_IO", standard.io},
    };

    for (size_t i = 0; i < sizeof(sieves) / sizeof(sieves[0]); i++) {
        char *longer;

        if (!is_set(sieves[i].variable, sieves[i].standard))
            continue;
        longer = make_text("%s%s%s=%s", list, *list ? ", " : "", sieves[i].variable,
                           getenv(sieves[i].variable));
        free(list);
        list = longer;
    }
    return list;
}
