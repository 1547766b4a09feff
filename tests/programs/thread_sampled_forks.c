/* SPDX-License-Identifier: BSD-3-Clause */
/* Children that leave fork() when their parent has left it, and waits. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 30, LATER_NS = 3000000 };

static void be_late(void)
{
    const struct timespec nap = {0, LATER_NS};
    nanosleep(&nap, NULL);
}

int main(void)
{
    if (pthread_atfork(NULL, NULL, be_late))
        return EXIT_FAILURE;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        int status;
        if (child == 0)
            _exit(0);
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            return EXIT_FAILURE;
    }
    printf("%d children\n", CHILDREN);
    return EXIT_SUCCESS;
}
