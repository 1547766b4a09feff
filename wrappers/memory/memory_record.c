/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording what libspur-memory.so counts. */
#include <dlfcn.h>
#include <stdio.h>

#include "wrappers/kit/wrapper.h"
#include "wrappers/memory/memory_link.h"
#include "wrappers/memory/memory_marks.h"

static const struct memory_counter *counter;

static void read_use(uint64_t *value)
{
    const struct memory_use use = counter->use_now();
    value[0] = use.bytes;
    value[1] = use.peak;
}

static const struct spur_gauge gauge = {
    .location = "Memory of the process",
    .n = 2,
    .value = {{MEMORY_HELD, "bytes",
               "what the process holds of the heap, as malloc_usable_size() gives it"},
              {MEMORY_PEAK, "bytes", "the most that it has held until then"}},
    .read = read_use,
};

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

static void start(void *unused)
{
    static struct memory_recorder recorder = {.changed = spur_gauge_changed};
    const struct spur_memory_setting setting = spur_memory_wanted();
    (void)unused;
    if (!setting.is_on)
        return;
    bool is_wanted = spur_wraps(SPUR_FAMILY_MEMORY);
    memory_connect *connect = find_counter();
    recorder.step = setting.step;
    if (connect)
        counter = connect(is_wanted ? &recorder : NULL);
    if (is_wanted && (!counter || counter->why_not))
        complain(counter
                     ? counter->why_not
                     : "libspur-memory.so is not preloaded; start the program with the launcher");
    else if (is_wanted)
        spur_gauge_start(&gauge);
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(start, NULL);
}
