/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool of somebody else that uses OMPT: it counts parallel regions and says so at the end. Part
 * of a program, or a library.
 */
#include <omp-tools.h>
#include <stdio.h>

static int regions;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned int requested, int flags, const void *code)
{
    (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)code;
    __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    printf("tool: %d parallel regions\n", regions);
    fflush(stdout);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t tool = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &tool;
}
