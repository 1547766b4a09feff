/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A daemon's habit: closes every descriptor that it does not know, and has files of its own under
 * those numbers, in which nobody else reads; nor does somebody close them in its child.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 3, LAST = 1023, FILES = 950, LOCKS = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void look(const char *who)
{
    int open_files = 0, moved = 0;
    for (int i = 0; i < LOCKS; i++)
        lock();
    for (int fd = FIRST; fd <= LAST; fd++) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        open_files += at >= 0;
        moved += at > 0;
    }
    printf("%s: %d files, %d of them moved\n", who, open_files, moved);
    fflush(stdout);
}

int main(void)
{
    lock();
    for (int fd = FIRST; fd <= LAST; fd++)
        close(fd);
    for (int i = 0; i < FILES; i++)
        (void)!open("/etc/passwd", O_RDONLY);
    look("parent");
    pid_t child = fork();
    if (child == 0) {
        look("child");
        return 0;
    }
    return waitpid(child, NULL, 0) != child;
}
