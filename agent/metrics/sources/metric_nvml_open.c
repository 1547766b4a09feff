/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVML, which comes with NVIDIA's driver, opened at run time. It keeps descriptors of the devices
 * open, and takes memory of the host's heap: so it is started in the constructor, and only if one
 * of its metrics is asked for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/metrics/sources/metric_nvml.h"

static struct {
    struct spur_nvml calls;
    bool was_tried, is_there;
    enum spur_metric_state state;
    char why[SPUR_METRIC_TEXT];
    struct spur_nvml_gpus gpus;
} nvml;

/* ---- descriptors ---- */

enum { HIGHEST = 1024, KEPT = 64, BITS = 64 };

static struct {
    uint64_t before[HIGHEST / BITS];
    unsigned n;
    struct {
        int fd;
        dev_t device, special;
        ino_t file;
    } kept[KEPT];
} descriptors;

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) != -1;
}

void spur_nvml_begin(void)
{
    int saved = errno;
    memset(descriptors.before, 0, sizeof descriptors.before);
    for (int fd = 0; fd < HIGHEST; fd++)
        if (is_open(fd))
            descriptors.before[fd / BITS] |= (uint64_t)1 << fd % BITS;
    errno = saved;
}

static void keep(int fd)
{
    struct stat file;
    if (descriptors.n == KEPT || fstat(fd, &file) != 0)
        return;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    descriptors.kept[descriptors.n].fd = fd;
    descriptors.kept[descriptors.n].device = file.st_dev;
    descriptors.kept[descriptors.n].special = file.st_rdev;
    descriptors.kept[descriptors.n++].file = file.st_ino;
}

void spur_nvml_end(void)
{
    int saved = errno;
    for (int fd = 0; fd < HIGHEST; fd++)
        if (!(descriptors.before[fd / BITS] >> fd % BITS & 1) && is_open(fd))
            keep(fd);
    errno = saved;
}

bool spur_nvml_is_open(void)
{
    for (unsigned i = 0; i < descriptors.n; i++) {
        struct stat file;
        if (fstat(descriptors.kept[i].fd, &file) != 0 ||
            file.st_dev != descriptors.kept[i].device ||
            file.st_rdev != descriptors.kept[i].special || file.st_ino != descriptors.kept[i].file)
            return false;
    }
    return true;
}

/* ---- the library ---- */

static const struct {
    const char *name;
    size_t at;
    bool is_needed;
} calls[] = {
#define CALL(name, parameters) {#name, offsetof(struct spur_nvml, name), true},
#define MORE(name, parameters) {#name, offsetof(struct spur_nvml, name), false},
#include "agent/metrics/sources/nvml_calls.def"
    {"nvmlErrorString", offsetof(struct spur_nvml, nvmlErrorString), true},
};

static void *open_library(void)
{
    static const char *const names[] = {
#define NVML_NAME(file) file,
#include "agent/opened_libraries.def"
    };
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool find_calls(void *library)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *address = dlsym(library, calls[i].name);
        if (address) /* ISO C knows no cast from data to function */
            memcpy((char *)&nvml.calls + calls[i].at, &address, sizeof address);
        if (address || !calls[i].is_needed)
            continue;
        snprintf(nvml.why, sizeof nvml.why, "libnvidia-ml.so.1 has no %s; update NVIDIA's driver",
                 calls[i].name);
        return false;
    }
    return true;
}

static const char *remedy_for(int error)
{
    return error == NVML_NO_DRIVER  ? "; load NVIDIA's driver (modprobe nvidia)"
           : error == NVML_MISMATCH ? "; reboot: the library is of another driver than the kernel's"
           : error == NVML_NO_RIGHTS ? "; allow this user to open /dev/nvidia*"
                                     : "";
}

/* ---- GPUs ---- */

