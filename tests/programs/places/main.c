/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs in a program, a library of its own, and plugins that come and go. See code_places.py.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int library_work(int n);

static __attribute__((noinline)) int own_work(int n)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) /* place: main parallel */
    {
        sum += n;
#pragma omp barrier /* place: main barrier */
        sum += n;
    }
    return sum;
}

static int plugin_work(const char *path, int n)
{
    int (*work)(int);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = plugin ? dlsym(plugin, "plugin_work") : NULL;
    if (!address)
        return -1;
    memcpy(&work, &address, sizeof work);
    n = work(n);
    dlclose(plugin);
    return n;
}

int main(int argc, char **argv)
{
    int sum = own_work(1) + own_work(2) + library_work(3);
    for (int i = 1; i < argc; i++)
        sum += plugin_work(argv[i], i);
    printf("%d\n", sum);
    return 0;
}
