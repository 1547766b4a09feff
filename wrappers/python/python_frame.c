/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of Python functions of the calling thread, read from the interpreter's memory: for
 * calls that are made without the GIL, in which nothing may be asked of it. A thread's frames, and
 * the code that they run, are changed and freed by this thread only, and a frame is complete before
 * it is linked, so a signal handler may read them too. Before the first use all that is read is
 * checked with the kernel's help: the interpreter may be another one than the table says.
 */

#include "wrappers/python/python_frame.h"

#include "wrappers/python/python_api.h"

enum { OWNED_BY_C = 3, UNIT = 2, CHECKED_FRAMES = 32, FRAME_BYTES = 112 };

/* Whether what the table says has been found to be true of this interpreter. */
enum { UNCHECKED, TRUE_OF_IT, FALSE_OF_IT };
static _Atomic int check;

/* ---- memory ---- */

/* Where nothing is certain the kernel is asked first. */
static bool can_read(const struct spur_script_frame *frame, const char *at, size_t bytes)
{
    return !frame->is_careful || ((uintptr_t)at % sizeof(int32_t) == 0 && spur_is_readable(at) &&
                                  spur_is_readable(at + bytes - 1));
}

static bool is_object_of(const struct spur_script_frame *frame, const char *object,
                         const char *type)
{
    enum { HEAD = 40 };
    return object && can_read(frame, object, HEAD) &&
           (!frame->is_careful || python_pointer(object, PYTHON_TYPE) == type);
}

/* ---- strings ---- */

static uint32_t state_of(const char *string)
{
    return (uint32_t)python_int(string, PYTHON_STATE);
}

/* Bytes of a character, 0: its characters lie elsewhere. */
static uint32_t width_of(const char *string)
{
    return state_of(string) >> 5 & 1 ? state_of(string) >> 2 & 7 : 0;
}

static const char *characters_of(const struct python *python, const char *string)
{
    bool is_ascii = state_of(string) >> 6 & 1;
    return string + (is_ascii ? python->layout->ascii : python->layout->compact);
}

static bool set_string(const struct python *python, struct spur_script_frame *frame,
                       enum spur_script_part part, const char *string)
{
    enum { MOST = 1 << 16 };
    if (!is_object_of(frame, string, python->PyUnicode_Type))
        return false;
    uint64_t length = (uint64_t)python_number(string, PYTHON_SIZE);
    int64_t hash = python_number(string, PYTHON_HASH);
    frame->part[part].at = characters_of(python, string);
    frame->part[part].bytes = length * width_of(string);
    frame->part[part].hash = hash == -1 ? 0 : (uint64_t)hash;
    return length < MOST &&
           (length == 0 || can_read(frame, frame->part[part].at, frame->part[part].bytes));
}

/* A character in UTF-8; how many bytes. */
static size_t put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)((0xf00 >> n & 0xf0) | c);
    return n;
}

static uint32_t character_at(const char *at, uint32_t width)
{
    uint32_t c = 0;
    memcpy(&c, at, width < sizeof c ? width : sizeof c); /* little-endian */
    return c;
}

/* ---- frames ---- */

/* Only of a frame that has been set. */
static const char *string_of(const struct python *python, const struct spur_script_frame *frame,
                             enum spur_script_part part)
{
    const char *code = frame->code;
    return python_pointer(code, part == SPUR_SCRIPT_FILE ? python->file : python->function);
}

static bool set_code(const struct python *python, struct spur_script_frame *frame, const char *code)
{
    enum { MOST = 1 << 24 };
    if (!is_object_of(frame, code, python->PyCode_Type) ||
        !can_read(frame, code, (size_t)python->instructions) ||
        !set_string(python, frame, SPUR_SCRIPT_FUNCTION, python_pointer(code, python->function)) ||
        !set_string(python, frame, SPUR_SCRIPT_FILE, python_pointer(code, python->file)))
        return false;
    const char *lines = python_pointer(code, python->lines);
    if (!is_object_of(frame, lines, python->PyBytes_Type))
        return false;
    frame->code = code;
    frame->begin = (uint32_t)python_int(code, python->begin);
    frame->part[SPUR_SCRIPT_LINES].at = lines + PYTHON_CONTENT;
    frame->part[SPUR_SCRIPT_LINES].bytes = (uint64_t)python_number(lines, PYTHON_SIZE);
    frame->part[SPUR_SCRIPT_LINES].hash = 0;
    return frame->part[SPUR_SCRIPT_LINES].bytes < MOST;
}

