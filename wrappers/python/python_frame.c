/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of Python functions of the calling thread, read from the interpreter's memory. For
 * calls made without the GIL: without the GIL the interpreter may be asked nothing. Before the
 * first use all reading is checked with the kernel's help, since the interpreter may differ from
 * the table.
 *
 * A thread changes and frees its own frames and the code of the frames. But at the end the
 * interpreter frees the frames of threads that still run (daemons), once such a thread does not
 * have the GIL. And a signal handler sees the frames between any two instructions: a frame may be
 * linked to a place where nothing has been written yet. In both cases the kernel copies the memory
 * and reports missing memory, and the copy is judged.
 */

#include "wrappers/python/python_frame.h"

#include <pthread.h>

#include "wrappers/python/python_api.h"
#include "wrappers/python/python_lines.h"
#include "wrappers/python/python_loop.h"
#include "wrappers/python/python_marks.h"
#include "wrappers/python/python_read.h"

enum { OWNED_BY_C = 3, UNIT = 2, CHECKED_FRAMES = 32, TAG = 3 };

/* Has the table been found to be true of this interpreter? */
enum { UNCHECKED, TRUE_OF_IT, FALSE_OF_IT };
static _Atomic int check;

/* ---- memory ---- */

static const char *load(struct spur_script_frame *frame, const char *at, uint32_t bytes)
{
    struct python_piece piece = {at, bytes, bytes, NULL};
    return python_read(frame, &piece, 1) ? piece.got : NULL;
}

static bool is_object_of(const struct spur_script_frame *frame, const char *object,
                         const char *type)
{
    return object && (!frame->is_careful || python_pointer(object, PYTHON_TYPE) == type);
}

/* ---- strings ---- */

static uint32_t state_of(const char *string)
{
    return (uint32_t)python_int(string, PYTHON_STATE);
}

/* Bytes of a character, 0: the characters lie elsewhere. */
static uint32_t width_of(const char *string)
{
    return state_of(string) >> 5 & 1 ? state_of(string) >> 2 & 7 : 0;
}

static const char *characters_of(const struct python *python, const char *string)
{
    bool is_ascii = state_of(string) >> 6 & 1;
    return string + (is_ascii ? python->layout->ascii : python->layout->compact);
}

/* The beginning of the string has been read. */
static bool set_string(const struct python *python, struct spur_script_frame *frame,
                       enum spur_script_part part, struct python_piece *read)
{
    enum { MOST = 1 << 14 };
    const char *string = read->got;
    if (!is_object_of(frame, string, python->PyUnicode_Type))
        return false;
    uint64_t length = (uint64_t)python_number(string, PYTHON_SIZE);
    int64_t hash = python_number(string, PYTHON_HASH);
    uint32_t width = width_of(string);
    if (length >= MOST || width > sizeof(uint32_t))
        return false;
    size_t head = (size_t)(characters_of(python, string) - string);
    const uint32_t bytes = (uint32_t)(head + length * width);
    if (frame->is_careful && read->bytes < bytes) {
        read->bytes = read->least = bytes;
        if (!python_read(frame, read, 1))
            return false;
        string = read->got;
    }
    frame->part[part].at = string + head;
    frame->part[part].bytes = (uint32_t)length * width;
    frame->part[part].hash = hash == -1 ? 0 : (uint64_t)hash;
    frame->part[part].width = width;
    return true;
}

/* Writes a character in UTF-8; returns the number of bytes. */
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

