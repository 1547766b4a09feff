/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of libgomp. The compiler has put the body into a function of one argument, the task's data.
 * The runtime copies the data when the task is created: by memcpy(), or by a function of the
 * program where there are constructors to call. The runtime is given a larger block and functions
 * of spur's:
 *
 *     3 words that the runtime reads and writes at the beginning of the data:
 *         0, 1  bounds of a taskloop's task, written into each task's block
 *         0     the event of a detached task, written into the source of the copy
 *         2     the place of a taskloop's reductions
 *     spur's knowledge of the task, and the program's function
 *     the program's data, at its alignment
 */
#include <alloca.h>
#include <string.h>

#include "wrappers/openmp/gomp_detach.h"
#include "wrappers/openmp/gomp_library.h"
#include "wrappers/openmp/gomp_words.h"
#include "wrappers/openmp/ompt_thread.h"
#include "wrappers/openmp/openmp_records.h"

/* Flags of GOMP_task() and GOMP_taskloop(). */
enum {
    UNTIED = 1 << 0,
    UP = 1 << 8,
    GRAINSIZE = 1 << 9,
    NOGROUP = 1 << 11,
    REDUCTION = 1 << 12,
    DETACH = 1 << 13
};

enum { WORDS = 3, CANCEL_TASKGROUP = 8 };

struct creation;

/* The beginning of a task's block. */
struct block {
    gomp_word word[WORDS];
    void (*body)(void *);
    struct creation *creation; /* valid while the task is being created */
    uint32_t offset;           /* of the program's data */
    bool is_loop;
    bool is_planned;     /* `task` has only the common part of the block's tasks */
    bool may_be_dropped; /* when the construct is cancelled, the task does not begin */
    bool is_detached;
    gomp_word event;
    struct openmp_task task;
};

/* A call that creates tasks: the source from which the runtime copies. */
struct creation {
    gomp_word word[WORDS];
    void (*body)(void *);
    void (*copy)(void *, void *); /* the program's, or NULL */
    void *data;
    size_t bytes;
    const void *address;
    size_t offset;
    bool is_loop;
    bool is_detached;
    enum openmp_kind kind;
    struct block *latest;
    struct creation *outer;
};

/* The thread's innermost creation of a single task. */
static __thread struct creation *creating __attribute__((tls_model("initial-exec")));

