/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads ask for the regions of the same places at the same time, while objects are unloaded: all
 * get the same ones. A plain program, for the thread sanitizer to look for what they share.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/spur_agent.h"
#include "tests/threads/no_process.h"

enum { THREADS = 4, PLACES = 3000, ROUNDS = 3, UNLOAD_EVERY = 1000 };

static const struct spur_construct parallel = {"parallel", OTF2_REGION_ROLE_PARALLEL,
                                               OTF2_PARADIGM_OPENMP, NULL};
static OTF2_RegionRef region[THREADS][PLACES];

int main(void);

static void *ask(void *argument)
{
    OTF2_RegionRef *found = argument;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < PLACES; i++) {
            if (i % UNLOAD_EVERY == 0)
                spur_code_unloaded();
            found[i] = spur_def_region_at(&parallel, (const char *)(uintptr_t)&main + i);
        }
    return NULL;
}

int main(void)
{
    char dir[] = "/tmp/spur-threads-XXXXXX", command[64];
    pthread_t thread[THREADS];
    int faults = !mkdtemp(dir) || spur_defs_open(dir) != 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, ask, region[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        faults += memcmp(region[0], region[i], sizeof region[0]) != 0;
    for (size_t i = 0; i < PLACES; i++)
        faults += region[0][i] >= PLACES;
    spur_defs_close();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    faults += system(command) != 0;
    if (faults)
        fprintf(stderr, "%d faults\n", faults);
    return faults != 0;
}
