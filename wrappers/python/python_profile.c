/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of Python programs as regions (SPUR_PYTHON=on). An audit hook tells when the program
 * begins, and when the interpreter ends. From CPython 3.12 on sys.monitoring then tells of each
 * call and return, in python_monitor.c. Before CPython 3.12 a profile function is called. The audit
 * hook tells when the program sets a profile function of its own; then spur's profile function
 * steps aside. A new thread gets the profile function before the thread runs: when the C function
 * that makes the thread returns, the maker still has the GIL.
 *
 * Everything here runs with the GIL, which guards the variables.
 */
#include "wrappers/python/python_profile.h"

#include <errno.h>
#include <stdio.h>

#include "wrappers/kit/wrapper_stack.h"
#include "wrappers/python/python_api.h"
#include "wrappers/python/python_calls.h"
#include "wrappers/python/python_frame.h"
#include "wrappers/python/python_initialize.h"
#include "wrappers/python/python_monitor.h"
#include "wrappers/python/python_region.h"

enum { CALL = 0, RETURN = 3, C_CALL = 4, C_RETURN = 6 }; /* of CPython's PyTrace_... */

static bool is_wanted;
static atomic_bool is_listening; /* the interpreter has the audit hook, or is not known */
static bool has_begun;
static bool is_on;        /* the profile function is used */
static bool is_ours;      /* this file is setting a profile function */
static bool is_aside;     /* the program sets its own: new threads are left alone */
static void *interpreter; /* the main interpreter */
static uint64_t newest;   /* number of the last thread that has got the profile function */
static void *caller;      /* the frame in a call of a C function, by the last event */

/* ---- threads ---- */

static int on_python_event(void *self, void *frame, int what, void *argument);

static void set_profile(void *thread)
{
    is_ours = true;
    if (python_calls._PyEval_SetProfile(thread, on_python_event, NULL) != 0)
        python_calls.PyErr_Clear(); /* forbidden by an audit hook of the program */
    is_ours = false;
    uint64_t number = python_calls.PyThreadState_GetID(thread);
    newest = number > newest ? number : newest;
}

/*
 * A thread that enters Python makes its state without the GIL, but with CPython's lock of states:
 * the state is in the list before the state has its values, its number among them. The request to
 * interrupt a thread that does not exist waits for this lock, and does nothing else. After the
 * request the state of `first`, and those behind, have their values.
 */
static void wait_for_values(void *first)
{
    uint64_t number = python_calls.PyThreadState_GetID(first);
    if (number == 0 || number > newest)
        (void)python_calls.PyThreadState_SetAsyncExc(~0UL, NULL);
}

/* The newest thread comes first. Older threads may have been left alone on purpose. */
static void follow_threads(void)
{
    uint64_t before = newest;
    void *thread =
        is_aside || !is_on ? NULL : python_calls.PyInterpreterState_ThreadHead(interpreter);
    if (thread)
        wait_for_values(thread);
    for (; thread && python_calls.PyThreadState_GetID(thread) > before;
         thread = python_calls.PyThreadState_Next(thread))
        set_profile(thread);
}

/* ---- events of Python ---- */

