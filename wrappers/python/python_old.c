/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that old versions lack, in place of the functions of newer versions. The headers of old
 * versions show the structures to everybody who includes the headers. The numbers are offsets in
 * the structures, on 64-bit processors. The structures do not change any more.
 */
#include "wrappers/python/python_api.h"
#include "wrappers/python/python_calls.h"

/* In a PyThreadState of CPython 3.8, but for the code of a frame. */
enum { INTERPRETER = 16, USE_TRACING = 48, PROFILE = 56, ARGUMENT = 72, NUMBER = 256 };
enum { FRAME_CODE = 32 };
enum { TRACING = 44 }; /* of CPython 3.8 to 3.10 */

uint64_t python_old_PyThreadState_GetID(void *thread)
{
    return (uint64_t)python_number(thread, NUMBER);
}

void *python_old_PyThreadState_GetInterpreter(void *thread)
{
    void *interpreter;
    memcpy(&interpreter, (char *)thread + INTERPRETER, sizeof interpreter);
    return interpreter;
}

/*
 * As PyEval_SetProfile() does, but PyEval_SetProfile() knows the calling thread only. There is no
 * object of an earlier profile function to give back: the function is set once, for threads without
 * a profile function.
 */
int python_old__PyEval_SetProfile(void *thread, python_event call, void *self)
{
    const int is_used = 1;
    char *state = thread;
    memcpy(state + ARGUMENT, &self, sizeof self);
    memcpy(state + PROFILE, &call, sizeof call);
    memcpy(state + USE_TRACING, &is_used, sizeof is_used);
    return 0;
}

/* A new reference, as from newer versions. */
void *python_old_PyFrame_GetCode(void *frame)
{
    int64_t *code;
    memcpy(&code, (char *)frame + FRAME_CODE, sizeof code);
    ++*code;
    return code;
}

static void add_to_tracing(void *thread, int n)
{
    int tracing = python_int(thread, TRACING) + n;
    memcpy((char *)thread + TRACING, &tracing, sizeof tracing);
}

void python_old_PyThreadState_EnterTracing(void *thread)
{
    add_to_tracing(thread, 1);
}

void python_old_PyThreadState_LeaveTracing(void *thread)
{
    add_to_tracing(thread, -1);
}
