/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that loads a plug-in, uses the plug-in and unloads it, ROUNDS times: `unloads ROUNDS
 * KEPT FIRST SECOND`. FIRST and SECOND take turns under one path, as if rebuilt. KEPT stays loaded,
 * and from the second round on a thread uses KEPT meanwhile. A closed plug-in must be gone, with
 * its destructor run; the code in use must be that of the file. Prints how often a plug-in had the
 * address of the plug-in before.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static _Atomic int over;
static volatile int ended; /* plug-ins whose destructor has run */

static int use(void *plugin)
{
    int (*function)(volatile int *) = NULL;
    void *address = dlsym(plugin, "use");
    memcpy(&function, &address, sizeof function);
    return function ? function(&ended) : -1;
}

static void *keep_using(void *kept)
{
    do {
        EXPECT(use(kept) == 0);
        usleep(100);
    } while (!over);
    return NULL;
}

static void *load(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        fprintf(stderr, "%s\n", dlerror());
    return plugin;
}

static uintptr_t take_turn(const char *file, int answer)
{
    static const char path[] = "./unloaded.so";
    struct link_map *map = NULL;
    int before = ended;
    EXPECT(symlink(file, path) == 0);
    void *plugin = load(path);
    EXPECT(plugin && dlinfo(plugin, RTLD_DI_LINKMAP, &map) == 0 && use(plugin) == answer);
    uintptr_t base = map ? map->l_addr : 0;
    EXPECT(plugin && dlclose(plugin) == 0 && ended == before + 1);
    EXPECT(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    EXPECT(unlink(path) == 0);
    return base;
}

int main(int argc, char **argv)
{
    void *kept = argc == 5 ? load(argv[2]) : NULL;
    pthread_t thread;
    int same = 0;
    if (!kept)
        return 2;
    uintptr_t last = take_turn(argv[3], 1);
    EXPECT(pthread_create(&thread, NULL, keep_using, kept) == 0);
    for (int round = 1; round < atoi(argv[1]); round++) {
        uintptr_t base = take_turn(argv[3 + round % 2], 1 + round % 2);
        same += base == last;
        last = base;
    }
    over = 1;
    EXPECT(pthread_join(thread, NULL) == 0);
    printf("%d\n", same);
    return unexpected;
}