/* The same for the table of lines. Without room for a whole copy, the beginning of the table. */
static bool set_lines(const struct python *python, struct spur_script_frame *frame,
                      struct python_piece *read)
{
    enum { MOST = 1 << 24 };
    const char *lines = read->got;
    if (!is_object_of(frame, lines, python->PyBytes_Type))
        return false;
    uint64_t bytes = (uint64_t)python_number(lines, PYTHON_SIZE);
    if (bytes >= MOST)
        return false;
    if (frame->is_careful && read->bytes < PYTHON_CONTENT + bytes) {
        read->bytes = PYTHON_CONTENT + (uint32_t)bytes;
        if (!python_read(frame, read, 1))
            return false;
        lines = read->got;
        bytes = read->bytes - PYTHON_CONTENT;
    }
    frame->part[SPUR_SCRIPT_LINES].at = lines + PYTHON_CONTENT;
    frame->part[SPUR_SCRIPT_LINES].bytes = (uint32_t)bytes;
    frame->part[SPUR_SCRIPT_LINES].hash = 0;
    return true;
}

/* `code`: the part of the code object at `at` that has been read. */
static bool set_code(const struct python *python, struct spur_script_frame *frame, const char *at,
                     const char *code)
{
    enum { STRING = 256, STRING_HEAD = 40, TABLE = 1024 };
    if (!is_object_of(frame, code, python->PyCode_Type))
        return false;
    frame->code = at;
    frame->begin = (uint32_t)python_int(code, python->begin);
    struct python_piece piece[SPUR_SCRIPT_PARTS] = {
        {python_pointer(code, python->function), STRING, STRING_HEAD, NULL},
        {python_pointer(code, python->file), STRING, STRING_HEAD, NULL},
        {python_pointer(code, python->lines), TABLE, PYTHON_CONTENT, NULL}};
    return python_read(frame, piece, SPUR_SCRIPT_PARTS) &&
           set_string(python, frame, SPUR_SCRIPT_FUNCTION, &piece[SPUR_SCRIPT_FUNCTION]) &&
           set_string(python, frame, SPUR_SCRIPT_FILE, &piece[SPUR_SCRIPT_FILE]) &&
           set_lines(python, frame, &piece[SPUR_SCRIPT_LINES]);
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
    return layout->entry == PYTHON_SHIM && frame[layout->mark] >= OWNED_BY_C;
}

/* The number of bytes at the beginning of a frame that are looked at. */
static uint32_t bytes_of_frame(const struct python_layout *layout)
{
    uint32_t end = (uint32_t)layout->instruction + sizeof(int64_t);
    return end > (uint32_t)layout->mark ? end : (uint32_t)layout->mark + 1;
}

/*
 * `at`: the address of the loaded frame. The outer frame is read together with the code, since the
 * caller asks for the outer frame next.
 */
static bool set_frame(const struct python *python, struct spur_script_frame *frame, const char *at)
{
    const struct python_layout *layout = python->layout;
    const uint32_t bytes = bytes_of_frame(layout), of_code = (uint32_t)python->instructions;
    const char *code = python_pointer(at, layout->code);
    code -= (uintptr_t)code & TAG;
    struct python_piece piece[] = {{code, of_code, of_code, NULL},
                                   {python_pointer(at, layout->caller), bytes, bytes, NULL}};
    frame->outer = piece[1].at;
    frame->offset = offset_in(python, at, piece[0].at);
    frame->is_entry =
        layout->entry == PYTHON_ALL || (layout->entry == PYTHON_FLAGGED && at[layout->mark] != 0);
    if (!python_read(frame, piece, frame->outer ? 2 : 1))
        return false;
    frame->read = piece[1].got;
    return set_code(python, frame, piece[0].at, piece[0].got);
}

/*
 * The first frame of Python from `at` on. A run of the loop ends with each shim. `read`: the part
 * of the frame at `at` that has been read.
 */
static bool set_first(const struct python *python, struct spur_script_frame *frame, const char *at,
                      const char *read)
{
    enum { SHIMS_MAX = 1 << 10 };
    uint32_t most = frame->runs + SHIMS_MAX;
    frame->is_end = !at;
    while (at && frame->runs < most) {
        frame->used = 0; /* the last piece stays in the room until the next reading */
        const char *there = read ? read : load(frame, at, bytes_of_frame(python->layout));
        if (!there)
            return false;
        if (!is_shim(python->layout, there))
            return set_frame(python, frame, there);
        read = NULL;
        frame->runs++;
        at = python_pointer(there, python->layout->caller);
        frame->is_end = !at;
    }
    return false;
}