static int32_t offset_in(const struct python *python, const char *frame, const char *code)
{
    const struct python_layout *layout = python->layout;
    if (layout->how == PYTHON_POINTER)
        return (int32_t)(python_pointer(frame, layout->instruction) -
                         (code + python->instructions));
    return python_int(frame, layout->instruction) * (layout->how == PYTHON_UNITS ? UNIT : 1);
}

static bool is_shim(const struct python_layout *layout, const char *frame)
{
    return layout->entry == PYTHON_SHIM && frame[layout->mark] == OWNED_BY_C;
}

/* Has a C function called it? */
static bool is_entry(const struct python_layout *layout, const char *frame, const char *caller)
{
    if (layout->entry == PYTHON_FLAGGED)
        return frame[layout->mark] != 0;
    return layout->entry == PYTHON_ALL || !caller || is_shim(layout, caller);
}

/* `at` is no shim. */
static bool set_frame(const struct python *python, struct spur_script_frame *frame, const char *at)
{
    const struct python_layout *layout = python->layout;
    if (!can_read(frame, at, FRAME_BYTES))
        return false;
    const char *code = python_pointer(at, layout->code);
    const char *caller = python_pointer(at, layout->caller);
    if (!set_code(python, frame, code) || (caller && !can_read(frame, caller, FRAME_BYTES)))
        return false;
    frame->offset = offset_in(python, at, code);
    frame->frame = at;
    frame->is_entry = is_entry(layout, at, caller);
    return true;
}

/* *at becomes a frame of Python's, or NULL; false: that cannot be read. */
static bool skip_shims(const struct python *python, const struct spur_script_frame *frame,
                       const char **at)
{
    while (*at) {
        if (!can_read(frame, *at, FRAME_BYTES))
            return false;
        if (!is_shim(python->layout, *at))
            return true;
        *at = python_pointer(*at, python->layout->caller);
    }
    return true;
}

/*
 * At its end the interpreter frees what belongs to other threads than the one that ends it. They do
 * not know, and make calls until they ask for the GIL.
 */
static const char *own_state(const struct python *python)
{
    const char *state = python->PyGILState_GetThisThreadState();
    return python->Py_IsFinalizing() && state != python->PyThreadState_GetUnchecked() ? NULL
                                                                                      : state;
}

static bool find_innermost(const struct python *python, const struct spur_script_frame *frame,
                           const char **at)
{
    const struct python_layout *layout = python->layout;
    const char *state = own_state(python);
    *at = NULL;
    if (!state)
        return true;
    if (!can_read(frame, state + layout->state, sizeof state))
        return false;
    *at = python_pointer(state, layout->state);
    if (layout->top == PYTHON_DIRECT)
        return skip_shims(python, frame, at);
    if (!*at || !can_read(frame, *at + layout->top, sizeof *at))
        return false;
    *at = python_pointer(*at, layout->top);
    return skip_shims(python, frame, at);
}

/* ---- is the table true of it? ---- */

/* The strings are of a kind that is known, and so is the line. */
static bool is_plausible(const struct python *python, const struct spur_script_frame *frame)
{
    const char *code = frame->code;
    for (int part = 0; part < SPUR_SCRIPT_LINES; part++) {
        uint32_t width = width_of(string_of(python, frame, (enum spur_script_part)part));
        if (width != 1 && width != 2 && width != 4)
            return false;
    }
    int32_t most = python->layout->how == PYTHON_POINTER
                       ? UNIT * (int32_t)python_number(code, PYTHON_SIZE)
                       : INT32_MAX;
    return frame->offset >= -UNIT && frame->offset < most &&
           (frame->offset % UNIT == 0 || frame->offset == -1) &&
           python->PyCode_Addr2Line(code, frame->offset) >= -1; /* where no line is known */
}

