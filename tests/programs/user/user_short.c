/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions that are over at once, one in another, of which some take long and some have a value; all
 * are counted: `user_short MODE FILE`.
 *   once  on three threads, until they are done
 *   ever  the same, for ever
 *   fork  in this process and in a child
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include <spur/spur.h>

#include "kill_counts.h"

enum { THREADS = 3, ROUNDS = 3000, LONG_EACH = 100, VALUE_EACH = 30, LONG_US = 3000 };

static struct spur_user_region outer = SPUR_USER_REGION("outer");
static struct spur_user_region inner = SPUR_USER_REGION("inner");
static struct spur_user_parameter round_number = SPUR_USER_PARAMETER("round");
static int for_ever;

static void enter(struct kill_count *count, struct spur_user_region *region)
{
    atomic_fetch_add(&count->begun, 1);
    spur_user_enter(region);
}

static void leave(struct kill_count *count, struct spur_user_region *region)
{
    spur_user_leave(region);
    atomic_fetch_add(&count->done, 1);
}

static void *work(void *counts)
{
    struct kill_count *count = counts;
    for (int i = 1; for_ever || i <= ROUNDS; i++) {
        enter(count, &outer);
        if (i % VALUE_EACH == 0)
            spur_user_parameter_int(&round_number, i);
        enter(count, &inner);
        if (i % LONG_EACH == 0)
            usleep(LONG_US);
        leave(count, &inner);
        enter(count, &inner);
        leave(count, &inner);
        leave(count, &outer);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    if (argc != 3)
        return 2;
    struct kill_count *counts = kill_counts_open(argv[2]);
    spur_user_on();
    for_ever = strcmp(argv[1], "ever") == 0;
    if (strcmp(argv[1], "fork") == 0) {
        work(&counts[0]);
        if (fork() == 0) {
            work(&counts[1]);
            return 0;
        }
        wait(NULL);
        return 0;
    }
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &counts[i]);
    work(&counts[0]);
    for (int i = 1; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
