/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event costs: bench-encode OUR_LIBRARY [REFERENCE_LIBRARY [EVENTS]]. Both write the same
 * events to a file, from open to close of the archive, in turns. "inline" is the agent's way into
 * our library, into one chunk again and again, without files.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bench/bench.h"
#include "bench/rows.h"
#include "writer/evt_inline.h"

enum { ROUNDS = 7, CHUNK = 1024 * 1024 };

/* The inline doors, on a chunk that starts anew when it is full. */
static double inline_ns(uint64_t n)
{
    static uint8_t chunk[CHUNK];
    struct otf2_evt_cursor c = {.end = chunk + sizeof chunk, .chunk = chunk, .pos = chunk};
    double begin = bench_now_ns();
    for (uint64_t i = 0; i < n; i += 2) {
        if (c.end - c.pos < 100)
            c.pos = chunk;
        otf2_evt_put_Enter(&c, NULL, 100 * i + 1, (uint32_t)i % 200);
        otf2_evt_put_Leave(&c, NULL, 100 * i + 50, (uint32_t)i % 200);
    }
    return (bench_now_ns() - begin) / (double)n;
}

static uint64_t file_bytes(const char *dir, const char *name)
{
    char path[4200];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s/traces/0.evt", dir, name);
    return stat(path, &s) ? 0 : (uint64_t)s.st_size;
}

/* How many threads write, each to its own location, and whether the archive has locks. */
struct variant {
    const char *name;
    unsigned threads;
    bool locked;
};

static const struct variant variants[] = {
    {"", 1, false},
    {", locks", 1, true},
    {", 2 threads", 2, false},
    {", 2 threads, locks", 2, true},
};

static OTF2_CallbackCode lock_create(void *user, OTF2_Lock *lock)
{
    (void)user;
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    if (!mutex || pthread_mutex_init(mutex, NULL)) {
        free(mutex);
        return OTF2_CALLBACK_ERROR;
    }
    *lock = (OTF2_Lock)(void *)mutex;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_destroy(void *user, OTF2_Lock lock)
{
    (void)user;
    free(lock);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_lock(void *user, OTF2_Lock lock)
{
    (void)user;
    return pthread_mutex_lock((pthread_mutex_t *)(void *)lock) ? OTF2_CALLBACK_ERROR
                                                               : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_unlock(void *user, OTF2_Lock lock)
{
    (void)user;
    return pthread_mutex_unlock((pthread_mutex_t *)(void *)lock) ? OTF2_CALLBACK_ERROR
                                                                 : OTF2_CALLBACK_SUCCESS;
}

struct job {
    const struct bench_library *l;
    OTF2_EvtWriter *writer;
    bench_row_function run;
    uint64_t n;
};

static void *work(void *data)
{
    const struct job *job = data;
    job->run(job->l, job->writer, job->n);
    return NULL;
}

static double once(const struct bench_library *l, const struct variant *v, const char *dir,
                   bench_row_function run, uint64_t n, uint64_t *bytes)
{
    static const OTF2_LockingCallbacks locks = {NULL, lock_create, lock_destroy, lock_lock,
                                                lock_unlock};
    struct job jobs[2] = {{l, NULL, run, 0}, {l, NULL, run, 0}};
    pthread_t threads[2] = {0};
    unsigned used = v->threads == 2 ? 2 : 1;
    double begin = bench_now_ns();
    OTF2_Archive *a = bench_open(l, dir, "archive");
    if (v->locked)
        l->OTF2_Archive_SetLockingCallbacks(a, &locks, NULL);
    l->OTF2_Archive_OpenEvtFiles(a);
    for (unsigned i = 0; i < used; i++)
        jobs[i] = (struct job){l, l->OTF2_Archive_GetEvtWriter(a, i), run, n / used};
    for (unsigned i = 1; i < used; i++)
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    work(&jobs[0]);
    for (unsigned i = 1; i < used; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < used; i++)
        l->OTF2_Archive_CloseEvtWriter(a, jobs[i].writer);
    l->OTF2_Archive_CloseEvtFiles(a);
    l->OTF2_Archive_Close(a);
    double ns = (bench_now_ns() - begin) / (double)n;
    *bytes = file_bytes(dir, "archive") * v->threads;
    bench_remove(dir, "archive");
    return ns;
}

static void print_row(const struct bench_library *theirs, const struct bench_library *ours,
                      const struct bench_row *row, const struct variant *v, const char *dir,
                      uint64_t n)
{
    double a[ROUNDS], b[ROUNDS], ratio[ROUNDS];
    uint64_t bytes = 0;
    char name[64];
    (void)once(theirs, v, dir, row->run, n / 4, &bytes);
    (void)once(ours, v, dir, row->run, n / 4, &bytes);
    for (unsigned i = 0; i < ROUNDS; i++) {
        a[i] = once(theirs, v, dir, row->run, n, &bytes);
        b[i] = once(ours, v, dir, row->run, n, &bytes);
        ratio[i] = b[i] / a[i];
    }
    snprintf(name, sizeof name, "%s%s", row->name, v->name);
    printf("%-32s %9.1f %9.1f %7.2f %7.2f\n", name, bench_median(a, ROUNDS),
           bench_median(b, ROUNDS), bench_median(ratio, ROUNDS), (double)bytes / (double)n);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench_library ours, theirs;
    bench_load_both(argv, " [EVENTS]", &ours, &theirs);
    uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 0) : 4000000;
    const char *dir = bench_directory();

    printf("CPU ns an event, %d rounds of %llu events, open to close\n\n", ROUNDS,
           (unsigned long long)n);
    printf("%-32s %9s %9s %7s %7s\n", "", "reference", "ours", "ratio", "bytes");
    for (size_t r = 0; r < BENCH_ROWS; r++)
        print_row(&theirs, &ours, &bench_rows[r], &variants[0], dir, n);
    for (size_t v = 1; v < sizeof variants / sizeof variants[0]; v++)
        print_row(&theirs, &ours, &bench_rows[0], &variants[v], dir, n);
    double ns[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++)
        ns[i] = inline_ns(n);
    printf("%-32s %9s %9.1f\n", "Enter/Leave, inline", "", bench_median(ns, ROUNDS));
    return 0;
}
