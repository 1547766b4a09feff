/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the expected results of questions about its archive: operations on a file, with the bytes
 * asked for and moved, the place and the line; a wait for a lock of another thread; waits in
 * barriers of OpenMP. gcc's runtime does not tell of the last barrier.
 *
 *     io KIND ASKED BYTES PLACE LINE     -1: not known
 *     lock LINE US                       the wait lasts so long at most
 *     block CHANGE BYTES LINE
 *     barrier LINE LEAST_US MOST_US
 */
#include <fcntl.h>
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 100, SECOND = 50, LAST = 10, FAR = 4096, WANTED = 1000, TOO_FAR = 4100 };

static void must(long got, long wanted, int line)
{
    if (got != wanted) {
        fprintf(stderr, "line %d: %ld instead of %ld\n", line, got, wanted);
        exit(1);
    }
}

/* The call, in a single line of the program. */
#define IO(kind, asked, bytes, place, call, result)                                                \
    do {                                                                                           \
        must((long)(call), (result), __LINE__);                                                    \
        printf("io %s %d %d %d %d\n", kind, asked, bytes, place, __LINE__);                        \
    } while (0)

static void work_on(const char *path)
{
    static char bytes[WANTED];
    const int end = FAR + LAST;
    int file;
    IO("OPEN", -1, 0, -1, (file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0, 1);
    IO("WRITE", FIRST, FIRST, 0, write(file, bytes, FIRST), FIRST);
    IO("WRITE", SECOND, SECOND, FIRST, write(file, bytes, SECOND), SECOND);
    IO("WRITE", LAST, LAST, FAR, pwrite(file, bytes, LAST, FAR), LAST);
    IO("SEEK", -1, 0, LAST, lseek(file, LAST, SEEK_SET), LAST);
    IO("READ", WANTED, WANTED, LAST, read(file, bytes, WANTED), WANTED);
    IO("SEEK", -1, 0, TOO_FAR, lseek(file, TOO_FAR, SEEK_SET), TOO_FAR);
    IO("READ", WANTED, end - TOO_FAR, TOO_FAR, read(file, bytes, WANTED), end - TOO_FAR);
    IO("READ", WANTED, 0, -1, read(file, bytes, WANTED), 0);
    IO("FLUSH", -1, -1, -1, fsync(file), 0);
    close(file);
    IO("OPEN", -1, 0, -1, (file = open(path, O_WRONLY | O_APPEND)) >= 0, 1);
    IO("WRITE", SECOND, SECOND, -1, write(file, bytes, SECOND), SECOND);
    close(file);
}

/* ---- waits ---- */

enum { THREADS = 3, PAUSE_US = 60000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_taken;

static long now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void *hold(void *unused)
{
    pthread_mutex_lock(&lock);
    sem_post(&is_taken);
    usleep(PAUSE_US);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void wait_for_lock(void)
{
    pthread_t thread;
    sem_init(&is_taken, 0, 0);
    must(pthread_create(&thread, NULL, hold, NULL), 0, __LINE__);
    sem_wait(&is_taken);
    long begin = now_us();
    pthread_mutex_lock(&lock);
    printf("lock %d %ld\n", __LINE__ - 1, now_us() - begin);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

static void wait_in_barriers(void)
{
    long came[THREADS], left[THREADS], last = 0;
    enum { LINE = __LINE__ + 7 };
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num();
        usleep((unsigned)(me * PAUSE_US));
        came[me] = now_us();
        /* The threads come one after the other. */
#pragma omp barrier
        left[me] = now_us();
        usleep((unsigned)(me * PAUSE_US));
    }
    for (int i = 0; i < THREADS; i++)
        last = came[i] > last ? came[i] : last;
    for (int i = 0; i < THREADS; i++)
        printf("barrier %d %ld %ld\n", LINE, last - came[i], left[i] - came[i]);
}

/* ---- memory ---- */

/* A block has the bytes that the allocator gives. */
static void take(void)
{
    enum { SMALL = 1000, LARGE = 50000, LINE = __LINE__ + 1 };
    char *volatile small = malloc(SMALL), *volatile large = malloc(LARGE);
    unsigned sizes[] = {(unsigned)malloc_usable_size(small), (unsigned)malloc_usable_size(large)};
    free(small);
    free(large);
    printf("block TAKEN %u %d\nblock TAKEN %u %d\n", sizes[0], LINE, sizes[1], LINE);
    printf("block GIVEN %u %d\nblock GIVEN %u %d\n", sizes[0], LINE, sizes[1], LINE);
}

int main(void)
{
    take();
    work_on("queried.dat");
    wait_for_lock();
    wait_in_barriers();
    return 0;
}