/* With all care, as in a signal handler. A thread without frames tells nothing. */
static int judge(const struct python *python)
{
    struct spur_script_frame frame = {.is_careful = true};
    const char *at;
    if (!python->layout || !find_innermost(python, &frame, &at))
        return FALSE_OF_IT;
    if (!at)
        return UNCHECKED;
    for (int i = 0; i < CHECKED_FRAMES && at; i++) {
        if (!set_frame(python, &frame, at) || !is_plausible(python, &frame))
            return FALSE_OF_IT;
        at = python_pointer(at, python->layout->caller);
        if (!skip_shims(python, &frame, &at))
            return FALSE_OF_IT;
    }
    return TRUE_OF_IT;
}

static void find_out(void *arg)
{
    const bool *may_say = arg;
    const struct python *python = python_found();
    int is = judge(python);
    atomic_store_explicit(&check, is, memory_order_relaxed);
    if (is == FALSE_OF_IT && *may_say)
        spur_say("Python %s has its frames in another way than spur knows: lines of scripts are"
                 " not recorded",
                 python->version);
}

static bool is_true(bool may_say)
{
    if (atomic_load_explicit(&check, memory_order_relaxed) == UNCHECKED)
        spur_on_own_stack(find_out, &may_say);
    return atomic_load_explicit(&check, memory_order_relaxed) == TRUE_OF_IT;
}

/* ---- what the agent asks ---- */

static bool frame_is_caller(const char *file)
{
    bool is = false;
#define BEGINS(text) is |= strncmp(file, text, strlen(text)) == 0;
#define CONTAINS(text) is |= strstr(file, text) != NULL;
#include "wrappers/python/python_callers.def"
    return is && python_find();
}

static bool frame_innermost(struct spur_script_frame *frame)
{
    const struct python *python = python_found();
    const char *at;
    return python && is_true(!frame->is_careful) && find_innermost(python, frame, &at) && at &&
           set_frame(python, frame, at);
}

static bool frame_caller(struct spur_script_frame *frame)
{
    const struct python *python = python_found();
    const char *at = python_pointer(frame->frame, python->layout->caller);
    return skip_shims(python, frame, &at) && at && set_frame(python, frame, at);
}

static bool frame_is_loader(const struct spur_script_frame *frame)
{
    static const char name[] = "<frozen importlib.";
    return frame->part[SPUR_SCRIPT_FILE].bytes >= sizeof name - 1 &&
           memcmp(frame->part[SPUR_SCRIPT_FILE].at, name, sizeof name - 1) == 0;
}

static uint32_t frame_line(const struct spur_script_frame *frame)
{
    int number = python_found()->PyCode_Addr2Line(frame->code, frame->offset);
    return number > 0 ? (uint32_t)number : 0;
}

static void frame_text(const struct spur_script_frame *frame, enum spur_script_part part, char *to,
                       size_t size)
{
    enum { WIDEST = 4 };
    const char *at = frame->part[part].at;
    const char *end = at + frame->part[part].bytes;
    uint32_t width = width_of(string_of(python_found(), frame, part));
    size_t used = 0;
    for (; width && at < end && used + WIDEST < size; at += width)
        used += put_utf8(to + used, character_at(at, width));
    to[used] = '\0';
}

bool python_code_text(const void *code, char *function, char *file, size_t size, uint32_t *begin)
{
    struct spur_script_frame frame = {.is_careful = false};
    if (!is_true(true) || !set_code(python_found(), &frame, code))
        return false;
    frame_text(&frame, SPUR_SCRIPT_FUNCTION, function, size);
    frame_text(&frame, SPUR_SCRIPT_FILE, file, size);
    *begin = frame.begin;
    return true;
}

static const struct spur_interpreter interpreter = {
    .is_caller = frame_is_caller,
    .innermost = frame_innermost,
    .caller = frame_caller,
    .is_loader = frame_is_loader,
    .line = frame_line,
    .text = frame_text,
};

__attribute__((constructor)) static void start(void)
{
    spur_interpreter_register(&interpreter);
}