static size_t rounded(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

static void fill(struct block *block, struct creation *creation)
{
    memset(block, 0, sizeof *block);
    block->body = creation->body;
    block->creation = creation;
    block->offset = (uint32_t)creation->offset;
    block->is_loop = creation->is_loop;
    block->may_be_dropped = !creation->copy;
    block->is_detached = creation->is_detached;
}

/* The runtime makes the task's block from the creation. */
static void copy(void *to, void *from)
{
    struct block *block = to;
    struct creation *creation = from;
    void *data = (char *)to + creation->offset;
    fill(block, creation);
    creation->latest = block;
    openmp_task_created(&block->task, creation->kind, creation->address);
    if (creation->is_detached) {
        block->event = creation->word[0];
        gomp_detach_created(block->event, &block->task);
        if (creation->data)
            memcpy(creation->data, &creation->word[0], sizeof creation->word[0]);
    }
    if (creation->copy)
        creation->copy(data, creation->data);
    else if (creation->bytes && creation->data)
        memcpy(data, creation->data, creation->bytes);
}

/* With spur's function to copy, the runtime would run tasks that the runtime may drop otherwise. */
static bool is_dropped(const struct block *block)
{
    return block->may_be_dropped &&
           ((bool (*)(int))gomp_real(ID_GOMP_cancellation_point, NULL))(CANCEL_TASKGROUP);
}

/* The function that the runtime calls in place of the program's function. */
GOMP_CALLS_BODIES static void run(void *argument)
{
    struct block *block = argument;
    char *data = (char *)argument + block->offset;
    struct openmp_task planned, *task = &block->task;
    if (block->is_loop)
        memcpy(data, block->word, 2 * sizeof block->word[0]);
    if (block->is_planned) {
        planned = block->task;
        task = &planned;
    } else if (is_dropped(block)) {
        openmp_task_complete(task);
        return;
    }
    /* Not deferred: the task is created now, and runs. */
    if (creating && creating->latest == block && openmp_is_in(OPENMP_TASK_CREATE))
        openmp_leave(OPENMP_TASK_CREATE);

    bool is_detached = block->is_detached;
    gomp_word event = block->event;
    void (*body)(void *) = block->body;
    struct openmp_task *was = openmp_task_switch(task, false);
    body(data);
    bool is_complete = !is_detached || gomp_detach_ended(event);
    if (was && is_complete)
        openmp_task_switch(was, true);
    else if (was)
        openmp_task_detach(was);
}

/* ---- one task ---- */

// NOLINTBEGIN(readability-function-size): as many parameters as the runtime's functions have

/*
 * GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend, priority, detach):
 * older compilers pass fewer arguments, and the runtime reads the last arguments only as the flags
 * say.
 */
static __attribute__((noinline)) gomp_word
tell_task(GOMP_PARAMS(10), gomp_word (*real)(GOMP_PARAMS(10)), const void *address)
{
    size_t alignment = w5 > _Alignof(struct block) ? w5 : _Alignof(struct block);
    struct creation creation = {.body = (void (*)(void *))w1,
                                .copy = (void (*)(void *, void *))w3,
                                .data = (void *)w2,
                                .bytes = w4,
                                .address = spur_place_of(w1, gomp_place(address)),
                                .offset = rounded(sizeof(struct block), alignment),
                                .is_detached = (w7 & DETACH) != 0,
                                .kind = w7 & UNTIED ? OPENMP_TASK_UNTIED : OPENMP_TASK,
                                .outer = creating};
    openmp_enter(OPENMP_TASK_CREATE, creation.address);
    creating = &creation;
    gomp_word ret = real((gomp_word)run, (gomp_word)&creation, (gomp_word)copy,
                         creation.offset + w4, alignment, w6, w7, w8, w9, w10);
    creating = creation.outer;
    if (openmp_is_in(OPENMP_TASK_CREATE))
        openmp_leave(OPENMP_TASK_CREATE);
    return ret;
}

/*
 * Another runtime tells where the call came from, so the wrapper jumps there: see gomp_parallel.c.
 */
SPUR_EXPORT gomp_word GOMP_task(GOMP_PARAMS(10));
SPUR_EXPORT gomp_word GOMP_task(GOMP_PARAMS(10))
{
    const void *address = __builtin_return_address(0);
    gomp_word (*real)(GOMP_PARAMS(10)) = GOMP_REAL(GOMP_task, 10, address);
    if (gomp_is_told(ID_GOMP_task) && !spur_inside())
        return tell_task(GOMP_ARGS(10), real, address);
    if (gomp_is_missing(ID_GOMP_task))
        ((void (*)(void *))w1)((void *)w2);
    ompt_calls(address, w1);
    return real(GOMP_ARGS(10));
}

// NOLINTEND(readability-function-size)

/* ---- taskloop ---- */

/* No fewer tasks than the runtime makes of the loop. */
static size_t most_tasks(gomp_word flags, gomp_word tasks, gomp_word from, gomp_word to,
                         gomp_word step)
{
    if (!(flags & GRAINSIZE))
        return tasks ? tasks : (size_t)((int (*)(void))gomp_real(ID_omp_get_num_threads, NULL))();
    gomp_word length = flags & UP ? to - from : from - to;
    gomp_word stride = flags & UP ? step : -step;
    if (!stride || !tasks)
        return SIZE_MAX;
    return (length / stride + 1) / tasks + 1;
}

/*
 * With a function to copy, the runtime holds all tasks that are not deferred on the stack at once.
 * Without such a function the runtime takes one task after another. So the runtime gets a function
 * to copy only if the program has a function, or if the tasks are few. Otherwise the runtime copies
 * a block common to all tasks, and each task is created by the thread that begins the task.
 */
static bool may_copy(const struct creation *creation, size_t alignment, size_t tasks)
{
    enum { ITS_OWN = 256, STACK_MAX = 32 << 10 };
    size_t each = ITS_OWN + rounded(creation->offset + creation->bytes, alignment);
    return creation->copy || tasks <= STACK_MAX / each;
}

/*
 * GOMP_taskloop(fn, data, cpyfn, arg_size, arg_align, flags, num_tasks, priority, start, end,
 * step), with bounds of type long; of unsigned long long for GOMP_taskloop_ull. A union would be an
 * array too.
 */
typedef gomp_word (*taskloop_function)(GOMP_PARAMS(10), gomp_word w11);

static void taskloop(taskloop_function real, const void *address, const gomp_word *w)
{
    size_t alignment = w[4] > _Alignof(struct block) ? w[4] : _Alignof(struct block);
    struct creation creation = {.body = (void (*)(void *))w[0],
                                .copy = (void (*)(void *, void *))w[2],
                                .data = (void *)w[1],
                                .bytes = w[3],
                                .address = spur_place_of(w[0], gomp_place(address)),
                                .offset = rounded(sizeof(struct block), alignment),
                                .is_loop = true,
                                .kind = w[5] & UNTIED ? OPENMP_TASK_UNTIED : OPENMP_TASK};
    if (w[5] & REDUCTION)
        memcpy(&creation.word[2], (char *)creation.data + 2 * sizeof(gomp_word), sizeof(gomp_word));
    void *from = &creation;
    void (*copier)(void *, void *) = copy;
    size_t bytes = creation.offset + creation.bytes;
    if (!may_copy(&creation, alignment, most_tasks(w[5], w[6], w[8], w[9], w[10]))) {
        char *room = alloca(bytes + alignment);
        struct block *block = (void *)rounded((gomp_word)room, alignment);
        fill(block, &creation);
        memcpy(block->word, creation.word, sizeof block->word);
        memcpy((char *)block + creation.offset, creation.data, creation.bytes);
        block->is_planned = true;
        openmp_task_planned(&block->task, creation.kind, creation.address);
        from = block;
        copier = NULL;
    }
    bool has_group = !(w[5] & NOGROUP);
    if (has_group)
        openmp_enter(OPENMP_TASKGROUP, creation.address);
    openmp_enter(OPENMP_TASKLOOP, creation.address);
    real((gomp_word)run, (gomp_word)from, (gomp_word)copier, bytes, alignment, w[5], w[6], w[7],
         w[8], w[9], w[10]);
    openmp_leave(OPENMP_TASKLOOP);
    if (has_group)
        openmp_leave(OPENMP_TASKGROUP);
}

#define TASKLOOP(name)                                                                             \
    static __attribute__((noinline))                                                               \
    gomp_word tell_##name(GOMP_PARAMS(10), gomp_word w11, taskloop_function real,                  \
                          const void *address)                                                     \
    {                                                                                              \
        taskloop(real, address, (gomp_word[]){GOMP_ARGS(10), w11});                                \
        return 0;                                                                                  \
    }                                                                                              \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(10), gomp_word w11);                                    \
    SPUR_EXPORT gomp_word name(GOMP_PARAMS(10), gomp_word w11)                                     \
    {                                                                                              \
        const void *address = __builtin_return_address(0);                                         \
        taskloop_function real = (taskloop_function)gomp_real(ID_##name, address);                 \
        if (gomp_is_told(ID_##name) && !spur_inside())                                             \
            return tell_##name(GOMP_ARGS(10), w11, real, address);                                 \
        ompt_calls(address, w1);                                                                   \
        return real(GOMP_ARGS(10), w11);                                                           \
    }
// NOLINTBEGIN(readability-function-size)
TASKLOOP(GOMP_taskloop)
TASKLOOP(GOMP_taskloop_ull)
// NOLINTEND(readability-function-size)
