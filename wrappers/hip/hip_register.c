/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's entry into HIP. The runtime of HIP hands its tables of functions to
 * rocprofiler-register, by the function here, as the agent is preloaded. rocprofiler-register does
 * not find the agent as a tool by itself, because the agent exports no rocprofiler_configure. Such
 * an export would make rocprofiler-register load rocprofiler-sdk in programs that are not traced,
 * and end programs where rocprofiler-sdk is missing.
 */
#include <errno.h>

#include "wrappers/hip/hip.h"

static _Atomic int known; /* 1: no group is on, 2: a group is on */

static void select_groups(void *unused)
{
    (void)unused;
    bool is_on = spur_wraps(SPUR_FAMILY_HIP) && hip_groups_select(spur_setting("HIP"));
    atomic_store(&known, is_on ? 2 : 1);
}

/* Libraries with kernels call before the agent's constructor. */
static bool is_wanted(void)
{
    if (!atomic_load(&known))
        spur_on_own_stack(select_groups, NULL);
    return atomic_load(&known) == 2;
}

__attribute__((constructor)) static void start(void)
{
    (void)is_wanted();
}

static void *look(const char *path, const void *data)
{
    static const char runtime[] = "/libamdhip64";
    static char found;
    (void)data;
    return strstr(path, runtime) ? &found : NULL;
}

/* The layers below HIP serve OpenCL and OpenMP as well: such uses are not HIP's affair. */
static bool is_of_hip(const char *name)
{
    return strncmp(name, "hip", strlen("hip")) == 0 || wrapper_each_object(look, NULL);
}

typedef int register_tables(const char *name, void *import, uint32_t version, void **tables,
                            uint64_t n, void *id);

struct registering {
    const char *name;
    const void *caller;
    register_tables *real; /* NULL: no object has the function */
};

static void serve(void *data)
{
    static struct wrapper_function function = {
        .call = {.name = "rocprofiler_register_library_api_table"}};
    static atomic_flag has_begun = ATOMIC_FLAG_INIT;
    struct registering *r = data;
    const wrapper_any real = wrapper_real_for(&function, r->caller);
    const void *in_register;
    r->real = (register_tables *)real;
    memcpy(&in_register, &real, sizeof in_register);
    if (!real || !is_wanted() || spur_is_off() || !is_of_hip(r->name))
        return;
    spur_locks_leave_out(r->caller);
    if (!atomic_flag_test_and_set(&has_begun))
        hip_start(in_register);
}

/* Declared here, since spur uses no headers of ROCm. */
int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version,
                                           void **tables, uint64_t n, void *id);

SPUR_EXPORT int rocprofiler_register_library_api_table(const char *name, void *import,
                                                       uint32_t version, void **tables, uint64_t n,
                                                       void *id)
{
    struct registering r = {.name = name, .caller = __builtin_return_address(0)};
    int saved = errno;
    spur_inside_begin();
    serve(&r);
    errno = saved;
    int result = r.real ? r.real(name, import, version, tables, n, id) : REGISTER_NO_TOOLS;
    spur_inside_end();
    return result;
}
