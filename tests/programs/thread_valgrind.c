/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Valgrind has to report of this program, and nothing else: an answer that depends on memory
 * that was never set, a read behind a block's end, and a block that is lost. All of it is done in a
 * thread, whose stack is near to what else is mapped; before, that uses files, locks and a child.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, LOST = 77 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *volatile last;
static volatile long sink;

static void uses_files(void)
{
    char text[100] = "";
    int fd = open("file", O_CREAT | O_RDWR, 0600);
    (void)!write(fd, text, sizeof text);
    (void)!pread(fd, text, sizeof text, 0);
    close(fd);
    FILE *file = fopen("stream", "w");
    fprintf(file, "%d\n", fd >= 0);
    fclose(file);
}

static void *works(void *unused)
{
    pthread_mutex_lock(&lock);
    uses_files();
    free(malloc(100000));
    pthread_mutex_unlock(&lock);
    return unused;
}

__attribute__((noinline)) static void is_wrong(void)
{
    int *never_set = malloc(sizeof *never_set);
    __asm__ volatile("" : "+r"(never_set)); /* the compiler does not know whose memory that is */
    if (*never_set)
        sink++;
    sink += never_set[1];
    free(never_set);
    last = malloc(LOST);
    memset(last, 1, LOST);
    last = NULL;
}

static void *errs(void *unused)
{
    works(NULL);
    is_wrong();
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, i == THREADS - 1 ? errs : works, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        uses_files();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    puts("done");
    return 0;
}
