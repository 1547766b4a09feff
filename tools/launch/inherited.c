/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/launch/inherited.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools/base/say.h"

static const char AGENT[] = "libspur.so";
static const char COUNTER[] = "libspur-memory.so";

static const char *preload;

/* The timers that exec() keeps. */
static struct {
    enum __itimer_which which;
    int signal;
    struct itimerval kept;
} timers[] = {
    {ITIMER_REAL, SIGALRM, {{0, 0}, {0, 0}}},
    {ITIMER_VIRTUAL, SIGVTALRM, {{0, 0}, {0, 0}}},
    {ITIMER_PROF, SIGPROF, {{0, 0}, {0, 0}}},
};

/*
 * The signals sent by timers and by a limit of CPU time. The present process ignores these signals.
 */
static const int immune[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU};

enum { TIMERS = sizeof(timers) / sizeof(timers[0]) };
enum { IMMUNE = sizeof(immune) / sizeof(immune[0]) };

static unsigned long ignored;
static unsigned long caught;

static bool has(unsigned long set, int sig)
{
    return set >> (sig - 1) & 1;
}

static void ignore(int sig)
{
    const struct sigaction ignored_from_now = {.sa_handler = SIG_IGN};
    struct sigaction before = {.sa_handler = SIG_DFL};
    const unsigned long bit = 1UL << (sig - 1);

    sigaction(sig, &ignored_from_now, &before);
    if (before.sa_handler == SIG_IGN)
        ignored |= bit;
    else if (before.sa_handler != SIG_DFL)
        caught |= bit;
}

/* ---- without the libraries ---- */

/*
 * argv[0] of a launcher that has executed itself once more; the noted signals and the libraries
 * follow as arguments.
 */
static char alone[] = "spur, alone";

enum { ALONE_SIGNALS = 1, ALONE_PRELOAD, ALONE_SELF };

/* Statically linked programs have no loader, and so no preloaded libraries. */
static bool has_libraries(void)
{
    return preload && *preload && getauxval(AT_BASE) != 0;
}

/* Returns if the execution is not possible; then the preloaded libraries stay. */
static void become_alone(char **argv)
{
    size_t n = 0;
    char signals[48];

    while (argv[n])
        n++;
    char **words = calloc(n + ALONE_SELF + 1, sizeof(*words));
    char *list = strdup(preload);
    if (words && list) {
        snprintf(signals, sizeof(signals), "%lu:%lu", ignored, caught);
        words[0] = alone;
        words[ALONE_SIGNALS] = signals;
        words[ALONE_PRELOAD] = list;
        memcpy(words + ALONE_SELF, argv, n * sizeof(*words));
        unsetenv("LD_PRELOAD");
        execv("/proc/self/exe", words);
        setenv("LD_PRELOAD", list, 1);
    }
    free(words);
    free(list);
}

char **inherited_note(char **argv)
{
    bool is_alone = argv[0] && strcmp(argv[0], alone) == 0 && argv[1] && argv[2] && argv[3];
    char *end;

    for (int i = 0; i < IMMUNE; i++)
        ignore(immune[i]);
    preload = getenv("LD_PRELOAD");
    if (!is_alone && has_libraries())
        become_alone(argv);
    if (is_alone) {
        ignored = strtoul(argv[ALONE_SIGNALS], &end, 10);
        caught = *end == ':' ? strtoul(end + 1, NULL, 10) : 0;
        /* An agent among the libraries has put the list back when the launcher was executed. */
        preload = preload ? preload : argv[ALONE_PRELOAD];
        argv += ALONE_SELF;
    }
    preload = preload ? strdup(preload) : NULL;
    unsetenv("LD_PRELOAD");
    return argv[0] ? argv + 1 : argv;
}

const char *inherited_preload(void)
{
    return preload;
}

/*
 * Is the item a library of a spur, of the present or a different installation? `item`: a part of a
 * list of libraries, `length` bytes long.
 */
static bool is_named(const char *item, size_t length, const char *name)
{
    size_t bytes = strlen(name);

    return length >= bytes && memcmp(item + length - bytes, name, bytes) == 0 &&
           (length == bytes || item[length - bytes - 1] == '/');
}

/* Calls each(data, item, length) for a list of libraries: blanks or colons separate them. */
static void each_library(const char *list, void *data,
                         void (*each)(void *data, const char *item, size_t length))
{
    for (list += strspn(list, ": "); *list; list += strspn(list, ": ")) {
        size_t length = strcspn(list, ": ");

        each(data, list, length);
        list += length;
    }
}

static void take_agent(void *data, const char *item, size_t length)
{
    char **agent = data;
    char *path = !*agent && is_named(item, length, AGENT) ? strndup(item, length) : NULL;

    if (path && access(path, R_OK) == 0)
        *agent = path;
    else
        free(path);
}

char *inherited_agent(void)
{
    char *agent = NULL;

    if (preload)
        each_library(preload, &agent, take_agent);
    return agent;
}

static void put_library(FILE *list, const char *item, size_t length)
{
    fprintf(list, "%s%.*s", ftell(list) > 0 ? ":" : "", (int)length, item);
}

static void put_other(void *data, const char *item, size_t length)
{
    if (!is_named(item, length, AGENT) && !is_named(item, length, COUNTER))
        put_library(data, item, length);
}

/*
 * The agent goes behind the program's libraries: a sanitizer's runtime insists on being first. The
 * memory library goes in front of the program's libraries: an allocator may be among the libraries.
 * The libraries of a surrounding session are removed: two agents would record everything twice, and
 * an untraced program has no agent.
 */
static int set_preload(const struct inherited_libraries *of)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *list = open_memstream(&text, &bytes);
    int failed;

    if (!list)
        return -1;
    if (of->memory)
        put_library(list, of->memory, strlen(of->memory));
    if (preload)
        each_library(preload, list, put_other);
    if (of->agent)
        put_library(list, of->agent, strlen(of->agent));
    if (fclose(list) != 0)
        return -1;
    failed =
        *text || (preload && !*preload) ? setenv("LD_PRELOAD", text, 1) : unsetenv("LD_PRELOAD");
    free(text);
    return failed;
}

void inherited_take_timers(void)
{
    const struct itimerval none = {0};

    for (int i = 0; i < TIMERS; i++)
        setitimer(timers[i].which, &none, &timers[i].kept);
}

/*
 * A caller's handler does not outlive exec(): the owner of a handler here was a preloaded library,
 * with the library's own timer.
 */
static void give_timers(void)
{
    const struct itimerval none = {0};

    for (int i = 0; i < TIMERS; i++) {
        const struct itimerval *kept = &timers[i].kept;

        if (has(caught, timers[i].signal))
            setitimer(timers[i].which, &none, NULL);
        else if (timerisset(&kept->it_value))
            setitimer(timers[i].which, kept, NULL);
    }
}

void inherited_give_back(const struct inherited_libraries *of)
{
    give_timers();
    for (int i = 0; i < IMMUNE; i++)
        if (!has(ignored, immune[i]))
            signal(immune[i], SIG_DFL);
    if (set_preload(of) != 0)
        say("no memory for LD_PRELOAD%s", of->agent ? "; nothing is traced" : "");
}