static bool has_gil(const struct python *python)
{
    return python->PyGILState_GetThisThreadState() == python->PyThreadState_GetUnchecked();
}

/*
 * At the end the interpreter frees the memory of all threads but the ending thread. The remaining
 * threads do not know, and make calls until they ask for the GIL.
 */
static const char *own_state(const struct python *python)
{
    return python->Py_IsFinalizing() && !has_gil(python) ? NULL
                                                         : python->PyGILState_GetThisThreadState();
}

/* *at becomes the pointer at the address *at + offset; false: the pointer cannot be read. */
static bool follow(struct spur_script_frame *frame, const char **at, int offset)
{
    const char *there = load(frame, *at + offset, sizeof there);
    if (there)
        *at = python_pointer(there, 0);
    return there;
}

static bool set_innermost(const struct python *python, struct spur_script_frame *frame)
{
    const struct python_layout *layout = python->layout;
    const char *at = own_state(python);
    frame->runs = 0;
    frame->used = 0;
    frame->is_end = !at;
    python_read_begin(frame);
    if (!at || !follow(frame, &at, layout->state))
        return false;
    if (at && layout->top != PYTHON_DIRECT && !follow(frame, &at, layout->top))
        return false;
    return set_first(python, frame, at, NULL);
}

static bool set_caller(const struct python *python, struct spur_script_frame *frame)
{
    frame->runs = frame->is_entry;
    return set_first(python, frame, frame->outer, frame->read);
}

/* ---- is the table true of the interpreter? ---- */

/* The strings are of a known kind, and the line is plausible. */
static bool is_plausible(const struct spur_script_frame *frame)
{
    enum { MOST = 1 << 24 };
    for (int part = 0; part < SPUR_SCRIPT_LINES; part++) {
        uint32_t width = frame->part[part].width;
        if (width != 1 && width != 2 && width != 4)
            return false;
    }
    return frame->offset >= -UNIT && frame->offset < MOST &&
           (frame->offset % UNIT == 0 || frame->offset == -1);
}

/* With all care, as in a signal handler. A thread without frames tells nothing. */
static int judge(const struct python *python)
{
    char room[16 << 10];
    struct spur_script_frame frame = {.is_careful = true, .room = room, .room_bytes = sizeof room};
    if (!python->layout)
        return FALSE_OF_IT;
    if (!set_innermost(python, &frame))
        return frame.is_end ? UNCHECKED : FALSE_OF_IT;
    for (int i = 0; i < CHECKED_FRAMES; i++) {
        if (!is_plausible(&frame))
            return FALSE_OF_IT;
        if (!set_caller(python, &frame))
            return frame.is_end ? TRUE_OF_IT : FALSE_OF_IT;
    }
    return TRUE_OF_IT;
}

static void say_unknown_here(const char *version)
{
    struct python_minors known = python_minors();
    spur_say("Python %s has its frames in another way than spur knows of 3.%d to 3.%d: stacks,"
             " samples and call sites are without functions of Python",
             version, known.oldest, known.newest);
}

static void say_unknown(const char *version);
SPUR_DOOR_VOID(say_unknown, (const char *, version))

static void say_if_unknown(void)
{
    const char *version = python_unknown();
    if (version)
        say_unknown(version);
}

/*
 * A true result is true for good. A false result may come from a frame that is changing, if the
 * frames are not steady.
 */
static void find_out(void *arg)
{
    const bool *is_steady = arg;
    const struct python *python = python_found();
    int is = judge(python);
    if (is == FALSE_OF_IT && python->layout && !*is_steady)
        return;
    atomic_store_explicit(&check, is, memory_order_relaxed);
    if (is == FALSE_OF_IT)
        say_unknown(python->version);
}

static bool is_true(bool is_steady)
{
    if (atomic_load_explicit(&check, memory_order_relaxed) == UNCHECKED)
        spur_on_own_stack(find_out, &is_steady);
    return atomic_load_explicit(&check, memory_order_relaxed) == TRUE_OF_IT;
}

