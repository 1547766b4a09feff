/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program has given to devices, by name, from any thread; and what it prints of it. */
#ifndef TESTS_DEVICE_GIVEN_H
#define TESTS_DEVICE_GIVEN_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const ways[] = {"kernel", "put", "get", "fill", "other"};
enum way { KERNEL, PUT, GET, FILL, OTHER };

static struct {
    const char *name;
    enum way way;
    unsigned n;
    size_t bytes;
} given[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(enum way way, const char *name, unsigned n, size_t bytes)
{
    unsigned i = 0;
    pthread_mutex_lock(&lock);
    while (given[i].name && strcmp(given[i].name, name) != 0)
        i++;
    given[i].name = name;
    given[i].way = way;
    given[i].n += n;
    given[i].bytes += bytes;
    pthread_mutex_unlock(&lock);
}

static void print(void)
{
    for (unsigned i = 0; given[i].name; i++)
        if (given[i].n)
            printf("%s %u %zu %s\n", ways[given[i].way], given[i].n, given[i].bytes, given[i].name);
    fflush(stdout);
}

#endif
