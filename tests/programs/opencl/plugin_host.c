/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads a module and calls its plugin_main() with the other arguments, in several rounds. What the
 * module is linked with nobody else sees; between rounds all of it may go.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 2 };

int main(int argc, char **argv)
{
    int status = 1;
    for (int i = 0; i < ROUNDS; i++) {
        int (*plugin_main)(int argc, char **argv);
        void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
        void *at = module ? dlsym(module, "plugin_main") : NULL;
        if (!at) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        memcpy(&plugin_main, &at, sizeof at);
        status = plugin_main(argc - 1, argv + 1);
        dlclose(module);
    }
    return status;
}