/* ---- questions of the agent ---- */

static bool frame_is_caller(const char *file)
{
    bool is = false;
#define BEGINS(text) is |= strncmp(file, text, strlen(text)) == 0;
#define CONTAINS(text) is |= strstr(file, text) != NULL;
#include "wrappers/python/python_callers.def"
    if (!is || python_find())
        return is;
    say_if_unknown();
    return false;
}

/* The thread that ends the interpreter, or waits for the end. */
static _Atomic pthread_t main_thread;

void python_frame_begin(void)
{
    atomic_store_explicit(&main_thread, pthread_self(), memory_order_relaxed);
}

bool python_frame_is_main(void)
{
    return pthread_equal(pthread_self(), atomic_load_explicit(&main_thread, memory_order_relaxed));
}

static bool frame_is_steady(void)
{
    const struct python *python = python_found();
    return !python || python_frame_is_main() || has_gil(python);
}

static void say_not_alone_here(void)
{
    spur_say("the program has sub-interpreters of Python: while it has, stacks, samples and call"
             " sites are without functions of Python");
}

static void say_not_alone(void);
SPUR_DOOR_VOID_ALONE(say_not_alone)

/* A thread has a state in each interpreter. The interpreter of a loop is not known. */
static bool is_alone(const struct python *python)
{
    static atomic_bool is_said;
    void *newest = python->PyInterpreterState_Head();
    if (!newest || newest == python->PyInterpreterState_Main())
        return true;
    if (!atomic_exchange_explicit(&is_said, true, memory_order_relaxed))
        say_not_alone();
    return false;
}

static bool frame_innermost(struct spur_script_frame *frame)
{
    const struct python *python = python_found();
    frame->runs = 0;
    if (!python)
        say_if_unknown();
    frame->is_end = !python || !is_alone(python);
    return !frame->is_end && is_true(!frame->is_careful) && set_innermost(python, frame);
}

static bool frame_caller(struct spur_script_frame *frame)
{
    return set_caller(python_found(), frame);
}

static bool frame_is_loader(const struct spur_script_frame *frame)
{
    static const char name[] = PYTHON_LOADER;
    return frame->part[SPUR_SCRIPT_FILE].bytes >= sizeof name - 1 &&
           memcmp(frame->part[SPUR_SCRIPT_FILE].at, name, sizeof name - 1) == 0;
}

static uint32_t frame_line(const struct spur_script_frame *frame)
{
    return python_line(python_found()->layout->lines, frame->part[SPUR_SCRIPT_LINES].at,
                       frame->part[SPUR_SCRIPT_LINES].bytes, frame->begin, frame->offset);
}

static void frame_text(const struct spur_script_frame *frame, enum spur_script_part part, char *to,
                       size_t size)
{
    enum { WIDEST = 4 };
    const char *at = frame->part[part].at;
    const char *end = at + frame->part[part].bytes;
    uint32_t width = frame->part[part].width;
    size_t used = 0;
    for (; width && at < end && used + WIDEST < size; at += width)
        used += put_utf8(to + used, character_at(at, width));
    to[used] = '\0';
}

/* If the frames of the interpreter are not known, the reading of the code is judged. */
bool python_code_text(const void *code, char *function, char *file, size_t size, uint32_t *begin)
{
    char room[16 << 10];
    struct spur_script_frame frame = {.is_careful = !is_true(true),
                                      .room = room,
                                      .room_bytes = sizeof room};
    python_read_begin(&frame);
    if (!set_code(python_found(), &frame, code, code) || !is_plausible(&frame))
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
    .is_steady = frame_is_steady,
    .is_loop = python_is_loop,
    .is_loader = frame_is_loader,
    .line = frame_line,
    .text = frame_text,
};

__attribute__((constructor)) static void start(void)
{
    python_frame_begin();
    spur_interpreter_register(&interpreter);
}
