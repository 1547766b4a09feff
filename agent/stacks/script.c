/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/script.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/table.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/own_stack.h"

enum { TEXT_BYTES = 4096, CODES_MAX = 16 };

/*
 * The contents of a code object at an address. Never freed: other threads may be reading the
 * contents.
 */
struct code {
    struct code *older; /* earlier objects at the same address */
    uint32_t n;         /* number of objects at the address */
    uint32_t begin;
    uint64_t bytes[SPUR_SCRIPT_PARTS], hash[SPUR_SCRIPT_PARTS];
    char content[]; /* the parts, one behind another */
};

struct place {
    uint32_t line, begin;
    uint32_t file; /* start of the file's text */
    char texts[];  /* the function's, and the file's */
};

/*
 * Keys: a code object's or a place's address with one of these constants, a struct code and an
 * offset, or hashes.
 */
static const uint64_t code_key = UINT64_MAX;
static const uint64_t place_key = UINT64_MAX - 1; /* with a place's address: the place exists */

static const struct spur_interpreter *interpreter;
static struct spur_lock table_lock;
static struct spur_table table;

void spur_interpreter_register(const struct spur_interpreter *registered)
{
    interpreter = registered;
}

bool spur_script_calls(const char *file)
{
    return interpreter && interpreter->is_caller(file);
}

static const void *address_of(const struct place *place)
{
    return (const void *)((uintptr_t)place |
                          (uintptr_t)INTPTR_MIN); // NOLINT(performance-no-int-to-ptr)
}

static const struct place *place_at(const void *address)
{
    return (const struct place *)((uintptr_t)address &
                                  (uintptr_t)INTPTR_MAX); // NOLINT(performance-no-int-to-ptr)
}

/* ---- code objects ---- */

static bool is_same(const struct code *code, const struct spur_script_frame *frame)
{
    const char *content = code->content;
    if (code->begin != frame->begin)
        return false;
    for (int i = 0; i < SPUR_SCRIPT_PARTS; i++) {
        if (code->bytes[i] != frame->part[i].bytes)
            return false;
        bool is_hashed = code->hash[i] && frame->part[i].hash;
        if (is_hashed ? code->hash[i] != frame->part[i].hash
                      : memcmp(content, frame->part[i].at, code->bytes[i]) != 0)
            return false;
        content += code->bytes[i];
    }
    return true;
}

static struct spur_table_key key_of_code(const struct spur_script_frame *frame)
{
    return (struct spur_table_key){(uintptr_t)frame->code, code_key};
}

static struct code *first_code(const struct spur_script_frame *frame)
{
    uint64_t value;
    if (!spur_table_find(&table, key_of_code(frame), &value))
        return NULL;
    return (struct code *)(uintptr_t)value; // NOLINT(performance-no-int-to-ptr)
}

static const struct code *find_code(const struct spur_script_frame *frame)
{
    const struct code *code = first_code(frame);
    while (code && !is_same(code, frame))
        code = code->older;
    return code;
}

/*
 * NULL: too many objects have been at the address already, as in a program that makes code all the
 * time.
 */
static const struct code *add_code(const struct spur_script_frame *frame)
{
    struct code *older = first_code(frame);
    size_t bytes = offsetof(struct code, content);
    if (older && older->n == CODES_MAX)
        return NULL;
    for (int i = 0; i < SPUR_SCRIPT_PARTS; i++)
        bytes += frame->part[i].bytes;
    struct code *code = spur_mem_new(bytes);
    if (!code)
        return NULL;
    char *content = code->content;
    code->older = older;
    code->n = older ? older->n + 1 : 1;
    code->begin = frame->begin;
    for (int i = 0; i < SPUR_SCRIPT_PARTS; i++) {
        code->bytes[i] = frame->part[i].bytes;
        code->hash[i] = frame->part[i].hash;
        memcpy(content, frame->part[i].at, code->bytes[i]);
        content += code->bytes[i];
    }
    spur_table_put(&table, key_of_code(frame), (uintptr_t)code);
    return code;
}

/* ---- places ---- */

static uint64_t hash_of(uint64_t hash, const void *bytes, size_t n)
{
    for (const uint8_t *at = bytes; n > 0; n--)
        hash = (hash ^ *at++) * 0x100000001b3u;
    return hash;
}

/* Two hashes are as good as the contents. */
static struct spur_table_key key_of_place(const struct place *place, size_t bytes)
{
    const void *content = &place->line;
    return (struct spur_table_key){hash_of(0xcbf29ce484222325u, content, bytes),
                                   hash_of(0x9e3779b97f4a7c15u, content, bytes) >> 1};
}

