/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in of an OpenMP runtime with the tools interface (OMPT), newer than the one that is here:
 * it tells of one work of each kind, those of OpenMP 6.0 as well, and of kinds that nobody knows
 * yet, and prints "KIND REGION" for each.
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
enum { THREAD_BEGIN = 1, IMPLICIT_TASK = 7, TARGET = 8, WORK = 20, SYNC_REGION = 23, MUTEX = 26 };

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

/* The values after the ones of OpenMP 6.0, and one far off; each twice. */
static void unknown(uint64_t *team, uint64_t *task)
{
    static const int kinds[] = {14, 400};
    const void *code = __builtin_return_address(0);
    for (int i = 0; i < 4; i++)
        for (int endpoint = BEGIN; endpoint <= END; endpoint++)
            work(kinds[i % 2], endpoint, team, task);
    for (int endpoint = BEGIN; endpoint <= END; endpoint++) {
        ((void (*)(int, int, uint64_t *, uint64_t *,
                   const void *))told[SYNC_REGION])(11, endpoint, team, task, code);
        ((void (*)(int, int, int, uint64_t *, uint64_t, const void *))told[TARGET])(5, endpoint, 0,
                                                                                    task, 1, code);
    }
    ((void (*)(int, unsigned, unsigned, uint64_t, const void *))told[MUTEX])(8, 0, 0, 1, code);
    ((void (*)(int, uint64_t, const void *))told[MUTEX + 1])(8, 1, code);
    printf(
        "14 work-14\n14 work-14\n400 work-400\n400 work-400\n11 wait-11\n5 target-5\n8 mutex-8\n");
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
    unknown(&team, &task);
    return 0;
}
