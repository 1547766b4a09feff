/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without MPI that loads plug-ins out of sight of each other, and uses them in turns:
 * host PLUGIN... The last one is not started before the others have talked.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "plugin.h"

#define PLUGINS 4
#define ROUNDS 3

static const struct plugin *load(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct plugin *plugin = handle ? dlsym(handle, "plugin") : NULL;
    if (!plugin)
        fprintf(stderr, "%s\n", dlerror());
    return plugin;
}

static int talk(const struct plugin **plugins, int n)
{
    int failed = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n; i++)
            failed |= plugins[i]->talk(round);
    return failed;
}

int main(int argc, char **argv)
{
    const struct plugin *plugins[PLUGINS];
    int n = argc - 1, failed = n < 1 || n > PLUGINS;
    for (int i = 0; i < n && !failed; i++) {
        plugins[i] = load(argv[i + 1]);
        failed = !plugins[i];
    }
    if (failed)
        return 2;
    for (int i = 0; i < n; i++) {
        failed |= plugins[i]->start();
        failed |= talk(plugins, i + 1);
    }
    for (int i = 0; i < n; i++)
        failed |= plugins[i]->end();
    return failed;
}
