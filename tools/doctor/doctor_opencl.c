/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether OpenCL is recorded: the loader of OpenCL has to take layers. */
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

/* A loader that takes layers reads this variable, whose name stands in its file. */
static bool takes_layers(const char *path)
{
    static const char variable[] = "OPENCL_LAYERS";
    struct stat file;
    bool is_there = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            is_there = memmem(bytes, (size_t)file.st_size, variable, sizeof variable);
            munmap(bytes, (size_t)file.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return is_there;
}

/* What a program would get that loads it later. False: there is none. */
static bool find_loader(char path[PATH_ROOM])
{
    void *handle = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map = NULL;
    bool is_found = handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0];
    if (is_found)
        (void)snprintf(path, PATH_ROOM, "%s", map->l_name);
    if (handle)
        dlclose(handle);
    return is_found;
}

void doctor_opencl(doctor_fact *fact, doctor_fact *problem, const char *linked)
{
    static const char newer[] = "install ocl-icd 2.3.0, or the loader of Khronos of 2021.04.29, or "
                                "a newer one";
    const char *layers = getenv("OPENCL_LAYERS");
    char loader[PATH_ROOM];
    if (linked && takes_layers(linked))
        fact("OpenCL", "%s takes layers: calls, kernels and copies are traced", linked);
    else if (linked)
        problem("OpenCL", "%s takes no layers, so OpenCL is not recorded; %s", linked, newer);
    else if (!find_loader(loader))
        fact("OpenCL", "none linked, and this machine has no libOpenCL.so.1");
    else if (takes_layers(loader))
        fact("OpenCL", "none linked; %s takes layers, and is traced if the program loads it",
             loader);
    else
        fact("OpenCL",
             "none linked; %s takes no layers, and is not traced if the program loads it; %s",
             loader, newer);
    if (layers && *layers)
        fact("OpenCL", "OPENCL_LAYERS is %s: spur adds itself", layers);
}
