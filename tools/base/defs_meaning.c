/* SPDX-License-Identifier: BSD-3-Clause */
/* What a region is for, as its name, its role and its paradigm tell; and which metrics are known.
 */
#include <string.h>

#include "session/properties.h"
#include "tools/base/defs.h"
#include "tools/base/quantity.h"
#include "wrappers/device/device_marks.h"
#include "wrappers/memory/memory_marks.h"

/* Calls of POSIX threads that wait without a role that says so. */
static bool is_thread_wait(const char *name)
{
    static const char *const calls[] = {"pthread_cond_", "pthread_barrier_", "sem_", "cnd_"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (!strncmp(name, calls[i], strlen(calls[i])) && strstr(name, "wait"))
            return true;
    return false;
}

static enum region_meaning mpi_meaning_of(const char *name)
{
    static const struct {
        const char *name;
        enum region_meaning meaning;
    } known[] = {
        {"MPI_Init", REGION_MPI_BEGIN},           {"MPI_Init_thread", REGION_MPI_BEGIN},
        {"MPI_Session_init", REGION_MPI_BEGIN},   {"MPI_Finalize", REGION_MPI_END},
        {"MPI_Session_finalize", REGION_MPI_END},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(name, known[i].name))
            return known[i].meaning;
    return REGION_PLAIN;
}

static enum region_meaning meaning_of(const struct defs *d, const struct region *region)
{
    const char *name = defs_text(d, region->name);
    bool is_barrier = region->role == OTF2_REGION_ROLE_BARRIER ||
                      region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
    if (region->paradigm == OTF2_PARADIGM_OPENMP && is_barrier)
        return REGION_OMP_BARRIER;
    if (region->role == OTF2_REGION_ROLE_FILE_IO_METADATA)
        return REGION_METADATA;
    if (region->paradigm == OTF2_PARADIGM_MPI)
        return mpi_meaning_of(name);
    if (region->role == OTF2_REGION_ROLE_THREAD_WAIT ||
        (region->paradigm == OTF2_PARADIGM_PTHREAD && is_thread_wait(name)) ||
        (region->paradigm == OTF2_PARADIGM_NONE && !strncmp(name, "wait", strlen("wait"))))
        return REGION_THREAD_WAIT;
    return REGION_PLAIN;
}

/* Regions of the program, and constructs that its code is in, are no calls. */
static bool is_call(const struct region *region)
{
    static const OTF2_RegionRole roles[] = {
        OTF2_REGION_ROLE_WRAPPER, OTF2_REGION_ROLE_BARRIER,   OTF2_REGION_ROLE_IMPLICIT_BARRIER,
        OTF2_REGION_ROLE_ATOMIC,  OTF2_REGION_ROLE_TASK_WAIT, OTF2_REGION_ROLE_TASK_CREATE,
        OTF2_REGION_ROLE_FLUSH};
    switch (region->paradigm) {
    case OTF2_PARADIGM_UNKNOWN:
    case OTF2_PARADIGM_USER:
    case OTF2_PARADIGM_COMPILER:
    case OTF2_PARADIGM_SAMPLING:
        return false;
    case OTF2_PARADIGM_OPENMP:
        for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
            if (region->role == roles[i])
                return true;
        return false;
    default:
        return true;
    }
}

void defs_mean(const struct defs *d, struct region *region)
{
    region->meaning = (uint8_t)meaning_of(d, region);
    region->is_call = is_call(region);
    region->is_recording = region->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM &&
                           !strcmp(defs_text(d, region->name), SPUR_RECORDING);
}

void defs_mean_metric(const struct defs *d, struct metric_member *m)
{
    static const char *const names[MEMORY_VALUES] = {[HELD] = MEMORY_HELD,
                                                     [HELD_PEAK] = MEMORY_PEAK,
                                                     [MAPPED] = MEMORY_MAPPED,
                                                     [MAPPED_PEAK] = MEMORY_MAPPED_PEAK};
    for (int i = 0; i < MEMORY_VALUES; i++)
        if (!strcmp(defs_text(d, m->name), names[i]))
            m->memory = (uint8_t)(i + 1);
    static const char *const of_devices[DEVICE_MEMORY_KINDS] = {
#define HELD(KIND, name, description) [DEVICE_MEMORY_##KIND] = name,
#include "wrappers/device/device_memory.def"
#undef HELD
    };
    for (int i = 0; i < DEVICE_MEMORY_KINDS; i++)
        if (!strcmp(defs_text(d, m->name), of_devices[i]))
            m->device_memory = (uint8_t)(i + 1);
}

void defs_mean_class(const struct defs *d, struct metric_class *class)
{
    uint32_t time = class->n == 2 ? defs_member(d, class->members[1]) : NIL;
    class->is_of_shorts =
        time != NIL && !strcmp(defs_text(d, d->members.at[time].name), "spur::short_calls_time");
}

void defs_shorts(const struct defs *d, uint64_t time, const OTF2_MetricValue *values,
                 struct shorts *s)
{
    uint64_t calls = values[0].unsigned_int, ns = values[1].unsigned_int;
    uint64_t ns_more = ns > s->ns_so_far ? ns - s->ns_so_far : 0;
    uint64_t ticks = quantity_whole((double)ns_more * 1e-9 * (double)d->clock.ticks_per_second);
    s->calls = calls - s->calls_so_far;
    s->begin = time > ticks ? time - ticks : 0;
    s->calls_so_far = calls;
    s->ns_so_far = ns;
}
