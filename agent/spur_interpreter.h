/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interpreter in the process, such as Python's: where its program is. A family of wrappers reads
 * that and registers the functions below; the agent keeps what they say, and knows no language.
 * Part of agent/spur_agent.h, which wrappers include; its promises hold here too.
 */
#ifndef SPUR_INTERPRETER_H
#define SPUR_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a code object of an interpreter consists of. The last part says which line is where. */
enum spur_script_part { SPUR_SCRIPT_FUNCTION, SPUR_SCRIPT_FILE, SPUR_SCRIPT_LINES };
enum { SPUR_SCRIPT_PARTS = SPUR_SCRIPT_LINES + 1 };

/*
 * A call of a function of a script. What it points to belongs to the interpreter, or lies in `room`
 * until the frame is set anew.
 */
struct spur_script_frame {
    /* Set by the caller: the thread may be in the middle of anything, or another one may free what
     * is read. It is checked, and copied to the room. */
    bool is_careful;
    char *room;
    size_t room_bytes, used;

    bool is_end;      /* there is none, and that is certain */
    uint32_t runs;    /* of the interpreter's loop, that end between the one called and this one */
    uint32_t begin;   /* the line on which the function begins */
    int32_t offset;   /* of the instruction in the code */
    const void *code; /* once it is freed, other code may come to its address */
    /* The interpreter's own, for caller(). */
    const void *outer;
    const char *read; /* of the outer one, what has been read already */
    long process;
    bool is_entry;
    struct {
        const void *at;
        uint64_t hash; /* of these bytes, for this process; 0: not known */
        uint32_t bytes;
        uint32_t width; /* bytes of a character */
    } part[SPUR_SCRIPT_PARTS];
};

/*
 * All functions are called by the thread that they ask about, with the depth guard up. They take no
 * lock, no memory and nothing of the interpreter's, and keep errno. They are async-signal-safe,
 * where the frame is careful.
 */
struct spur_interpreter {
    /* Does an object of that file name (no path) make calls on behalf of a script? */
    bool (*is_caller)(const char *file);
    /* Do the thread's frames stay while it is here? Else one that is read is careful. */
    bool (*is_steady)(void);
    /*
     * The function of a script that the thread is in; false: none, or it cannot be read. And the
     * one that called it. `runs` is set in any case.
     */
    bool (*innermost)(struct spur_script_frame *frame);
    bool (*caller)(struct spur_script_frame *frame);
    /*
     * Does a call at that return address come from the interpreter's loop? A run of the loop is a
     * function in C; the functions of a script that it calls itself are in the same run.
     */
    bool (*is_loop)(const void *address);
    /* Is it one of the interpreter's own, which runs when a script loads another one? */
    bool (*is_loader)(const struct spur_script_frame *frame);
    /* Of a frame: the line that it is at, 0: not known; a part as text in UTF-8, cut to `size`. */
    uint32_t (*line)(const struct spur_script_frame *frame);
    void (*text)(const struct spur_script_frame *frame, enum spur_script_part part, char *text,
                 size_t size);
};

/* Once, before there are threads. Borrowed for good. */
void spur_interpreter_register(const struct spur_interpreter *registered);

#endif
