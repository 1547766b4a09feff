/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An NVML of the tests' own. Values tell the GPU and how often they were read: value n of GPU g is
 * 1000 * (g + 1) + n, also of 32-bit counters, which begin shortly before 2^32.
 *
 * The variable FAKE_NVML is a list of words: "gpus=N"; "mixed": each GPU is of another model;
 * "broken": there is no driver; "few": only power can be read. FAKE_NVML_LOG names a file that gets
 * a line "PID GPU WHAT VALUE" for each value that is given.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, NOT_SUPPORTED = 3, NO_DRIVER = 9, NOT_FOUND = 6, GPUS = 8, READINGS = 256 };
enum { POWER = 200, ENERGY, SM, MEMORY_CLOCK, SHARE, MEMORY, HEAT };

static struct device {
    int number;
    unsigned count[READINGS];
} devices[GPUS];

static const char *word(const char *name)
{
    const char *all = getenv("FAKE_NVML");
    return all ? strstr(all, name) : NULL;
}

static int gpus(void)
{
    const char *n = word("gpus=");
    return n ? atoi(n + strlen("gpus=")) : 1;
}

static unsigned long long value(struct device *d, int what, unsigned long long base)
{
    const char *path = getenv("FAKE_NVML_LOG");
    unsigned long long now = base + 1000ULL * (d->number + 1) + d->count[what]++;
    char line[128];
    int n = snprintf(line, sizeof line, "%d %d %d %llu\n", (int)getpid(), d->number, what, now);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd >= 0 && write(fd, line, n) != n)
        abort();
    if (fd >= 0)
        close(fd);
    return now;
}

int nvmlInit_v2(void)
{
    if (word("broken"))
        return NO_DRIVER;
    for (int i = 0; i < GPUS; i++)
        devices[i].number = i;
    return open("/dev/zero", O_RDONLY | O_CLOEXEC) < 0 ? NO_DRIVER : OK; /* which stays */
}

const char *nvmlErrorString(int error)
{
    return error == NO_DRIVER       ? "Driver Not Loaded"
           : error == NOT_SUPPORTED ? "Not Supported"
                                    : "Odd";
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = gpus();
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &devices[index];
    return OK;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned bytes)
{
    int n = ((struct device *)device)->number;
    snprintf(uuid, bytes, "GPU-%d%d%d%d0000-feed-beef-0000-000000000000", n, n, n, n);
    return OK;
}

int nvmlDeviceGetName(void *device, char *name, unsigned bytes)
{
    snprintf(name, bytes, "Fake GPU%s%.*d", word("mixed") ? " " : "", word("mixed") ? 1 : 0,
             word("mixed") ? ((struct device *)device)->number : 0);
    return OK;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    *device = &devices[1];
    return strcmp(uuid, "MIG-of-the-second") == 0 ? OK : NOT_FOUND;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *part, void **device)
{
    *device = part;
    return OK;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = value(device, POWER, 0);
    return OK;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    *millijoules = value(device, ENERGY, 1ULL << 40);
    return word("few") ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *megahertz)
{
    *megahertz = value(device, clock == 1 ? SM : MEMORY_CLOCK, clock == 1 ? 0 : 10000);
    return word("few") ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned rates[2])
{
    rates[0] = value(device, SHARE, 0) % 100;
    rates[1] = rates[0] / 2;
    return word("few") ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3])
{
    memory[0] = 1ULL << 40;
    memory[2] = value(device, MEMORY, 1ULL << 36);
    memory[1] = memory[0] - memory[2];
    return word("few") ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees)
{
    *degrees = value(device, HEAT, 0) % 100;
    return word("few") || sensor ? NOT_SUPPORTED : OK;
}

/* As nvmlFieldValue_t. */
struct field {
    unsigned id, scope;
    long long when, took;
    int type, result;
    unsigned long long value;
};

int nvmlDeviceGetFieldValues(void *device, int n, struct field *field)
{
    for (int i = 0; i < n; i++) {
        int id = field[i].id, is_pcie = id == 197 || id == 198, is_link = id == 138 || id == 139;
        int is_known = is_pcie || (is_link && field[i].scope == ~0U) || id == 186;
        field[i].result = is_known && !word("few") ? OK : NOT_SUPPORTED;
        if (!is_known)
            continue;
        unsigned long long now = value(device, id, is_pcie ? (1ULL << 32) - 1005 : 0);
        field[i].type = is_link ? 3 : 1;
        field[i].value = is_link ? now : (unsigned)now;
    }
    return OK;
}
