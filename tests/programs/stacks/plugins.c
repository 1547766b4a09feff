/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the objects that are given one after the other; each is unloaded before the next comes. */
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t semaphore;
static volatile int sink;

static __attribute__((noinline)) void run(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW);
    void *address = plugin ? dlsym(plugin, "plugin_run") : NULL;
    void (*function)(sem_t *);
    if (!address) {
        fprintf(stderr, "%s\n", dlerror());
        return;
    }
    memcpy(&function, &address, sizeof function);
    function(&semaphore);
    dlclose(plugin);
    sink++;
}

int main(int argc, char **argv)
{
    sem_init(&semaphore, 0, 0);
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    sem_post(&semaphore);
    return 0;
}
