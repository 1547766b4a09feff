/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's entry into an OpenMP runtime that has the tools interface. The runtime calls
 * ompt_start_tool() when OpenMP is first used, if OMP_TOOL does not forbid the call. There can be a
 * single tool only, so a tool that the user has brought keeps its place.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "agent/spur_agent.h"
#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

typedef struct ompt_tool *(*start_function)(unsigned version, const char *runtime);

SPUR_EXPORT struct ompt_tool *ompt_start_tool(unsigned version, const char *runtime);

/* The name ompt_start_tool may lead to the program's function, here as well. */
extern __typeof__(ompt_start_tool) own_start_tool
    __attribute__((alias("ompt_start_tool"), visibility("hidden")));

enum need { NEED_NEEDED, NEED_WANTED, NEED_EXTRA };

static const struct {
    int number;
    enum need need;
    const char *name;
    ompt_function handler;
} callbacks[] = {
#define OMPT_CALLBACK(number, name, need, ...)                                                     \
    {number, NEED_##need, #name, (ompt_function)ompt_on_##name},
#include "wrappers/openmp/ompt_callbacks.def"
#undef OMPT_CALLBACK
};

/*
 * The function found before spur's may be the runtime's own: `spur attach` comes after the start of
 * the runtime.
 */
static void say_taken(void)
{
    spur_say(spur_is_attached()
                 ? "its OpenMP runtime asks for tools (OMPT) at its start only: regions that it "
                   "runs are not recorded; start the program with spur"
                 : "another tool uses OMPT: OpenMP regions that its runtime runs are not recorded");
}

/* 0: the runtime forgets the tool, and stays as fast as without a tool. */
static int initialize(ompt_lookup lookup, int initial_device, union ompt_data *tool_data)
{
    (void)initial_device;
    (void)tool_data;
    ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
    for (size_t i = 0; i < sizeof callbacks / sizeof callbacks[0]; i++) {
        int answer =
            set ? set(callbacks[i].number, callbacks[i].handler) : (int)OMPT_SET_IMPOSSIBLE;
        if (answer >= OMPT_SET_SOMETIMES)
            continue;
        if (callbacks[i].need == NEED_NEEDED) {
            spur_say("this OpenMP runtime does not report %s: its regions are not recorded",
                     callbacks[i].name);
            return 0;
        }
        if (callbacks[i].need == NEED_WANTED)
            spur_say("this OpenMP runtime does not report %s: it is not recorded",
                     callbacks[i].name);
    }
    void *runtime = NULL;
    memcpy(&runtime, &lookup, sizeof runtime);
    ompt_place_start(runtime);
    ompt_mutex_start(runtime);
    return 1;
}

/* Comes after the agent's own end; nothing is left to do. */
static void finalize(union ompt_data *tool_data)
{
    (void)tool_data;
}

static struct ompt_tool tool = {.initialize = initialize, .finalize = finalize};

static struct ompt_tool *ask(void *start, unsigned version, const char *runtime)
{
    start_function function = NULL;
    memcpy(&function, &start, sizeof function); /* ISO C knows no cast from data to function */
    return function && function != own_start_tool ? function(version, runtime) : NULL;
}

/*
 * The libraries in which a runtime itself would look for a tool after spur. A library with a tool
 * stays loaded.
 */
static struct ompt_tool *from_libraries(unsigned version, const char *runtime)
{
    const char *at = secure_getenv("OMP_TOOL_LIBRARIES");
    struct ompt_tool *found = NULL;
    while (at && *at && !found) {
        size_t length = strcspn(at, ":");
        char *path = spur_mem_new(length + 1);
        if (!path)
            return NULL;
        memcpy(path, at, length);
        void *library = length ? dlopen(path, RTLD_LAZY) : NULL;
        spur_mem_free(path, length + 1);
        if (library) {
            found = ask(dlsym(library, "ompt_start_tool"), version, runtime);
            if (!found)
                dlclose(library);
        }
        at += length + (at[length] == ':');
    }
    return found;
}

/* A runtime has a definition of its own, too, and asks the next definition. */
SPUR_EXPORT struct ompt_tool *ompt_start_tool(unsigned version, const char *runtime)
{
    bool is_wanted = spur_wraps(SPUR_FAMILY_OPENMP);
    struct ompt_tool *other = ask(spur_real("ompt_start_tool", NULL), version, runtime);
    if (!other)
        other = from_libraries(version, runtime);
    if (other && is_wanted)
        say_taken();
    if (other)
        return other;
    return is_wanted ? &tool : NULL;
}

/* A tool in the program itself, or a tool preloaded before spur, is asked instead of spur. */
static void look_around_here(void)
{
    void *first = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    start_function function = NULL;
    memcpy(&function, &first, sizeof function);
    if (function && function != own_start_tool && spur_wraps(SPUR_FAMILY_OPENMP))
        say_taken();
}
__attribute__((constructor)) static void look_around(void);
SPUR_DOOR_VOID_ALONE(look_around)
