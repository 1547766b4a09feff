/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in of an OpenMP runtime with the tools interface (OMPT), newer than the one that is here:
 * it tells of one work of each kind, those of OpenMP 6.0 as well, and prints "KIND REGION" for
 * each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void callback(void);
struct tool {
    int (*initialize)(callback *(*lookup)(const char *name), int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
};

enum { INITIAL = 1, BEGIN = 1, END = 2, ALWAYS = 5, CALLBACKS = 64 };
enum { THREAD_BEGIN = 1, IMPLICIT_TASK = 7, WORK = 20 };

static callback *told[CALLBACKS];

static int set_callback(int number, callback *function)
{
    told[number] = function;
    return ALWAYS;
}

static callback *look_up(const char *name)
{
    return strcmp(name, "ompt_set_callback") == 0 ? (callback *)set_callback : NULL;
}

static void work(int kind, int endpoint, uint64_t *team, uint64_t *task)
{
    ((void (*)(int, int, uint64_t *, uint64_t *, uint64_t,
               const void *))told[WORK])(kind, endpoint, team, task, 1,
                                         __builtin_return_address(0));
}

int main(void)
{
    static const char *const kinds[] = {"for",        "sections",   "single",   "single",
                                        "workshare",  "distribute", "taskloop", "",
                                        "distribute", "for",        "for",      "for",
                                        "for"};
    uint64_t thread = 0, team = 0, task = 0;
    struct tool *(*start)(unsigned, const char *);
    *(void **)&start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    struct tool *tool = start ? start(202411, "stand-in") : NULL;
    if (!tool || !tool->initialize(look_up, 0, &tool->data))
        return 1;
    ((void (*)(int, uint64_t *))told[THREAD_BEGIN])(INITIAL, &thread);
    ((void (*)(int, uint64_t *, uint64_t *, unsigned, unsigned,
               int))told[IMPLICIT_TASK])(BEGIN, &team, &task, 1, 1, INITIAL);
    for (int kind = 1; kind <= (int)(sizeof kinds / sizeof kinds[0]); kind++) {
        work(kind, BEGIN, &team, &task);
        work(kind, END, &team, &task);
        printf("%d %s\n", kind, kinds[kind - 1]);
    }
    return 0;
}
