/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interpreter in the process, such as Python's: the place of its program. A family of wrappers
 * reads the place and registers the functions below; the agent keeps the results, and knows no
 * language. Part of agent/spur_agent.h, which wrappers include; its promises hold here too.
 */
#ifndef SPUR_INTERPRETER_H
#define SPUR_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of a code object of an interpreter. The last part is the table of lines. */
enum spur_script_part { SPUR_SCRIPT_FUNCTION, SPUR_SCRIPT_FILE, SPUR_SCRIPT_LINES };
enum { SPUR_SCRIPT_PARTS = SPUR_SCRIPT_LINES + 1 };

/*
 * A call of a function of a script. The pointers point to memory of the interpreter, or into `room`
 * until the frame is set anew.
 */
struct spur_script_frame {
    /* Set by the caller: the thread may be in the middle of anything, or another thread may free
     * the memory being read. The memory is checked, and copied to the room. */
    bool is_careful;
    char *room;
    size_t room_bytes, used;

    bool is_end;    /* the script has certainly no further frame */
    uint32_t runs;  /* of the interpreter's loop, ended between the called function and this one */
    uint32_t begin; /* the line on which the function begins */
    int32_t offset; /* of the instruction in the code */
    const void *code; /* after code is freed, other code may have the address */
    /* The interpreter's own, for caller(). */
    const void *outer;
    const char *read; /* of the outer frame, already read */
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
 * All functions are called by the thread whose frames they read, with the depth guard up. The
 * functions take no lock, no memory and no objects of the interpreter, and keep errno. With a
 * careful frame, the functions are async-signal-safe.
 */
struct spur_interpreter {
    /* Does an object with the file name (no path) make calls on behalf of a script? */
    bool (*is_caller)(const char *file);
    /* Do the thread's frames stay in place during the thread's call here? If not, frames are
     * careful. */
    bool (*is_steady)(void);
    /*
     * The function of a script in which the thread is; false: the thread runs no script, or the
     * frame cannot be read. And: the caller of the function. `runs` is set in any case.
     */
    bool (*innermost)(struct spur_script_frame *frame);
    bool (*caller)(struct spur_script_frame *frame);
    /*
     * Does a call at the return address come from the interpreter's loop? A run of the loop is a
     * function in C; functions of a script called by the loop itself are in the same run.
     */
    bool (*is_loop)(const void *address);
    /* Is the function part of the interpreter, and runs when a script loads another script? */
    bool (*is_loader)(const struct spur_script_frame *frame);
    /* Of a frame: the present line, 0: not known; a part as text in UTF-8, cut to `size`. */
    uint32_t (*line)(const struct spur_script_frame *frame);
    void (*text)(const struct spur_script_frame *frame, enum spur_script_part part, char *text,
                 size_t size);
};

/* Once, before there are threads. Borrowed for good. */
void spur_interpreter_register(const struct spur_interpreter *registered);

#endif
