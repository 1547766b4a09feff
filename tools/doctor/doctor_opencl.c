/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether OpenCL is recorded: all calls, if the loader of OpenCL takes layers. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/doctor/doctor_machine.h"

enum { PATH_ROOM = 4096 };

bool doctor_has(const char *path, const char *text)
{
    struct stat file;
    bool is_there = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            is_there = memmem(bytes, (size_t)file.st_size, text, strlen(text));
            munmap(bytes, (size_t)file.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return is_there;
}

/* A loader that takes layers reads this variable, whose name stands in its file. */
static bool takes_layers(const char *path)
{
    return doctor_has(path, "OPENCL_LAYERS");
}

/* As a symbol, or by the function that knows extensions. */
static void *find_extension(void *handle, const char *name)
{
    void *(*address_of)(const char *name);
    void *symbol = dlsym(handle, name);
    void *function = symbol ? NULL : dlsym(handle, "clGetExtensionFunctionAddress");
    if (!function)
        return symbol;
    memcpy(&address_of, &function, sizeof address_of);
    (void)setenv("OCL_ICD_VENDORS", "/dev/null", 1); /* it would open all drivers, and layers */
    (void)unsetenv("OPENCL_LAYERS");
    return address_of(name);
}

/* What it says of itself: an extension that both loaders have. */
static void ask_version(void *handle, char version[PATH_ROOM])
{
    enum { LOADER_VERSION = 2, LOADER_NAME = 3, WORD = 128 };
    int (*ask)(int what, size_t size, void *value, size_t *size_ret);
    char name[WORD] = "", number[WORD] = "";
    void *address = find_extension(handle, "clGetICDLoaderInfoOCLICD");
    version[0] = '\0';
    if (!address)
        return;
    memcpy(&ask, &address, sizeof ask); /* ISO C knows no cast from data to function */
    if (ask(LOADER_NAME, sizeof name, name, NULL) == 0 &&
        ask(LOADER_VERSION, sizeof number, number, NULL) == 0)
        (void)snprintf(version, PATH_ROOM, "%.*s %.*s", WORD - 1, name, WORD - 1, number);
}

/* What a program would get that loads it later. False: there is none. */
static bool find_loader(char path[PATH_ROOM], char version[PATH_ROOM])
{
    void *handle = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map = NULL;
    bool is_found = handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0];
    if (is_found)
        (void)snprintf(path, PATH_ROOM, "%s", map->l_name);
    if (is_found)
        ask_version(handle, version);
    if (handle)
        dlclose(handle);
    return is_found;
}

void doctor_opencl(doctor_fact *fact, doctor_fact *problem, const char *linked, bool is_inside)
{
    static const char newer[] = "install ocl-icd 2.3.0, or the loader of Khronos of 2021.04.29, or "
                                "a newer one";
    static const char some[] = "calls of what is linked with it are traced, those of functions "
                               "that are looked up by dlsym are not";
    const char *variable = getenv("OPENCL_LAYERS");
    char *layers = variable ? strdup(variable) : NULL;
    char loader[PATH_ROOM], version[PATH_ROOM];
    bool is_there = find_loader(loader, version);
    if (linked && takes_layers(linked))
        fact("OpenCL", "%s takes layers: calls, kernels and copies are traced", linked);
    else if (linked && is_inside)
        problem("OpenCL", "%s takes no layers, so OpenCL is not recorded; link it with a library",
                linked);
    else if (linked)
        fact("OpenCL", "%s takes no layers: %s; %s for all", linked, some, newer);
    else if (!is_there)
        fact("OpenCL", "none linked, and this machine has no libOpenCL.so.1");
    else if (takes_layers(loader))
        fact("OpenCL", "none linked; %s takes layers, and is traced if the program loads it",
             loader);
    else
        fact("OpenCL", "none linked; %s takes no layers: %s; %s for all", loader, some, newer);
    if (is_there && version[0] && (!linked || strcmp(linked, loader) == 0))
        fact("OpenCL", "the loader is %s", version);
    if (layers && *layers)
        fact("OpenCL", "OPENCL_LAYERS is %s: spur adds itself", layers);
    free(layers);
}
