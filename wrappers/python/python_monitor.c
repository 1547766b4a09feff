/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPython gives each tool a number from 0 to 5. The numbers of debuggers, coverage, profilers and
 * optimizers have names and are left to the program. CPython calls the objects made here at the
 * events of python_events.def, without a frame object, and does not tell of C functions. A function
 * left out by a filter answers DISABLE. After the answer the function costs nothing until somebody
 * asks for all events again. Exceptions cannot be answered with DISABLE.
 */
#include "wrappers/python/python_monitor.h"

#include "wrappers/python/python_api.h"
#include "wrappers/python/python_calls.h"
#include "wrappers/python/python_region.h"

typedef void *(*python_vectorcall)(void *callable, void *const *arguments, size_t flags,
                                   void *names);

/* A callable object, as CPython makes for sys.setprofile(). */
struct callback {
    int64_t references;
    void *type;
    python_vectorcall call;
};

/* As PyType_Slot and PyType_Spec. */
struct slot {
    int slot;
    void *value;
};

struct spec {
    const char *name;
    int bytes, item_bytes;
    unsigned int flags;
    struct slot *slots;
};

enum { TP_CALL = 50, TP_MEMBERS = 72, T_PYSSIZET = 19, READONLY = 1 };
enum { NO_INSTANCES = 1 << 7, IMMUTABLE = 1 << 8, VECTORCALL = 1 << 11, DEFAULT = 1 << 18 };

static void *on_enter(void *callable, void *const *arguments, size_t flags, void *names);
static void *on_throw(void *callable, void *const *arguments, size_t flags, void *names);
static void *on_leave(void *callable, void *const *arguments, size_t flags, void *names);
static void *on_unwind(void *callable, void *const *arguments, size_t flags, void *names);

struct event {
    const char *name;
    python_vectorcall call;
    void *callback; /* the object, with a reference of ours */
};

static struct event events[] = {
#define EVENT(name, function) {#name, function, NULL},
#include "wrappers/python/python_events.def"
};
enum { EVENTS = sizeof events / sizeof events[0] };

static bool is_on;
static void *tool_name; /* with a reference of ours */
static void *none, *disable;

/* ---- calls by Python ---- */

/* The program can get hold of the objects, and call the objects with any arguments. */
static void *code_of(void *const *arguments, size_t flags)
{
    bool has_one = (flags & (SIZE_MAX >> 1)) >= 1; /* the highest bit is no part of the number */
    if (!is_on || !has_one ||
        python_pointer(arguments[0], PYTHON_TYPE) != python_found()->PyCode_Type)
        return NULL;
    return arguments[0];
}

static void *on_enter(void *callable, void *const *arguments, size_t flags, void *names)
{
    (void)callable, (void)names;
    void *code = code_of(arguments, flags);
    return !code || python_region_enter(code) ? none : disable;
}

static void *on_throw(void *callable, void *const *arguments, size_t flags, void *names)
{
    (void)on_enter(callable, arguments, flags, names);
    return none;
}

static void *on_leave(void *callable, void *const *arguments, size_t flags, void *names)
{
    (void)callable, (void)names;
    void *code = code_of(arguments, flags);
    return !code || python_region_leave(code) ? none : disable;
}

static void *on_unwind(void *callable, void *const *arguments, size_t flags, void *names)
{
    (void)on_leave(callable, arguments, flags, names);
    return none;
}

/* ---- the objects ---- */

/* Objects that never end are answered without counting a reference. */
static bool is_immortal(const void *object)
{
    return object && (uint32_t)python_int(object, 0) >= 1U << 29;
}

static bool is_only_ours(const void *object)
{
    return python_int(object, 0) == 1;
}

static void *make_type(void)
{
    static struct python_member members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                              offsetof(struct callback, call), READONLY, NULL},
                                             {.name = NULL}};
    struct slot slots[] = {{TP_CALL, NULL}, {TP_MEMBERS, members}, {0, NULL}};
    struct spec spec = {"spur.event", sizeof(struct callback), 0,
                        NO_INSTANCES | IMMUTABLE | VECTORCALL | DEFAULT, slots};
    memcpy(&slots[0].value, &python_calls.PyVectorcall_Call, sizeof slots[0].value);
    return python_calls.PyType_FromSpec(&spec);
}

static bool make_callbacks(void)
{
    void *type = make_type();
    for (int i = 0; type && i < EVENTS; i++) {
        struct callback *callback = python_calls.PyType_GenericAlloc(type, 0);
        if (!callback)
            return false;
        callback->call = events[i].call;
        events[i].callback = callback;
    }
    return type != NULL;
}

/* ---- the beginning and the end ---- */

/* A call without a useful result. */
static bool is_done(void *result)
{
    if (!result) {
        python_calls.PyErr_Clear();
        return false;
    }
    python_calls.Py_DecRef(result);
    return true;
}

static int take_number(void *monitoring)
{
    static const int numbers[] = {4, 3};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (is_done(python_calls.PyObject_CallMethod(monitoring, "use_tool_id", "iO", numbers[i],
                                                     tool_name)))
            return numbers[i];
    return -1;
}

static int number_of_event(void *monitoring, const char *name)
{
    void *names = python_calls.PyObject_GetAttrString(monitoring, "events");
    void *value = names ? python_calls.PyObject_GetAttrString(names, name) : NULL;
    int number = value ? (int)python_calls.PyLong_AsLong(value) : 0;
    if (names)
        python_calls.Py_DecRef(names);
    if (value)
        python_calls.Py_DecRef(value);
    return number;
}

static bool ask_for_events(void *monitoring, int tool)
{
    int wanted = 0;
    for (int i = 0; i < EVENTS; i++) {
        int number = number_of_event(monitoring, events[i].name);
        wanted |= number;
        /* The result is the callback registered before: None. */
        if (!is_done(python_calls.PyObject_CallMethod(monitoring, "register_callback", "iiO", tool,
                                                      number, events[i].callback)))
            return false;
    }
    return is_done(python_calls.PyObject_CallMethod(monitoring, "set_events", "ii", tool, wanted));
}

static bool find_answers(void *monitoring)
{
    none = python_calls.Py_BuildValue("");
    disable = python_calls.PyObject_GetAttrString(monitoring, "DISABLE");
    return is_immortal(none) && is_immortal(disable);
}

bool python_monitor_begin(void)
{
    void *monitoring =
        python_calls.PySys_GetObject ? python_calls.PySys_GetObject("monitoring") : NULL;
    if (!monitoring)
        return false;
    tool_name = python_calls.PyUnicode_FromString("spur");
    int tool = -1;
    is_on = tool_name && find_answers(monitoring) && make_callbacks() &&
            (tool = take_number(monitoring)) >= 0 && ask_for_events(monitoring, tool);
    python_calls.PyErr_Clear(); /* no memory, or forbidden by an audit hook of the program */
    if (!is_on && tool >= 0)
        (void)is_done(python_calls.PyObject_CallMethod(monitoring, "free_tool_id", "i", tool));
    return is_on;
}

bool python_monitor_is_on(void)
{
    return is_on;
}

/* CPython has let go of an object if nobody else holds the object. */
bool python_monitor_is_lost(void)
{
    bool is_lost = is_only_ours(tool_name);
    for (int i = 0; i < EVENTS; i++)
        is_lost |= is_only_ours(events[i].callback);
    return is_on && is_lost;
}

void python_monitor_end(void)
{
    is_on = false;
}
