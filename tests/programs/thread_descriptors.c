/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Again and again, one thread closes every descriptor but the standard ones, and opens files of its
 * own under these numbers. Meanwhile others do what is recorded, and threads come and go. What is
 * in the files at the end is what the thread wrote, and so is where they are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 3, FILES = 12, BYTES = 96, RECORDERS = 2, SHORT_THREADS = 60, LOOKS = 24 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_over;
static long locks_of_each;

static void *record(void *unused)
{
    for (long i = 0; i < locks_of_each; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *record_little(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *start_threads(void *unused)
{
    pthread_t thread;
    for (int i = 0; i < SHORT_THREADS; i++)
        if (pthread_create(&thread, NULL, record_little, NULL) == 0)
            pthread_join(thread, NULL);
    return unused;
}

/* The path that the number stands for. */
static const char *path_of(int i)
{
    static char path[32];
    snprintf(path, sizeof path, "data.%d", i);
    return path;
}

static int wrong;

static void expect(int is_right, const char *what, int i)
{
    if (!is_right && wrong++ < 5)
        printf("file %d: %s\n", i, what);
}

static void close_and_open(void)
{
    char text[BYTES];
    (void)!close_range(FIRST, ~0U, 0);
    for (int i = 0; i < FILES; i++) {
        memset(text, 'a' + i, sizeof text);
        int fd = open(path_of(i), O_RDWR | O_CREAT | O_TRUNC, 0600);
        expect(fd == FIRST + i, "another number", i);
        expect(write(fd, text, sizeof text) == sizeof text, "not written", i);
    }
    for (int look = 0; look < LOOKS; look++) {
        struct stat here, there;
        int i = look % FILES;
        expect(fstat(FIRST + i, &here) == 0, "closed", i);
        expect(stat(path_of(i), &there) == 0 && here.st_ino == there.st_ino, "another file", i);
        expect(here.st_size == BYTES, "another size", i);
        expect(lseek(FIRST + i, 0, SEEK_CUR) == BYTES, "another offset", i);
    }
}

static void check_contents(void)
{
    for (int i = 0; i < FILES; i++) {
        char text[BYTES + 1];
        ssize_t n = pread(FIRST + i, text, sizeof text, 0);
        expect(n == BYTES, "another length", i);
        for (ssize_t at = 0; at < n; at++)
            if (text[at] != 'a' + i) {
                expect(0, "another byte", i);
                break;
            }
    }
}

static void *close_all(void *unused)
{
    while (!is_over) {
        close_and_open();
        check_contents();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t recorder[RECORDERS + 1], closer;
    locks_of_each = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    pthread_create(&closer, NULL, close_all, NULL);
    for (int i = 0; i < RECORDERS; i++)
        pthread_create(&recorder[i], NULL, record, NULL);
    pthread_create(&recorder[RECORDERS], NULL, start_threads, NULL);
    for (int i = 0; i <= RECORDERS; i++)
        pthread_join(recorder[i], NULL);
    is_over = 1;
    pthread_join(closer, NULL);
    close_and_open();
    check_contents();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
