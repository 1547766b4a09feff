/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that are regions and nothing else; process_calls.def lists all calls. */
#include <grp.h>
#include <pty.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

#include "wrappers/process/process_real.h"

#define IS_WANTED_MAKES true
#define IS_WANTED_JOINS spur_process_is_shown()
#define IS_WANTED_FORKS true
#define IS_WANTED_RIGHTS (spur_process_prepare(), spur_process_is_shown())

/* The C library has the function, but no header declares the function. */
int capset(void *header, const void *data);

/*
 * The C library starts programs with the environment of the process. If the environment has been
 * cleared, the session is lent to the environment for the time of the call.
 */
struct lent {
    char **before, **now;
};

static void give_back(const struct lent *lent)
{
    if (lent->now && environ == lent->now)
        environ = lent->before;
}

#define LEND_MAKES                                                                                 \
    struct lent lent __attribute__((cleanup(give_back))) = {environ, NULL};                        \
    if (__builtin_expect(spur_environment_is_bare(environ), 0)) {                                  \
        lent.now = spur_environment_for_good(environ);                                             \
        if (lent.now)                                                                              \
            environ = lent.now;                                                                    \
    }
#define LEND_JOINS
#define LEND_FORKS
#define LEND_RIGHTS

/* Before the Leave: the child must not write the Leave. */
#define AFTER_MAKES(ret) ((void)0)
#define AFTER_JOINS(ret) ((void)0)
#define AFTER_RIGHTS(ret) ((void)0)
#define AFTER_FORKS(ret)                                                                           \
    do {                                                                                           \
        if ((ret) == 0)                                                                            \
            spur_process_forked();                                                                 \
    } while (0)

static bool records_files(void)
{
    const char *list = spur_setting("IO");
    return spur_wraps(SPUR_FAMILY_IO) && list && strcmp(list, "none") != 0;
}

/*
 * Handlers of pthread_atfork() read and write files: to be recorded where files are recorded. The
 * child's handlers run before fork() returns in the child, and have made the child a process of its
 * own by then.
 */
static pid_t fork_by(pid_t (*real)(void), struct wrapper_frame *frame)
{
    struct spur_callback handlers = {NULL, false};
    if (frame->loc && records_files())
        spur_fork_begin(&handlers, frame->loc, frame->call);
    pid_t ret = real();
    if (ret == 0)
        spur_process_forked();
    if (ret == 0 && handlers.is_open) {
        spur_fork_forget(&handlers);
        frame->loc = NULL;
    } else if (handlers.is_open) {
        frame->loc = spur_callback_end(&handlers);
    }
    return ret;
}

#define PROCESS_CALL(type, name, KIND, ...)                                                        \
    SPUR_EXPORT type name(WRAPPER_PARAMS(name, __VA_ARGS__))                                       \
    {                                                                                              \
        PROCESS_FRAME(frame, PROCESS_##name, IS_WANTED_##KIND);                                    \
        LEND_##KIND type ret = PROCESS_REAL(name)(WRAPPER_ARGS(name, __VA_ARGS__));                \
        AFTER_##KIND(ret);                                                                         \
        return ret;                                                                                \
    }
#define PROCESS_FORK(name)                                                                         \
    SPUR_EXPORT pid_t name(void)                                                                   \
    {                                                                                              \
        PROCESS_FRAME(frame, PROCESS_##name, true);                                                \
        return fork_by(PROCESS_REAL(name), &frame);                                                \
    }
#define PROCESS_HAND(name)
/* NOLINTBEGIN(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
#include "wrappers/process/process_calls.def"
/* NOLINTEND(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
