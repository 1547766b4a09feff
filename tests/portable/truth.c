/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts its own calls, and prints a line "FUNCTION COUNT" for each. Looks at files in its folder.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 5, LOOKS = 7 };

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void *thread(void *nothing)
{
    (void)nothing;
    return malloc(100);
}

int main(void)
{
    static const char text[] = "words";
    struct stat by_name, by_fd, by_folder, by_link, by_loader;
    pthread_t threads[THREADS];
    void *block;
    int fd = open("looked_at", O_RDWR | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, text, sizeof text) != sizeof text)
        fail("looked_at");
    for (int i = 0; i < LOOKS; i++)
        if (stat("looked_at", &by_name) || fstat(fd, &by_fd) || lstat("looked_at", &by_link) ||
            fstatat(AT_FDCWD, "looked_at", &by_folder, 0))
            fail("stat");
    if (by_name.st_size != sizeof text || by_name.st_ino != by_fd.st_ino ||
        by_name.st_ino != by_link.st_ino || by_name.st_ino != by_folder.st_ino)
        fail("one file is several");
    /* An older C library has no such function; the agent must not be worse than none. */
    int (*look)(const char *, struct stat *);
    *(void **)&look = dlsym(RTLD_DEFAULT, "stat");
    if (look && (look("looked_at", &by_loader) || by_loader.st_ino != by_name.st_ino))
        fail("stat of the loader");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread, NULL))
            fail("pthread_create");
    for (int i = 0; i < THREADS; i++) {
        if (pthread_join(threads[i], &block))
            fail("pthread_join");
        free(block);
    }
    if (close(fd))
        fail("close");
    printf("stat %d\nfstat %d\nlstat %d\nfstatat %d\npthread_create %d\npthread_join %d\nwrite "
           "1\nclose 1\n",
           LOOKS + (look != NULL), LOOKS, LOOKS, LOOKS, THREADS, THREADS);
    return 0;
}