/* The code is as good as borrowed: the frame holds the code. */
static int on_python_event(void *self, void *frame, int what, void *argument)
{
    (void)self, (void)argument;
    caller = what == C_CALL ? frame : NULL;
    if (what == CALL || what == RETURN) {
        void *code = python_calls.PyFrame_GetCode(frame);
        python_calls.Py_DecRef(code);
        if (what == CALL)
            (void)python_region_enter(code);
        else
            (void)python_region_leave(code);
    } else if (what == C_RETURN) {
        follow_threads();
    }
    return 0;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_start_of_python(const char *event, void *arguments)
{
    if (strcmp(event, "import") != 0)
        return false;
    void *module = python_calls.PyTuple_GetItem(arguments, 0);
    bool is = false;
#define MODULE(name)                                                                               \
    is |= module && python_calls.PyUnicode_CompareWithASCIIString(module, name) == 0;
#include "wrappers/python/python_starts.def"
    return is;
}

/*
 * Does the program begin? python itself says so. A program with an interpreter inside imports a
 * module, or runs code, without a frame of Python's. Code that the interpreter runs at the start is
 * not the program.
 */
static bool is_beginning(const char *event, void *arguments)
{
    if (!python_calls.Py_IsInitialized() || !python_calls.PyGILState_Check())
        return false;
    return begins_with(event, "cpython.run_") ||
           (!python_calls.PyEval_GetFrame() && !is_start_of_python(event, arguments));
}

static void profile_threads(void)
{
    is_on = true;
    newest = 0;
    follow_threads();
}

static void begin(void)
{
    void *thread = python_calls.PyThreadState_Get();
    interpreter = python_calls.PyInterpreterState_Main();
    if (python_calls.PyThreadState_GetInterpreter(thread) != interpreter)
        return;
    has_begun = true;
    if (!python_region_begin())
        spur_say(
            "all places for data in the code of Python are taken: its functions are not recorded");
    else if (!python_monitor_begin())
        profile_threads();
}

static int show_returns(void *thread)
{
    if (python_calls.PyThreadState_Get() == thread)
        python_calls.PyThreadState_LeaveTracing(thread);
    return 0;
}

/*
 * The C function that sets the program's profile function was called under spur's profile function.
 * So Python would tell the program's function of a return without a call, and a profiler (the
 * module profile) may not bear the return. Within a profile function Python does not tell of the
 * thread's calls. The main thread makes pending calls once the thread has left the C function.
 */
static void hide_return(void)
{
    void *thread = python_calls.PyThreadState_Get();
    if (caller && caller == python_calls.PyEval_GetFrame() && python_frame_is_main() &&
        python_calls.Py_AddPendingCall(show_returns, thread) == 0)
        python_calls.PyThreadState_EnterTracing(thread);
}

static void step_aside(void)
{
    is_aside = true;
    hide_return();
    spur_say("the program sets a profile function of Python: from then on functions are not"
             " recorded in that thread, nor in new ones");
    wrapper_stack_leave(SPUR_FAMILY_PYTHON, NULL);
}

/* The end of the interpreter looks like a lost tool. A profile function of the program stays. */
static void look_after_monitor(void)
{
    if (!python_monitor_is_lost() || !python_calls.Py_IsInitialized())
        return;
    python_monitor_end();
    spur_say(
        "the program takes the tool of sys.monitoring that spur uses: from then on functions are"
        " %s",
        is_aside ? "not recorded" : "recorded by a profile function of Python");
    profile_threads();
}

static void follow(const char *event)
{
    bool sets_profile = !is_ours && strcmp(event, "sys.setprofile") == 0;
    if (python_monitor_is_on()) {
        is_aside |= sets_profile;
        look_after_monitor();
    } else if (sets_profile) {
        step_aside();
    } else if (!is_ours) {
        follow_threads();
    }
}

/* CPython does not tell of each sub-interpreter when it is made, but of events inside. */
static void tell_of_others(void)
{
    static atomic_bool is_said;
    if (!atomic_exchange(&is_said, true))
        spur_say("the program makes sub-interpreters of Python: their functions are not recorded");
}

/* Threads of sub-interpreters may have no GIL in common with threads of the main interpreter. */
static void listen(const char *event)
{
    void *thread = python_found()->PyThreadState_GetUnchecked();
    if (!thread)
        return;
    if (python_calls.PyThreadState_GetInterpreter(thread) == interpreter)
        follow(event);
    else
        tell_of_others();
}

/*
 * The interpreter has ended, and lets go of the hooks. A later interpreter may begin in the
 * process.
 */
static void end(void)
{
    python_monitor_end();
    has_begun = is_on = is_aside = false;
    atomic_store(&is_listening, false);
}

static int on_python_audit(const char *event, void *arguments, void *data)
{
    int saved = errno;
    (void)data;
    if (strcmp(event, "cpython._PySys_ClearAuditHooks") == 0)
        end();
    else if (has_begun)
        listen(event);
    else if (is_beginning(event, arguments))
        begin();
    errno = saved;
    return 0;
}

/* ---- the start ---- */

static char unknown[160];

static const char *say_what_is_known_here(void)
{
    const char *version = python_found() ? python_found()->version : python_unknown();
    struct python_minors known = python_minors();
    (void)snprintf(unknown, sizeof unknown,
                   "functions of Python %s are not recorded: spur knows CPython 3.%d to 3.%d,"
                   " not free-threaded",
                   version, known.oldest, known.newest);
    return unknown;
}
static const char *say_what_is_known(void);
SPUR_DOOR_ALONE(const char *, say_what_is_known)

static bool is_known(void)
{
    const struct python *python = python_found();
    return python && python->layout && python_calls_find();
}

/*
 * Not before the interpreter begins: the interpreter gets memory for the hook, and gives the memory
 * back at the end. Only after the beginning has the interpreter chosen the source of memory
 * (PYTHONMALLOC).
 */
void python_profile_listen(void)
{
    bool is_there = python_found() || python_unknown();
    if (!is_wanted || !is_there || atomic_exchange(&is_listening, true))
        return;
    if (!is_known())
        spur_say("%s", say_what_is_known());
    else if (python_calls.PySys_AddAuditHook(on_python_audit, NULL) != 0)
        spur_say("Python takes no audit hook: its functions are not recorded");
    else
        wrapper_stack_take(SPUR_FAMILY_PYTHON);
}

static void look(void *arg)
{
    (void)arg;
    python_initialize_find();
    is_wanted = spur_python_wanted();
}

__attribute__((constructor)) static void start(void)
{
    spur_on_own_stack(look, NULL);
    bool is_there = python_found() || python_unknown();
    if (!is_wanted || !is_there)
        return;
    if (!is_known()) {
        atomic_store(&is_listening, true);
        spur_complain(say_what_is_known());
    } else if (python_calls.Py_IsInitialized()) {
        python_profile_listen();
    }
}
