/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/bench.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static OTF2_FlushType always(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

const OTF2_FlushCallbacks bench_flush = {.otf2_pre_flush = always};

void bench_fail(OTF2_ErrorCode code)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, OTF2_Error_GetName(code));
    exit(1);
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

void bench_load_both(char *const argv[], const char *more, struct bench_library *ours,
                     struct bench_library *theirs)
{
    if (!argv[1]) {
        fprintf(stderr, "usage: %s OUR_LIBRARY [REFERENCE_LIBRARY%s]\n", argv[0], more);
        exit(2);
    }
    bench_load(ours, "ours", argv[1]);
    bench_load(theirs, "reference", argv[2] ? argv[2] : "libopen-trace-format2.so.10");
}

OTF2_Archive *bench_open(const struct bench_library *l, const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    OTF2_Archive *a =
        l->OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                             OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                             OTF2_COMPRESSION_NONE);
    if (!a || l->OTF2_Archive_SetFlushCallbacks(a, &bench_flush, NULL) ||
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

static OTF2_ErrorCode quiet(void *user, const char *file, uint64_t line, const char *function,
                            OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)va;
    return code;
}

struct bench_cost bench_apart(const struct bench_library *l, const char *dir, uint64_t n,
                              int (*run)(const struct bench_library *l, const char *dir, uint64_t n,
                                         double us[2]))
{
    int ends[2];
    struct bench_cost cost = {.failed = 1};
    if (pipe(ends))
        return cost;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct rusage usage;
        l->OTF2_Error_RegisterCallback(quiet, NULL);
        cost.failed = run(l, dir, n, cost.us);
        getrusage(RUSAGE_SELF, &usage);
        cost.resident_kib = usage.ru_maxrss;
        ssize_t done = write(ends[1], &cost, sizeof cost);
        _exit(done != sizeof cost);
    }
    close(ends[1]);
    if (read(ends[0], &cost, sizeof cost) != sizeof cost)
        cost.failed = 1;
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return cost;
}

static double us_of(struct timeval t)
{
    return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

struct bench_cost bench_program(const char *const arguments[])
{
    struct rusage usage;
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execvp(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status) {
        fprintf(stderr, "%s: %s fails\n", program_invocation_short_name, arguments[0]);
        exit(1);
    }
    return (struct bench_cost){.us = {us_of(usage.ru_utime) + us_of(usage.ru_stime)},
                               .resident_kib = usage.ru_maxrss};
}
