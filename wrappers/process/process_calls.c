/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that are regions and nothing else; process_calls.def has it all. */
#include <errno.h>
#include <otf2/otf2_foreach.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "wrappers/process/process_real.h"

#define PARAM(Row, type, name) type name
#define ARG(Row, type, name) name
#define PARAMS(Row, ...) OTF2_LIST(PARAM, Row, "", __VA_ARGS__)
#define ARGS(Row, ...) OTF2_LIST(ARG, Row, "", __VA_ARGS__)

#define IS_WANTED_MAKES true
#define IS_WANTED_JOINS spur_process_is_shown()
#define IS_WANTED_FORKS true

/* Before the Leave, which the child must not write. */
#define AFTER_MAKES(ret) ((void)0)
#define AFTER_JOINS(ret) ((void)0)
#define AFTER_FORKS(ret)                                                                           \
    do {                                                                                           \
        if ((ret) == 0)                                                                            \
            spur_process_forked();                                                                 \
    } while (0)

#define PROCESS_CALL(type, name, KIND, ...)                                                        \
    SPUR_EXPORT type name(PARAMS(name, __VA_ARGS__))                                               \
    {                                                                                              \
        PROCESS_FRAME(frame, PROCESS_##name, IS_WANTED_##KIND);                                    \
        type ret = PROCESS_REAL(name)(ARGS(name, __VA_ARGS__));                                    \
        AFTER_##KIND(ret);                                                                         \
        return ret;                                                                                \
    }
#define PROCESS_FORK(name)                                                                         \
    SPUR_EXPORT pid_t name(void)                                                                   \
    {                                                                                              \
        PROCESS_FRAME(frame, PROCESS_##name, true);                                                \
        pid_t ret = PROCESS_REAL(name)();                                                          \
        AFTER_FORKS(ret);                                                                          \
        return ret;                                                                                \
    }
#define PROCESS_HAND(name)
/* NOLINTBEGIN(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
#include "wrappers/process/process_calls.def"
/* NOLINTEND(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
