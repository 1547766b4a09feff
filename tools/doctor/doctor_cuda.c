/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether CUDA is recorded. Conditions: a CUPTI exists where the agent looks for a CUPTI, the
 * variable by which the driver finds the agent is free, and the driver exists.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doctor/doctor_machine.h"

enum { PATH_ROOM = 4096 };

struct cupti {
    char path[PATH_ROOM];
    uint32_t version;
};

/* ---- CUPTI ---- */

static bool is_cupti(void *library, struct cupti *found)
{
    int (*version)(uint32_t *);
    void *address = dlsym(library, "cuptiGetVersion");
    struct link_map *map = NULL;
    if (!address || !dlsym(library, "cuptiSubscribe") ||
        dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    memcpy(&version, &address, sizeof version); /* ISO C knows no cast from data to function */
    if (!realpath(map->l_name, found->path))    /* without "/../" and links */
        (void)snprintf(found->path, sizeof found->path, "%s", map->l_name);
    return version(&found->version) == 0;
}

static bool try_folder(const char *folder, const char *more, const char *slash, struct cupti *found)
{
    static const char *const names[] = {
#define CUPTI_NAME(file) file,
#include "wrappers/cuda/cuda_places.def"
    };
    char path[PATH_ROOM];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int n = snprintf(path, sizeof path, "%s%s%s%s", folder, more, slash, names[i]);
        void *library =
            n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        bool is_found = library && is_cupti(library, found);
        if (library)
            dlclose(library);
        if (is_found)
            return true;
    }
    return false;
}

static bool try_beside(const char *runtime, struct cupti *found)
{
    static const char *const beside[] = {
#define BESIDE(folder) folder,
#include "wrappers/cuda/cuda_places.def"
    };
    char folder[PATH_ROOM];
    const char *slash = runtime ? strrchr(runtime, '/') : NULL;
    if (!slash)
        return false;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - runtime), runtime);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
        if (try_folder(folder, beside[i], "/", found))
            return true;
    return false;
}

static bool find_cupti(const char *runtime, struct cupti *found)
{
    static const struct {
        const char *variable, *folder;
    } below[] = {
#define BELOW(variable, folder) {variable, folder},
#include "wrappers/cuda/cuda_places.def"
    };
    static const char *const at[] = {
#define AT(folder) folder,
#include "wrappers/cuda/cuda_places.def"
    };
    if (try_beside(runtime, found))
        return true;
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        const char *value = getenv(below[i].variable);
        if (value && *value && try_folder(value, below[i].folder, "/", found))
            return true;
    }
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
        if (try_folder(at[i], "", "", found))
            return true;
    return false;
}

static void report_cupti(doctor_fact *fact, doctor_fact *problem, const struct doctor_cuda *cuda)
{
    static const char remedy[] = "install CUPTI of CUDA 11.6 to 13 (CUDA toolkit: cuda-cupti; pip: "
                                 "nvidia-cuda-cupti), or set CUDA_HOME to a toolkit";
    struct cupti found = {.version = 0};
    if (find_cupti(cuda->runtime, &found))
        fact("CUDA", "CUPTI is %s, version %u: calls, kernels and copies are traced", found.path,
             found.version);
    else if (cuda->is_used)
        problem("CUDA",
                "no CUPTI is found: only calls of the driver are recorded, and their work is timed "
                "by events; %s",
                remedy);
    else
        fact("CUDA",
             "no CUPTI is found: of CUDA only calls of the driver would be recorded, and their "
             "work timed by events; %s",
             remedy);
}

/* ---- the driver ---- */

/*
 * The word, or the first number, that follows `key` in a file of the kernel; "": not found. The
 * open module says "for x86_64" before the module's version.
 */
static void word_after(const char *path, const char *key, bool is_number, char *word, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "re");
    word[0] = '\0';
    while (file && !word[0] && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, key);
        if (!at)
            continue;
        at += strlen(key);
        at += strspn(at, " ");
        while (is_number && *at && !isdigit((unsigned char)*at)) {
            at += strcspn(at, " \n");
            at += strspn(at, " \n");
        }
        (void)snprintf(word, size, "%.*s", (int)strcspn(at, " \n"), at);
    }
    if (file)
        fclose(file);
}

/* The version of CUDA that the driver supports; 0: no driver. */
static int driver_version(void)
{
    int (*version)(int *);
    int number = 0;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    void *address = library ? dlsym(library, "cuDriverGetVersion") : NULL;
    memcpy(&version, &address, sizeof version);
    if (address && version(&number) != 0)
        number = 0;
    if (library)
        dlclose(library);
    return number;
}

static void report_driver(doctor_fact *fact)
{
    enum { MAJOR = 1000, MINOR = 10 };
    char module[64];
    int version = driver_version();
    word_after("/proc/driver/nvidia/version", "Kernel Module", true, module, sizeof module);
    if (version)
        fact("CUDA", "the driver (libcuda.so.1) is for CUDA %d.%d, %s%s", version / MAJOR,
             version % MAJOR / MINOR, module[0] ? "its kernel module is " : "no kernel module",
             module[0] ? module : " is loaded: load it (modprobe nvidia)");
    else
        fact("CUDA", "no driver (libcuda.so.1) on this machine%s",
             module[0] ? ", though its kernel module is loaded; containers: "
                         "NVIDIA_DRIVER_CAPABILITIES=compute,utility"
                       : ": no program can use CUDA here");
}

/*
 * The rights for counters of the GPU. spur records no counters, but CUPTI may refuse more than
 * necessary.
 */
static void report_rights(doctor_fact *fact)
{
    char word[16];
    word_after("/proc/driver/nvidia/params", "RmProfilingAdminOnly:", false, word, sizeof word);
    if (strcmp(word, "1") == 0 && geteuid() != 0)
        fact("CUDA", "counters of GPUs are for root only; kernels and copies need none. If CUPTI "
                     "does not start for lack of privileges, load the driver with "
                     "NVreg_RestrictProfilingToAdminUsers=0");
}

/* ---- further tools ---- */

static void report_injection(doctor_fact *fact, doctor_fact *problem,
                             const struct doctor_cuda *cuda)
{
    static const char variable[] = "CUDA_INJECTION64_PATH", own[] = "libspur.so";
    const char *value = getenv(variable);
    const char *slash = value ? strrchr(value, '/') : NULL;
    if (!value || !*value || strcmp(slash ? slash + 1 : value, own) == 0)
        return;
    (cuda->is_used ? problem : fact)("CUDA",
                                     "%s is %s, so CUDA is not recorded; unset it to record CUDA",
                                     variable, value);
}

void doctor_cuda(doctor_fact *fact, doctor_fact *problem, const struct doctor_cuda *cuda)
{
    report_driver(fact);
    report_cupti(fact, problem, cuda);
    report_injection(fact, problem, cuda);
    report_rights(fact);
}
