/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_stderr HOW LOCKS: has its data under the number of standard error, and takes a lock so
 * often before and after. reopened   closes it, and the file that it opens gets the number given
 * has the file put there, and becomes this program again ("became") forked     a child has the file
 * there, and outlives its parent closed     closes it, and has nothing there plain      does
 * nothing of the kind
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(long times)
{
    while (times-- > 0) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static int take_number(void)
{
    close(STDERR_FILENO);
    return open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600) == STDERR_FILENO ? 0 : 4;
}

static int write_data(void)
{
    return write(STDERR_FILENO, "data\n", 5) == 5 ? 0 : 5;
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "";
    long locks = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    int status = 0;
    if (strcmp(how, "became") != 0)
        lock(10);
    if (strcmp(how, "closed") == 0) {
        close(STDERR_FILENO);
    } else if (strcmp(how, "forked") == 0) {
        if (fork() != 0)
            return 0;
        status = take_number() + write_data();
    } else if (strcmp(how, "became") == 0) {
        status = write_data();
    } else if (strcmp(how, "plain") != 0) {
        status = take_number();
        if (status == 0 && strcmp(how, "given") == 0)
            execl("/proc/self/exe", argv[0], "became", argv[2], (char *)NULL);
        status += write_data();
    }
    lock(locks);
    return status;
}
