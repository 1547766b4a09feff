/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/session/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PROCESSES_EACH = 8 /* fewer are finished before a thread begins */ };

struct member {
    pthread_t thread;
    bool is_thread;
    void (*work)(void *context, unsigned worker);
    void *context;
    unsigned worker;
};

static void *begin(void *argument)
{
    struct member *m = argument;
    m->work(m->context, m->worker);
    return NULL;
}

/* The work of a thread that cannot be had is done by the caller: the archive is made all the same.
 */
static void run(unsigned n, void (*work)(void *context, unsigned worker), void *context)
{
    struct member *members = calloc(n, sizeof *members);
    for (unsigned i = 1; i < n && members; i++) {
        members[i] = (struct member){.work = work, .context = context, .worker = i};
        members[i].is_thread = pthread_create(&members[i].thread, NULL, begin, &members[i]) == 0;
    }
    work(context, 0);
    for (unsigned i = 1; i < n; i++)
        if (members && members[i].is_thread)
            (void)pthread_join(members[i].thread, NULL);
        else
            work(context, i);
    free(members);
}

struct spur_finish_crew crew_of(unsigned threads, unsigned most)
{
    return (struct spur_finish_crew){.n = threads ? threads : most,
                                     .least = threads ? 1 : PROCESSES_EACH,
                                     .run = run};
}
