/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording what libspur-memory.so counts. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "wrappers/kit/wrapper.h"
#include "wrappers/memory/memory_blocks.h"
#include "wrappers/memory/memory_link.h"
#include "wrappers/memory/memory_marks.h"

static const struct memory_counter *counter;

static void read_use(uint64_t *value)
{
    const struct memory_use use = counter->use_now();
    value[0] = use.bytes;
    value[1] = use.peak;
    value[2] = use.mapped;
    value[3] = use.mapped_peak;
}

static const struct spur_gauge gauge = {
    .location = "Memory of the process",
    .n = 4,
    .value = {{MEMORY_HELD, "bytes",
               "what the process holds of the heap, as malloc_usable_size() gives it"},
              {MEMORY_PEAK, "bytes", "the most that it has held until then"},
              {MEMORY_MAPPED, "bytes",
               "what the process has mapped by itself, past the allocator of the heap"},
              {MEMORY_MAPPED_PEAK, "bytes", "the most that it had mapped until then"}},
    .read = read_use,
};

/* ---- the regions of large blocks ---- */

static struct spur_call calls[MEMORY_NAMES];

/* As the program's author writes it. The operators of C++ begin with _Zn and _Zd. */
static const char *region_name(const char *name)
{
    bool is_array = strncmp(name, "_Zna", 4) == 0 || strncmp(name, "_Zda", 4) == 0;
    if (strncmp(name, "_Zn", 3) == 0)
        return is_array ? "operator new[]" : "operator new";
    if (strncmp(name, "_Zd", 3) == 0)
        return is_array ? "operator delete[]" : "operator delete";
    return name;
}

static OTF2_RegionRole role_of(const char *name)
{
    if (strncmp(name, "realloc", 7) == 0 || strcmp(name, "mremap") == 0)
        return OTF2_REGION_ROLE_REALLOCATE;
    bool gives =
        strcmp(name, "free") == 0 || strcmp(name, "munmap") == 0 || strncmp(name, "_Zd", 3) == 0;
    return gives ? OTF2_REGION_ROLE_DEALLOCATE : OTF2_REGION_ROLE_ALLOCATE;
}

static void name_calls(void)
{
    for (unsigned i = 0; i < counter->n && i < MEMORY_NAMES; i++) {
        const struct spur_call call = {.name = region_name(counter->names[i]),
                                       .group = "memory",
                                       .role = role_of(counter->names[i]),
                                       SPUR_CALL_OF(MEMORY)};
        memcpy(&calls[i], &call, sizeof call);
    }
}

static OTF2_ParameterRef bytes_parameter(void)
{
    static _Atomic uint64_t known; /* generation + 1, and the number */
    enum { SHIFT = 32 };
    uint64_t generation = (uint64_t)spur_generation() + 1;
    uint64_t number = atomic_load_explicit(&known, memory_order_relaxed);
    if (number >> SHIFT == generation)
        return (OTF2_ParameterRef)number;
    OTF2_ParameterRef parameter = spur_def_parameter(MEMORY_BYTES, OTF2_PARAMETER_TYPE_UINT64);
    if (parameter != OTF2_UNDEFINED_PARAMETER)
        atomic_store_explicit(&known, generation << SHIFT | parameter, memory_order_relaxed);
    return parameter;
}

static void *enter(unsigned call, uint64_t bytes, struct memory_caller caller)
{
    const struct spur_caller from = {caller.address, caller.frame};
    struct spur_loc *loc = calls[call].name ? spur_enter_from(&calls[call], from) : NULL;
    if (loc) {
        OTF2_ParameterRef parameter = bytes_parameter();
        if (parameter != OTF2_UNDEFINED_PARAMETER)
            spur_put_ParameterUnsignedInt(loc, parameter, bytes);
    }
    return loc;
}

static void leave(unsigned call, void *entered)
{
    spur_leave_now(entered, &calls[call]);
}

/* ---- the start ---- */

static memory_connect *find_counter(void)
{
    const void *address = dlsym(RTLD_DEFAULT, MEMORY_CONNECT);
    return address ? (memory_connect *)wrapper_any_at(address) : NULL;
}

/* "memory is not recorded: ..." */
static void complain(const char *why)
{
    static char line[256];
    (void)snprintf(line, sizeof line, "memory is not recorded: %s", why);
    spur_complain(line);
}

static uint64_t wanted_seed;

/*
 * Processes of a job, and children of fork(), draw different samples, unless somebody wants the
 * same ones again.
 */
static uint64_t seed(void)
{
    enum { PID_SHIFT = 40 };
    return wanted_seed ? wanted_seed + spur_generation()
                       : spur_time() ^ (uint64_t)getpid() << PID_SHIFT;
}

static void changed(void)
{
    memory_process_begins();
    spur_gauge_changed();
}

static void start(void *unused)
{
    static struct memory_recorder recorder = {.changed = changed,
                                              .took = memory_blocks_took,
                                              .gave = memory_blocks_gave,
                                              .enter = enter,
                                              .leave = leave,
                                              .seed = seed,
                                              .generation = spur_generation};
    const struct spur_memory_setting setting = spur_memory_wanted();
    (void)unused;
    if (!setting.is_on)
        return;
    bool is_wanted = spur_wraps(SPUR_FAMILY_MEMORY);
    memory_connect *connect = find_counter();
    recorder.step = setting.step;
    recorder.from = setting.from;
    wanted_seed = setting.seed;
    if (connect)
        counter = connect(is_wanted ? &recorder : NULL);
    if (is_wanted && (!counter || counter->why_not)) {
        complain(counter
                     ? counter->why_not
                     : "libspur-memory.so is not preloaded; start the program with the launcher");
    } else if (is_wanted) {
        name_calls();
        if (setting.from)
            memory_blocks_start(
                (uint32_t)(setting.frames < SPUR_FRAMES_MAX ? setting.frames : SPUR_FRAMES_MAX));
        spur_gauge_start(&gauge);
    }
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(start, NULL);
}
