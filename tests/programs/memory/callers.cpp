// SPDX-License-Identifier: BSD-3-Clause
/*
 * Helpers take memory for others: xmalloc(), and xnew() with an operator of C++. Prints, of each
 * function that asks them, what is left of it: FUNCTION BYTES BLOCKS, as malloc_usable_size() has
 * them. One of them runs in a thread, one calls itself, one has a frame of unknown size.
 */
#include <alloca.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <pthread.h>

#define ALONE [[gnu::noinline]]

static char *volatile sink;

ALONE static char *xmalloc(size_t bytes)
{
    char *p = static_cast<char *>(malloc(bytes));
    if (!p)
        abort();
    sink = p;
    return p;
}

ALONE static char *xnew(size_t bytes)
{
    char *p = new char[bytes];
    sink = p;
    return p;
}

static struct left {
    const char *function;
    size_t bytes, blocks;
} lefts[8];

static void leave(const char *function, char *p)
{
    left *at = lefts;
    while (at->function && strcmp(at->function, function) != 0)
        at++;
    at->function = function;
    at->bytes += malloc_usable_size(p);
    at->blocks++;
}
#define LEAVE(p) leave(__func__, p)

ALONE static void keeps_ten()
{
    for (size_t i = 0; i < 10; i++)
        LEAVE(xmalloc(1000 * i + 10));
}

ALONE static void keeps_none()
{
    for (size_t i = 0; i < 10; i++)
        free(xmalloc(1000 * i + 10));
}

ALONE static void keeps_new()
{
    LEAVE(xnew(7000));
    delete[] xnew(9000);
}

ALONE static void keeps_each(int depth)
{
    if (depth > 0) {
        keeps_each(depth - 1);
        LEAVE(xmalloc(3000));
    }
}

ALONE static void keeps_wide(size_t bytes)
{
    char *here = static_cast<char *>(alloca(bytes));
    memset(here, 1, bytes);
    sink = here;
    LEAVE(xmalloc(bytes));
}

ALONE static void *keeps_apart(void *unused)
{
    LEAVE(xmalloc(5000));
    return unused;
}

int main()
{
    pthread_t thread;
    keeps_ten();
    keeps_none();
    keeps_new();
    keeps_each(3);
    keeps_wide(2345);
    if (pthread_create(&thread, nullptr, keeps_apart, nullptr) || pthread_join(thread, nullptr))
        abort();
    for (const left &at : lefts)
        if (at.function)
            printf("%s %zu %zu\n", at.function, at.bytes, at.blocks);
    return 0;
}
