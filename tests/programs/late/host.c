/* SPDX-License-Identifier: BSD-3-Clause */
/* A C program that opens a plugin, calls its use(), and closes it; twice. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    for (int round = 0; argc == 2 && round < 2; round++) {
        int (*use)(void);
        void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        void *address = plugin ? dlsym(plugin, "use") : NULL;
        if (!address) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        memcpy(&use, &address, sizeof use);
        printf("%d\n", use());
        dlclose(plugin);
    }
    return argc != 2;
}
