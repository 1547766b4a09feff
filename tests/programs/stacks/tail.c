/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that are on no stack when sem_post() is called, since their last act was a jump: into a
 * function, into several one after another, into sem_post() itself, by one of two ways. One way is
 * the same at its begin and its end only; one leads to a function that is known by a pointer. With
 * INLINED, also out of a function that another one was inlined into, which gdb does not show.
 */
#include <semaphore.h>

#define NOINLINE __attribute__((noinline, noclone))

static sem_t semaphore;
static volatile int sink;

static NOINLINE void posts(int n)
{
    sem_post(&semaphore);
    sink += n;
}

static NOINLINE void jumps(int n)
{
    sink++;
    posts(n + 1);
}

static NOINLINE void jumps_twice(int n)
{
    sink++;
    jumps(n + 2);
}

static inline __attribute__((always_inline)) void jumps_from_here(int n)
{
    sink += n;
    jumps_twice(n + 3);
}

#ifdef INLINED
static NOINLINE void jumps_inlined(int n)
{
    sink++;
    jumps_from_here(n);
}
#endif

static NOINLINE int last(void)
{
    sink++;
    return sem_post(&semaphore);
}

static NOINLINE void left(int n)
{
    sink += n;
    jumps(n);
}

static NOINLINE void right(int n)
{
    sink -= n;
    jumps(n);
}

static NOINLINE void one_of_two(int n)
{
    if (n > 2)
        left(n);
    else
        right(n);
}

static NOINLINE void by_pointer(void (*function)(int), int n)
{
    sink++;
    function(n);
}

int main(int argc, char **argv)
{
    (void)argv;
    sem_init(&semaphore, 0, 0);
    jumps(argc);
    sink++;
    jumps_twice(argc);
    sink++;
#ifdef INLINED
    jumps_inlined(argc);
#endif
    sink += last();
    one_of_two(argc);
    sink++;
    by_pointer(sink ? jumps : posts, argc);
    return sink == 0;
}
