/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it costs that a buffer outlives its process: bench-buffers [FOLDER]... A thread fills a
 * buffer of chunks with Enter and Leave as the agent does, in anonymous memory and in a mapped
 * file, in each FOLDER (default: the current one and /dev/shm). CPU time, of all turns the median;
 * rounds of all kinds take turns. The first filling touches the pages, the second one finds them
 * there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mapping.h"
#include "bench/bench.h"
#include "writer/evt_inline.h"

enum {
    CHUNK = 256 << 10,
    CHUNKS = 64,
    BYTES = CHUNK * CHUNKS,
    HEADER = 18,
    MARGIN = 128,
    ROUNDS = 9,
    KINDS_MAX = 16,
};

enum ahead { NOTHING, CHUNK_AHEAD, HUGE_PAGES };

/* One kind of memory, and what was measured in each round. */
struct kind {
    const char *folder; /* NULL: anonymous */
    enum ahead ahead;
    double first[ROUNDS], kernel[ROUNDS], again[ROUNDS]; /* ns an event */
    double faults[ROUNDS];                               /* a thousand events */
};

static char *map_file(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/spur-bench-XXXXXX", folder);
    int fd = mkstemp(path);
    if (fd < 0)
        return NULL;
    unlink(path);
    errno = posix_fallocate(fd, 0, BYTES);
    char *mem = errno ? NULL : spur_map_file(fd, 0, BYTES);
    close(fd);
    return mem;
}

static uint64_t fill(char *mem, enum ahead ahead)
{
    uint64_t events = 0, time = 1;
    for (int i = 0; i < CHUNKS; i++) {
        uint8_t *chunk = (uint8_t *)mem + (size_t)i * CHUNK;
        struct otf2_evt_cursor c = {.pos = chunk + HEADER,
                                    .end = chunk + CHUNK - MARGIN,
                                    .chunk = chunk};
        if (ahead == CHUNK_AHEAD)
            (void)madvise(chunk, CHUNK, MADV_POPULATE_WRITE);
        while (c.end - c.pos > MARGIN) {
            (void)otf2_evt_put_Enter(&c, NULL, time += 100, 7);
            (void)otf2_evt_put_Leave(&c, NULL, time += 100, 7);
        }
        events += c.events;
    }
    return events;
}

static double kernel_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_stime.tv_sec * 1e9 + (double)usage.ru_stime.tv_usec * 1e3;
}

static double faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_minflt + (double)usage.ru_majflt;
}

static bool measure(struct kind *kind, unsigned round)
{
    char *mem = kind->folder ? map_file(kind->folder) : spur_map_anonymous(BYTES);
    if (!mem)
        return false;
    if (kind->ahead == HUGE_PAGES)
        (void)madvise(mem, BYTES, MADV_HUGEPAGE);
    double start = bench_now_ns(), kernel = kernel_ns(), before = faults();
    double events = (double)fill(mem, kind->ahead);
    double middle = bench_now_ns();
    kind->kernel[round] = (kernel_ns() - kernel) / events;
    kind->faults[round] = (faults() - before) * 1000 / events;
    fill(mem, NOTHING);
    kind->first[round] = (middle - start) / events;
    kind->again[round] = (bench_now_ns() - middle) / events;
    spur_unmap(mem, BYTES);
    return true;
}

static void print(struct kind *kind, double anonymous)
{
    static const char *const ahead[] = {"", ", chunk touched ahead", ", huge pages"};
    char name[128];
    snprintf(name, sizeof name, "%s%s", kind->folder ? kind->folder : "anonymous",
             ahead[kind->ahead]);
    double first = bench_median(kind->first, ROUNDS);
    printf("%-44s %8.1f %8.1f %8.2f %8.1f %8.2f\n", name, first, bench_median(kind->kernel, ROUNDS),
           bench_median(kind->faults, ROUNDS), bench_median(kind->again, ROUNDS),
           first / anonymous);
}

int main(int argc, char **argv)
{
    static const char *const defaults[] = {".", "/dev/shm"};
    static struct kind kinds[KINDS_MAX];
    int n_folders = argc > 1 ? argc - 1 : (int)(sizeof defaults / sizeof defaults[0]), n = 0;
    for (int i = -1; i < n_folders; i++)
        for (enum ahead ahead = NOTHING; ahead <= HUGE_PAGES && n < KINDS_MAX; ahead++)
            kinds[n++] = (struct kind){.folder = i < 0      ? NULL
                                                 : argc > 1 ? argv[i + 1]
                                                            : defaults[i],
                                       .ahead = ahead};
    for (unsigned round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n; i++)
            if (!measure(&kinds[i], round)) {
                perror(kinds[i].folder ? kinds[i].folder : "anonymous memory");
                return 1;
            }
    printf("%-44s %8s %8s %8s %8s %8s\n%-44s %8s %8s %8s %8s %8s\n", "buffer of 16 MiB", "first",
           "of it in", "faults a", "again", "first,", "", "ns/event", "kernel", "thousand",
           "ns/event", "ratio");
    double anonymous = bench_median(kinds[0].first, ROUNDS);
    for (int i = 0; i < n; i++)
        print(&kinds[i], anonymous);
    return 0;
}