static const struct place *intern(const struct place *made, size_t bytes)
{
    const struct spur_table_key key = key_of_place(made, bytes);
    uint64_t known;
    if (spur_table_find(&table, key, &known))
        return (const struct place *)(uintptr_t)known; // NOLINT(performance-no-int-to-ptr)
    struct place *place = spur_mem_new(bytes);
    if (!place)
        return NULL;
    memcpy(place, made, bytes);
    spur_table_put(&table, (struct spur_table_key){(uintptr_t)place, place_key}, 1);
    spur_table_put(&table, key, (uintptr_t)place);
    return place;
}

static const struct place *make_place(const struct spur_script_frame *frame)
{
    union {
        struct place place;
        char bytes[sizeof(struct place) + TEXT_BYTES + TEXT_BYTES];
    } made;
    char *texts = made.bytes + offsetof(struct place, texts);
    interpreter->text(frame, SPUR_SCRIPT_FUNCTION, texts, TEXT_BYTES);
    size_t file = strlen(texts) + 1;
    interpreter->text(frame, SPUR_SCRIPT_FILE, texts + file, TEXT_BYTES);
    made.place.line = interpreter->line(frame);
    made.place.begin = frame->begin;
    made.place.file = (uint32_t)file;
    return intern(&made.place, offsetof(struct place, texts) + file + strlen(texts + file) + 1);
}

static struct spur_table_key key_of(const struct code *code, const struct spur_script_frame *frame)
{
    return (struct spur_table_key){(uintptr_t)code, (uint32_t)frame->offset};
}

static const struct place *define_here(const struct spur_script_frame *frame)
{
    int saved = errno;
    spur_lock_take(&table_lock);
    const struct place *place = make_place(frame);
    const struct code *code = find_code(frame);
    if (!code)
        code = add_code(frame);
    if (code && place)
        spur_table_put(&table, key_of(code, frame), (uintptr_t)place);
    spur_lock_give(&table_lock);
    errno = saved;
    return place;
}
static const struct place *define(const struct spur_script_frame *frame);
SPUR_DOOR(const struct place *, define, (const struct spur_script_frame *, frame))

static const struct place *place_of(const struct spur_script_frame *frame)
{
    const struct code *code = find_code(frame);
    uint64_t place;
    if (code && spur_table_find(&table, key_of(code, frame), &place))
        return (const struct place *)(uintptr_t)place; // NOLINT(performance-no-int-to-ptr)
    return define(frame);
}

const struct spur_interpreter *spur_script_interpreter(void)
{
    return interpreter;
}

const void *spur_script_place(const struct spur_script_frame *frame)
{
    const struct place *place = place_of(frame);
    return place ? address_of(place) : NULL;
}

/* The script that loads another script; at the interpreter's start there is no loading script. */
static __attribute__((noinline)) const void *who_loads(struct spur_script_frame *frame)
{
    while (interpreter->caller(frame))
        if (!interpreter->is_loader(frame))
            return spur_script_place(frame);
    return interpreter->innermost(frame) ? spur_script_place(frame) : NULL;
}

static const void *find_here(struct spur_script_frame *frame)
{
    if (!interpreter->innermost(frame))
        return NULL;
    bool is_loader = interpreter->is_loader(frame);
    return __builtin_expect(is_loader, 0) ? who_loads(frame) : spur_script_place(frame);
}

static const void *find_carefully_here(void)
{
    char room[SPUR_SCRIPT_ROOM];
    struct spur_script_frame frame = {.is_careful = true, .room = room, .room_bytes = sizeof room};
    return find_here(&frame);
}
static const void *find_carefully(void);
SPUR_DOOR_ALONE(const void *, find_carefully)

const void *spur_script_here(void)
{
    struct spur_script_frame frame;
    frame.is_careful = false;
    if (!interpreter)
        return NULL;
    return __builtin_expect(interpreter->is_steady(), 1) ? find_here(&frame) : find_carefully();
}

/* A stack that was walked wrongly may hold any word. */
static uint32_t spur_script_code_here(const void *address)
{
    const struct place *place = place_at(address);
    uint64_t is_one;
    if (!spur_table_find(&table, (struct spur_table_key){(uintptr_t)place, place_key}, &is_one))
        return OTF2_UNDEFINED_UINT32;
    return spur_def_script(place->texts, place->texts + place->file, place->line, place->begin);
}
SPUR_DOOR(uint32_t, spur_script_code, (const void *, address))

void spur_script_after_fork(void)
{
    spur_table_forget(&table);
    spur_lock_reset(&table_lock);
}
