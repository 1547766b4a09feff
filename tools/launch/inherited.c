/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/launch/inherited.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "tools/base/say.h"

static const char preload_is[] = "LD_PRELOAD=";
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

/* What timers and a limit of CPU time send. The script and this process ignore them. */
static const int immune[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU};

enum { TIMERS = sizeof(timers) / sizeof(timers[0]) };
enum { IMMUNE = sizeof(immune) / sizeof(immune[0]) };

static unsigned long ignored;
static unsigned long caught;

static bool has(unsigned long set, int sig)
{
    return set >> (sig - 1) & 1;
}

void inherited_note(const char *signals, const char *entry)
{
    size_t length = sizeof(preload_is) - 1;
    char *end;

    for (int i = 0; i < IMMUNE; i++)
        signal(immune[i], SIG_IGN);
    ignored = strtoul(signals, &end, 10);
    caught = *end == ':' ? strtoul(end + 1, NULL, 10) : 0;
    /* Whoever preloads us has put it back behind the script. */
    preload = getenv("LD_PRELOAD");
    if (!preload && strncmp(entry, preload_is, length) == 0)
        preload = entry + length;
    unsetenv("LD_PRELOAD");
}

const char *inherited_preload(void)
{
    return preload;
}

static bool is_listed(const char *list, const char *item)
{
    size_t length = strlen(item);

    while (*list) {
        size_t word = strcspn(list, ": ");

        if (word == length && memcmp(list, item, length) == 0)
            return true;
        list += word;
        list += strspn(list, ": ");
    }
    return false;
}

/* Behind the others: a sanitizer's runtime insists on being first. */
static int set_preload(const char *library)
{
    char *list = NULL;
    int failed;

    if (!library || (preload && is_listed(preload, library)))
        return preload ? setenv("LD_PRELOAD", preload, 1) : unsetenv("LD_PRELOAD");
    if (!preload || !*preload)
        return setenv("LD_PRELOAD", library, 1);
    if (asprintf(&list, "%s:%s", preload, library) < 0)
        return -1;
    failed = setenv("LD_PRELOAD", list, 1);
    free(list);
    return failed;
}

void inherited_take_timers(void)
{
    const struct itimerval none = {0};

    for (int i = 0; i < TIMERS; i++)
        setitimer(timers[i].which, &none, &timers[i].kept);
}

/* A caller's handler does not outlive exec(): who has one in the shell is a library, with its
 * timer. */
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

void inherited_give_back(const char *library)
{
    give_timers();
    for (int i = 0; i < IMMUNE; i++)
        if (!has(ignored, immune[i]))
            signal(immune[i], SIG_DFL);
    if (set_preload(library) != 0)
        say("no memory for LD_PRELOAD%s", library ? "; nothing is traced" : "");
}
