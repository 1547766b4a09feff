/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doctor/doctor_machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "session/clock_choice.h"

/* The first line of a file of the kernel's, without its newline; "" when it cannot be read. */
static void first_line(const char *path, char *text, int bytes)
{
    FILE *file = fopen(path, "re");

    text[0] = '\0';
    if (file && fgets(text, bytes, file))
        text[strcspn(text, "\n")] = '\0';
    if (file)
        fclose(file);
}

static void source_of_kernel(char *text, size_t size)
{
    first_line(SPUR_CLOCK_SOURCE_FILE, text, (int)size);
}

/* As the agent chooses it, if SPUR_CLOCK says nothing else. */
static void report_clock(doctor_fact *fact)
{
    const struct spur_clock_machine machine = {source_of_kernel, clock_gettime};
    const struct spur_clock_choice_made made =
        spur_clock_choose(SPUR_CLOCK_AUTO, false, &machine, NULL);
    char text[256];

    spur_clock_describe(text, sizeof(text), &made);
    fact("clock", "%s", text);
}

/* Only present or absent: what it can do here is for spur metrics to say. */
static void report_library(doctor_fact *fact, const char *what, const char *const *names,
                           const char *with, const char *without)
{
    for (; *names; names++) {
        void *handle = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);

        if (handle) {
            fact(what, "%s is present: %s", *names, with);
            dlclose(handle);
            return;
        }
    }
    fact(what, "absent: %s", without);
}

static void report_disk(doctor_fact *fact)
{
    struct statvfs disk;

    if (access(".", W_OK | X_OK) != 0)
        fact("disk", "the working directory is not writable (%s): give another with -o DIR",
             strerror(errno));
    else if (statvfs(".", &disk) == 0)
        fact("disk", "the working directory is writable, %llu MiB are free",
             (unsigned long long)disk.f_bavail * disk.f_frsize >> 20);
}

void doctor_machine(doctor_fact *fact)
{
#define PAPI_NAME(file) file,
    static const char *const papi[] = {
#include "agent/opened_libraries.def"
        NULL};
#define UNWIND_NAME(file) file,
    static const char *const unwind[] = {
#include "agent/opened_libraries.def"
        NULL};
#define NVML_NAME(file) file,
    static const char *const nvml[] = {
#include "agent/opened_libraries.def"
        NULL};
    char paranoid[16];

    report_clock(fact);
    report_library(
        fact, "PAPI", papi, "--metrics takes its counters ('spur metrics' lists them)",
        "--metrics has perf: and rusage: only; install it (Debian: libpapi-dev) for more");
    report_library(fact, "NVML", nvml,
                   "SPUR_METRICS_ASYNC=nvml:power and others record GPUs ('spur metrics nvml')",
                   "no power, clocks and use of GPUs; it comes with NVIDIA's driver");
    report_library(fact, "libunwind", unwind, "--unwind records call stacks",
                   "--unwind records call stacks without it, but those through code that is made "
                   "at run time");
    first_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
    fact("counters", "perf_event_paranoid is %s: counters of one's own processes are %s",
         paranoid[0] ? paranoid : "unknown",
         paranoid[0] && strtol(paranoid, NULL, 10) <= 2 ? "allowed" : "not allowed");
    report_disk(fact);
}
