/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads make and look up the same places in the call tree while objects are unloaded. Equal
 * paths have equal numbers, other paths have others, and a parent's number is the smaller one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/spur_agent.h"
#include "agent/stacks/context.h"
#include "tests/threads/no_process.h"

enum { THREADS = 4, ROUNDS = 400, DEPTH = 12, SLOTS = 16 };

int main(void);

/* Addresses of code, all of this program. */
static const char *code_at(unsigned i)
{
    return (const char *)(uintptr_t)&main + i % SLOTS + 1;
}

static _Atomic uint32_t number[1 << 12]; /* of a path by its hash: what a thread has got for it */
static _Atomic int faults;

static uint32_t walk(unsigned seed)
{
    uint32_t context = OTF2_UNDEFINED_CALLING_CONTEXT, parent;
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        parent = context;
        context = spur_context_frame(parent, code_at(seed >> (depth % 4)));
        if (context == OTF2_UNDEFINED_CALLING_CONTEXT ||
            (parent != OTF2_UNDEFINED_CALLING_CONTEXT && context <= parent))
            faults++;
    }
    return spur_context_region(context, seed % 3, seed % 2 ? code_at(seed) : NULL);
}

static void *work(void *data)
{
    unsigned offset = (unsigned)(uintptr_t)data;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = (round * 7 + offset) % 128;
        uint32_t got = walk(seed), none = 0;
        if (!atomic_compare_exchange_strong(&number[seed], &none, got + 1) && none != got + 1)
            faults++;
        if (round % 64 == 0)
            spur_code_unloaded();
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    char dir[] = "/tmp/spur-context-XXXXXX", journal[64];
    if (!mkdtemp(dir) || spur_defs_open(dir) != 0)
        return 1;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i); // NOLINT(performance-no-int-to-ptr)
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    spur_defs_close();
    snprintf(journal, sizeof journal, "%s/journal", dir);
    unlink(journal);
    rmdir(dir);
    if (faults)
        printf("%d faults\n", (int)faults);
    return faults != 0;
}