static int whole_of(const char *uuid)
{
    const struct spur_nvml *n = &nvml.calls;
    void *part = NULL, *device = NULL;
    if (!n->nvmlDeviceGetHandleByUUID || !n->nvmlDeviceGetDeviceHandleFromMigDeviceHandle ||
        n->nvmlDeviceGetHandleByUUID(uuid, &part) != NVML_OK ||
        n->nvmlDeviceGetDeviceHandleFromMigDeviceHandle(part, &device) != NVML_OK)
        return -1;
    for (unsigned i = 0; i < nvml.gpus.n; i++)
        if (nvml.gpus.gpu[i].device == device)
            return (int)i;
    return -1;
}

/* Others of the host may be out of reach: they keep their numbers. */
static void take_gpu(struct spur_nvml_gpu *gpu, unsigned index)
{
    const struct spur_nvml *n = &nvml.calls;
    gpu->index = index;
    if (n->nvmlDeviceGetHandleByIndex_v2(index, &gpu->device) != NVML_OK ||
        n->nvmlDeviceGetUUID(gpu->device, gpu->uuid, sizeof gpu->uuid) != NVML_OK ||
        n->nvmlDeviceGetName(gpu->device, gpu->name, sizeof gpu->name) != NVML_OK)
        gpu->device = NULL;
}

static bool find_gpus(void)
{
    unsigned count = 0;
    int error = nvml.calls.nvmlDeviceGetCount_v2(&count);
    for (unsigned i = 0; error == NVML_OK && i < count && nvml.gpus.n < SPUR_NVML_GPUS; i++)
        take_gpu(&nvml.gpus.gpu[nvml.gpus.n++], i);
    nvml.state = SPUR_METRIC_NOT_HERE;
    snprintf(nvml.why, sizeof nvml.why, "there is no GPU of NVIDIA that this user can read");
    if (!spur_nvml_see(&nvml.gpus, secure_getenv("CUDA_VISIBLE_DEVICES"),
                       secure_getenv("CUDA_DEVICE_ORDER"), whole_of)) {
        snprintf(nvml.why, sizeof nvml.why,
                 "CUDA_VISIBLE_DEVICES has numbers, and the GPUs of this host differ; set "
                 "CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by their UUID (nvidia-smi -L)");
        return false;
    }
    bool has_any = false;
    for (unsigned i = 0; i < nvml.gpus.n; i++) {
        struct spur_nvml_gpu *gpu = &nvml.gpus.gpu[i];
        if (gpu->device && !gpu->is_visible && !has_any)
            snprintf(nvml.why, sizeof nvml.why,
                     "CUDA_VISIBLE_DEVICES leaves no GPU of this host to the process");
        gpu->is_visible = gpu->is_visible && gpu->device;
        has_any |= gpu->is_visible;
    }
    return has_any;
}

static bool load(void)
{
    void *library = open_library();
    nvml.state = SPUR_METRIC_NO_SOURCE;
    if (!library) {
        snprintf(nvml.why, sizeof nvml.why,
                 "no libnvidia-ml.so.1 on this machine; it comes with NVIDIA's driver (containers: "
                 "NVIDIA_DRIVER_CAPABILITIES=utility,compute)");
        return false;
    }
    if (!find_calls(library))
        return false;
    int error = nvml.calls.nvmlInit_v2();
    if (error != NVML_OK) {
        snprintf(nvml.why, sizeof nvml.why, "NVML does not start: %s%s",
                 nvml.calls.nvmlErrorString(error), remedy_for(error));
        return false;
    }
    return find_gpus();
}

const struct spur_nvml *spur_nvml_get(char why[SPUR_METRIC_TEXT], enum spur_metric_state *state)
{
    if (!nvml.was_tried) {
        int saved = errno;
        nvml.was_tried = true;
        nvml.is_there = load();
        errno = saved;
    }
    *state = nvml.state;
    snprintf(why, SPUR_METRIC_TEXT, "%s", nvml.is_there ? "" : nvml.why);
    return nvml.is_there ? &nvml.calls : NULL;
}

const struct spur_nvml_gpus *spur_nvml_gpus(void)
{
    return &nvml.gpus;
}
