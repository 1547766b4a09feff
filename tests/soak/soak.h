/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random program: the operations of soak_ops.def, drawn from a seed. The seed alone decides on
 * the operations. The notes of an operation do not depend on time: a run with the agent has to note
 * the same as a run without the agent.
 *
 * An actor runs a script: the process itself, a thread, a signal handler, a child, the program that
 * a child becomes. Each actor notes into a log of its own. The parent takes the log over after the
 * actor's end, so that the order of notes is the order of the scripts. All logs lie in a file that
 * all processes map: the notes of a process outlive any end of the process, and operations may
 * close all descriptors.
 */
#ifndef SOAK_H
#define SOAK_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The effects of an operation, and the places where the operation may be drawn. */
enum {
    SAFE = 1 << 0,   /* in signal handlers too */
    ALONE = 1 << 1,  /* changes the state of all threads: only where no other thread has a script */
    SPAWNS = 1 << 2, /* makes actors: not at the greatest depth */
    CHILD = 1 << 3,  /* not in the first process, whose script goes on behind */
    END = 1 << 4,    /* takes locks of the C library: not on a fibre or during others' forks */
    CALM = 1 << 5,   /* takes locks of the C library: not on a fibre or where others may fork */
    STILL = 1 << 6   /* not while any other thread runs */
};

/* The stack for an operation, without the agent. */
enum {
    LIGHT = 1 << 10,  /* locks and the like */
    MEDIUM = 6 << 10, /* processes, signals */
    HEAVY = 28 << 10, /* the loader, the unwinder */
    DEEP = 120 << 10
};

/* The kinds of actors. */
enum {
    IS_ROOT = 1 << 0, /* the first process, in any of its threads */
    IN_HANDLER = 1 << 1,
    IN_CROWD = 1 << 2, /* other threads have scripts at the same time */
    IS_CHILD = 1 << 3,
    IN_FIBRE = 1 << 4,
    IS_THREAD = 1 << 5,
    HAS_NOISE = 1 << 6 /* other threads make calls meanwhile, without scripts */
};

struct soak_log {
    uint32_t used;
    uint32_t size; /* of the text */
    uint64_t hash; /* of all notes, also of notes without room in the text */
    char text[];
};

struct soak_actor {
    uint64_t seed;
    uint64_t state; /* of the draws of this operation */
    struct soak_log *log;
    size_t stack;
    unsigned flags;
    unsigned depth;
    int signal; /* for this thread alone */
};

struct soak_op {
    const char *name;
    void (*run)(struct soak_actor *actor);
    unsigned weight;
    size_t stack;
    unsigned flags;
};

extern __thread struct soak_actor *soak_self;
extern __thread sigjmp_buf *soak_fault; /* the jump of the SIGSEGV handler; NULL: a real fault */
extern char soak_program[], soak_folder[];

/* soak.c */
uint64_t soak_draw(struct soak_actor *actor, uint64_t below);
void soak_script(struct soak_actor *actor, unsigned n_operations);
_Noreturn void soak_end(struct soak_actor *actor); /* by an operation at the end of the process */
void soak_finish(void);                            /* the first process has noted all */

/* soak_log.c */
void soak_arena_make(void);
void soak_arena_open(const char *path);
const char *soak_arena_path(void);
/* An addition to the size of all stacks, for a signal from outside (SOAK_ROOM, in bytes). */
size_t soak_room(void);
struct soak_log *soak_log_new(size_t size);
size_t soak_log_place(const struct soak_log *log);
struct soak_log *soak_log_at(size_t place);
void soak_log_leave(uint64_t key, const struct soak_log *log); /* for soak_note_left() */
void soak_note_left(struct soak_actor *actor);                 /* once all processes have ended */
void soak_note(struct soak_actor *actor, int64_t value);
void soak_note_word(struct soak_actor *actor, const char *word);
void soak_note_log(struct soak_actor *actor, const struct soak_log *log);

/* soak_locks.c: recorded calls, without notes */
void soak_calls(unsigned n);
void *soak_noise(void *stop); /* a thread's routine: calls until *(atomic_int *)stop */

/* soak_threads.c, soak_processes.c, soak_signals.c */
struct soak_actor soak_sub(struct soak_actor *parent, unsigned flags, size_t stack);
void *soak_stack_new(size_t size); /* with an inaccessible page below */
void soak_stack_free(void *stack, size_t size);
void soak_note_child(struct soak_actor *actor, pid_t pid, struct soak_log *log);
_Noreturn void soak_child(struct soak_actor *parent, uint64_t seed, struct soak_log *log);
void soak_handlers(void); /* the handlers of every process */
void soak_handler(int sig, void (*run)(int), int flags);
timer_t soak_timer(int sig, long microseconds, bool repeats); /* to this thread */

#define OP(name, weight, stack, flags) void soak_op_##name(struct soak_actor *actor);
#include "soak_ops.def"
#undef OP

#endif
