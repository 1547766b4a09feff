/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of Python programs as regions (SPUR_PYTHON=on). CPython calls a profile function at
 * each call and return. An audit hook tells when the program begins, and when it sets a profile
 * function of its own, for which this one steps aside. A new thread gets the profile function
 * before it runs: when the C function that makes it returns, its maker still has the GIL.
 *
 * A code object carries its region itself, so that both end together. Everything here runs with the
 * GIL, which guards the variables.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "wrappers/kit/wrapper_stack.h"
#include "wrappers/python/python_api.h"
#include "wrappers/python/python_frame.h"

enum { CALL = 0, RETURN = 3, C_RETURN = 6 }; /* of CPython's PyTrace_... */
enum { REGION_BITS = 32, TEXT_BYTES = 4096 };

typedef int (*python_event)(void *self, void *frame, int what, void *argument);

static struct {
#define API(type, name, parameters) type(*name) parameters;
#define API_OR(type, name, other, parameters) type(*name) parameters;
#include "wrappers/python/python_profile_api.def"
} api;

static bool has_begun;
static bool is_ours;        /* it is this file that sets a profile function */
static bool is_aside;       /* the program sets its own: what new threads have is its affair */
static void *interpreter;   /* the main one */
static uint64_t newest;     /* number of the last thread that has got the profile function */
static int64_t extra_index; /* of what code objects carry */

/* ---- regions ---- */

static OTF2_RegionRef define_function(const void *code)
{
    char function[TEXT_BYTES], file[TEXT_BYTES];
    uint32_t line;
    if (!python_code_text(code, function, file, TEXT_BYTES, &line))
        return OTF2_UNDEFINED_REGION;
    return spur_def_function(function, file, line);
}

struct definition {
    const void *code;
    OTF2_RegionRef region;
};

static void define(void *arg)
{
    struct definition *definition = arg;
    definition->region = define_function(definition->code);
}

/* The ids of a child of fork() are other ones. */
static OTF2_RegionRef region_of_code(void *code)
{
    uintptr_t stamp = (uintptr_t)spur_generation() + 1;
    void *extra = NULL;
    if (api.PyUnstable_Code_GetExtra(code, extra_index, &extra) == 0 &&
        (uintptr_t)extra >> REGION_BITS == stamp)
        return (OTF2_RegionRef)(uintptr_t)extra;
    struct definition definition = {code, OTF2_UNDEFINED_REGION};
    spur_on_own_stack(define, &definition);
    extra = (void *)(stamp << REGION_BITS | definition.region); // NOLINT(performance-no-int-to-ptr)
    if (api.PyUnstable_Code_SetExtra(code, extra_index, extra) != 0)
        api.PyErr_Clear(); /* no memory: it is asked for again */
    return definition.region;
}

/* ---- threads ---- */

static int on_python_event(void *self, void *frame, int what, void *argument);

static void set_profile(void *thread)
{
    is_ours = true;
    if (api._PyEval_SetProfile(thread, on_python_event, NULL) != 0)
        api.PyErr_Clear(); /* an audit hook of the program's forbids it */
    is_ours = false;
    uint64_t number = api.PyThreadState_GetID(thread);
    newest = number > newest ? number : newest;
}

/* The newest thread comes first. Others may have been left alone on purpose. */
static void follow_threads(void)
{
    uint64_t before = newest;
    void *thread = is_aside ? NULL : api.PyInterpreterState_ThreadHead(interpreter);
    for (; thread && api.PyThreadState_GetID(thread) > before;
         thread = api.PyThreadState_Next(thread))
        set_profile(thread);
}

/* ---- what Python tells ---- */

/* The code is as good as borrowed: the frame holds it. */
static int on_python_event(void *self, void *frame, int what, void *argument)
{
    (void)self, (void)argument;
    if (what == CALL || what == RETURN) {
        void *code = api.PyFrame_GetCode(frame);
        api.Py_DecRef(code);
        if (what == CALL)
            wrapper_stack_enter(SPUR_FAMILY_PYTHON, code, region_of_code);
        else
            wrapper_stack_leave(SPUR_FAMILY_PYTHON, code);
    } else if (what == C_RETURN) {
        follow_threads();
    }
    return 0;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/*
 * Does the program begin? python itself says so; a program that has an interpreter in it calls that
 * without a frame of Python's. What the interpreter runs at its start is not the program.
 */
static bool is_beginning(const char *event)
{
    if (!api.Py_IsInitialized() || !api.PyGILState_Check())
        return false;
    return begins_with(event, "cpython.run_") ||
           (strcmp(event, "exec") == 0 && !api.PyEval_GetFrame());
}

static void begin(void)
{
    void *thread = api.PyThreadState_Get();
    interpreter = api.PyInterpreterState_Main();
    if (api.PyThreadState_GetInterpreter(thread) != interpreter)
        return;
    extra_index = api.PyUnstable_Eval_RequestCodeExtraIndex(NULL);
    has_begun = true;
    if (extra_index < 0) {
        spur_say(
            "all places for data in the code of Python are taken: its functions are not recorded");
        return;
    }
    newest = 0;
    follow_threads();
}

static void step_aside(void)
{
    is_aside = true;
    spur_say("the program sets a profile function of Python: from then on functions are not"
             " recorded in that thread, nor in new ones");
    wrapper_stack_leave(SPUR_FAMILY_PYTHON, NULL);
}

static int on_python_audit(const char *event, void *arguments, void *data)
{
    int saved = errno;
    (void)arguments, (void)data;
    if (!has_begun) {
        if (is_beginning(event))
            begin();
    } else if (!is_ours && strcmp(event, "sys.setprofile") == 0) {
        step_aside();
    } else if (strcmp(event, "cpython.PyInterpreterState_New") == 0) {
        spur_say("the program makes sub-interpreters of Python: their functions are not recorded");
    }
    errno = saved;
    return 0;
}

/* ---- the start ---- */

static bool find(const char *name, const char *other, void *to)
{
    void *address = python_symbol(name);
    if (!address && other)
        address = python_symbol(other);
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

static bool find_functions_here(void)
{
    bool is_there = true
#define API(type, name, parameters) &&find(#name, NULL, &api.name)
#define API_OR(type, name, other, parameters) &&find(#name, #other, &api.name)
#include "wrappers/python/python_profile_api.def"
        ;
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
    return is_there;
}

static bool find_functions(void);
SPUR_DOOR_ALONE(bool, find_functions)

static void look(void *is_wanted)
{
    python_find_early();
    *(bool *)is_wanted = spur_python_wanted();
}

__attribute__((constructor)) static void start(void)
{
    bool is_wanted = false;
    spur_on_own_stack(look, &is_wanted);
    if (!is_wanted)
        return;
    const struct python *python = python_find();
    if (!python)
        return;
    if (!python->layout || !find_functions())
        spur_complain("this version of Python is not known: its functions are not recorded");
    else if (api.PySys_AddAuditHook(on_python_audit, NULL) != 0)
        spur_complain("Python takes no audit hook: its functions are not recorded");
    else
        wrapper_stack_take(SPUR_FAMILY_PYTHON);
}
