/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is recorded, and what is not: a phase with calls, a pause that the program makes, regions
 * that are short, a phase with many calls (more than a small SPUR_LIMIT has room for), and one
 * without. Tells what each took.
 */
#include <pthread.h>
#include <spur/spur.h>

#include "../truth.h"

enum { PHASE_MS = 100, PAUSE_MS = 300, CALLS = 150000, LAST_MS = 400, TINY_MS = 5, TINIES = 20 };

static struct spur_user_region solve = SPUR_USER_REGION("solve");
static struct spur_user_region tiny = SPUR_USER_REGION("tiny");
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call(int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    int64_t times[7] = {truth_wall()};
    call(1);
    spur_user_enter(&solve);
    truth_burn(PHASE_MS);
    times[1] = truth_wall();
    spur_user_off();
    call(10);
    truth_burn(PAUSE_MS);
    spur_user_on();
    times[2] = truth_wall();
    truth_burn(PHASE_MS);
    spur_user_leave(&solve);
    times[3] = truth_wall();
    for (int i = 0; i < TINIES; i++) {
        spur_user_enter(&tiny);
        truth_burn(TINY_MS);
        spur_user_leave(&tiny);
    }
    times[4] = truth_wall();
    call(CALLS);
    times[5] = truth_wall();
    truth_burn(LAST_MS);
    call(1);
    times[6] = truth_wall();
    static const char *const names[] = {"before", "pause", "after", "tiny", "calls", "last"};
    for (int i = 0; i < 6; i++)
        truth_tell(names[i], times[i + 1] - times[i]);
    return 0;
}
