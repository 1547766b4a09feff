/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs of runtimes that are newer than the tables here: regions by the number in OMPT. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/openmp/ompt_handlers.h"

static struct wrapper_lock lock;
static unsigned used;
static char names[OPENMP_NUMBERED][24];

/* Another thread of the parent may have held the lock. */
static void free_lock(void)
{
    wrapper_lock_give(&lock);
}

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(NULL, NULL, free_lock);
}

unsigned ompt_numbered(const char *what, int number)
{
    char name[sizeof names[0]];
    unsigned i = 0;
    bool is_first = false;
    snprintf(name, sizeof name, "%s %d", what, number);
    wrapper_lock_take(&lock);
    while (i < used && strcmp(names[i], name) != 0)
        i++;
    if (i == used && used < OPENMP_NUMBERED) {
        is_first = used++ == 0;
        memcpy(names[i], name, sizeof name);
        openmp_constructs[OPENMP_FIRST_NUMBERED + i] =
            (struct spur_construct){.name = names[i],
                                    .role = OTF2_REGION_ROLE_CODE,
                                    .paradigm = OTF2_PARADIGM_OPENMP};
    }
    wrapper_lock_give(&lock);
    if (is_first)
        spur_say(
            "this OpenMP runtime tells of \"%s\", which is not known here: such constructs are "
            "recorded by their numbers",
            name);
    return i < OPENMP_NUMBERED ? OPENMP_FIRST_NUMBERED + i : OPENMP_KINDS;
}
