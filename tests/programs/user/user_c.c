/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own regions: in the main thread, then in two others one after the other, and a
 * child. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user_work.h"

static void *work(void *unused)
{
    do_all();
    return unused;
}

int main(void)
{
    pthread_t thread;
    do_all();
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    /* The child has none of what its parent has open, and can leave it all the same. */
    spur_user_enter(&left_region);
    pid_t child = fork();
    if (child == 0) {
        spur_user_leave(&left_region);
        one_step(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    spur_user_leave(&left_region);
    printf("%s\n", spur_user_agent() && !spur_user_is_recording() ? "not recording" : "done");
    return 0;
}
