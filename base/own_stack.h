/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of the agent's own. The stack of the caller belongs to the program: a thread's stack of 16
 * KiB, or the 2 KiB of a signal handler. The agent may take 1 KiB of the caller's stack
 * (scripts/check_stack computes the sum). Code that needs more (files, texts, the C library's
 * printf) is called through one of the functions below, and has 256 KiB.
 *
 * Meanwhile all signals of the thread are blocked, except the signals of faults: a blocked fault
 * would kill the process. So no handler of the program runs on a stack unknown to the program
 * (collectors look for pointers from there on), and no handler jumps out of the agent's stack.
 * Blocked signals are handled afterwards.
 *
 * Safe in signal handlers, children of fork() and of vfork(). A thread on such a stack stays on the
 * same stack. If no stack can be mapped, all threads share a single stack. After
 * spur_own_stack_seal() the process makes no system calls, and the caller's stack is used. Leaves
 * errno to `call`.
 */
#ifndef SPUR_OWN_STACK_H
#define SPUR_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2_foreach.h>

void spur_on_own_stack(void (*call)(void *arg), void *arg);
/*
 * For calls that may take long, such as finishing: a signal without a handler of the program still
 * ends the process if the default action does.
 */
void spur_on_own_stack_for_long(void (*call)(void *arg), void *arg);

/* In a child of fork(). */
void spur_own_stack_after_fork(void);
/* No system calls from now on. */
void spur_own_stack_seal(void);
/* Does the calling thread run on a stack of the agent? And: does the stack contain an address? */
bool spur_is_on_own_stack(void);
bool spur_own_stack_has(uintptr_t address);

/*
 * Before the type of a function that runs on such a stack alone, although its callers do not show
 * this: a condition keeps all further callers away. The function is set apart, so that
 * scripts/check_stack can recognise the function.
 */
#define SPUR_OWN_STACK_ONLY __attribute__((noinline, section("spur_own_stack_only")))

/*
 * A door: behind the definition of `type name_here(cells)`, the function `type name(cells)`. The
 * function runs name_here() on a stack of the agent's own. Each cell is (type, name).
 */
#define SPUR_DOOR(type, name, ...)                                                                 \
    struct name##_door {                                                                           \
        OTF2_SEQ(SPUR_DOOR_FIELD_, name, "", __VA_ARGS__)                                          \
        type ret;                                                                                  \
    };                                                                                             \
    static void name##_there(void *arg)                                                            \
    {                                                                                              \
        struct name##_door *door = arg;                                                            \
        door->ret = name##_here(OTF2_LIST(SPUR_DOOR_USE_, name, "", __VA_ARGS__));                 \
    }                                                                                              \
    type name(OTF2_LIST(SPUR_DOOR_PARAM_, name, "", __VA_ARGS__))                                  \
    {                                                                                              \
        struct name##_door door = {OTF2_LIST(SPUR_DOOR_SET_, name, "", __VA_ARGS__)};              \
        spur_on_own_stack(name##_there, &door);                                                    \
        return door.ret;                                                                           \
    }
/* The same where nothing is returned. */
#define SPUR_DOOR_VOID(name, ...)                                                                  \
    struct name##_door {                                                                           \
        OTF2_SEQ(SPUR_DOOR_FIELD_, name, "", __VA_ARGS__)                                          \
    };                                                                                             \
    static void name##_there(void *arg)                                                            \
    {                                                                                              \
        const struct name##_door *door = arg;                                                      \
        name##_here(OTF2_LIST(SPUR_DOOR_USE_, name, "", __VA_ARGS__));                             \
    }                                                                                              \
    void name(OTF2_LIST(SPUR_DOOR_PARAM_, name, "", __VA_ARGS__))                                  \
    {                                                                                              \
        struct name##_door door = {OTF2_LIST(SPUR_DOOR_SET_, name, "", __VA_ARGS__)};              \
        spur_on_own_stack(name##_there, &door);                                                    \
    }
/* And where nothing is given: `type name(void)`, `void name(void)`. */
#define SPUR_DOOR_ALONE(type, name)                                                                \
    static void name##_there(void *arg)                                                            \
    {                                                                                              \
        *(type *)arg = name##_here();                                                              \
    }                                                                                              \
    type name(void)                                                                                \
    {                                                                                              \
        type ret;                                                                                  \
        spur_on_own_stack(name##_there, &ret);                                                     \
        return ret;                                                                                \
    }
#define SPUR_DOOR_VOID_ALONE(name)                                                                 \
    static void name##_there(void *arg)                                                            \
    {                                                                                              \
        (void)arg;                                                                                 \
        name##_here();                                                                             \
    }                                                                                              \
    void name(void)                                                                                \
    {                                                                                              \
        spur_on_own_stack(name##_there, NULL);                                                     \
    }
#define SPUR_DOOR_FIELD_(Row, type, name) type name;
#define SPUR_DOOR_USE_(Row, type, name) door->name
#define SPUR_DOOR_PARAM_(Row, type, name) type name
#define SPUR_DOOR_SET_(Row, type, name) .name = name

#endif
