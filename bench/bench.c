/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/bench.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static OTF2_FlushType always(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void *find(void *handle, const char *path, const char *name)
{
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        fprintf(stderr, "bench: %s has no %s\n", path, name);
        exit(1);
    }
    return symbol;
}

void bench_load(struct bench_library *library, const char *name, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "bench: %s\n", dlerror());
        exit(1);
    }
    library->name = name;
    /* POSIX wants this detour over a void *; ISO C has no conversion to a function pointer. */
#define X(function)                                                                                \
    {                                                                                              \
        void *symbol = find(handle, path, #function);                                              \
        memcpy(&library->function, &symbol, sizeof symbol);                                        \
    }
    BENCH_FUNCTIONS(X)
#undef X
}

OTF2_Archive *bench_open(const struct bench_library *l, const char *dir, const char *name)
{
    static const OTF2_FlushCallbacks flush = {always, NULL};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    OTF2_Archive *a =
        l->OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                             OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                             OTF2_COMPRESSION_NONE);
    if (!a || l->OTF2_Archive_SetFlushCallbacks(a, &flush, NULL) ||
        l->OTF2_Archive_SetSerialCollectiveCallbacks(a))
        return NULL;
    return a;
}

double bench_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat, (void)type, (void)walk;
    return remove(path);
}

static char directory[4096];

static void remove_directory(void)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *bench_directory(void)
{
    const char *in = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/spur-bench-XXXXXX", in ? in : P_tmpdir);
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(1);
    }
    atexit(remove_directory);
    return directory;
}

void bench_remove(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
