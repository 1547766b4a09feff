// SPDX-License-Identifier: BSD-3-Clause
/*
 * thread_memory steps    calls every function that takes or gives back memory, and prints by how
 *                        many bytes, as malloc_usable_size() has them, each call has changed what
 *                        the process holds; calls that change nothing print nothing
 * thread_memory threads  8 threads take and give back blocks of all sizes, many of each other;
 *                        all are given back
 * thread_memory fork     the child takes 8 MiB more than its parent had
 * thread_memory leak     holds 24 MiB at the most, and 12 MiB at the end, of which nobody knows
 */
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace
{

long changes[10000];
int n_changes;

void change(long bytes)
{
    if (bytes)
        changes[n_changes++] = bytes;
}

void *took(void *p)
{
    if (p)
        change(static_cast<long>(malloc_usable_size(p)));
    return p;
}

long size_of(void *p)
{
    return p ? static_cast<long>(malloc_usable_size(p)) : 0;
}

/* Before the call that gives it back. */
void *gives(void *p)
{
    change(-size_of(p));
    return p;
}

/* What realloc() has made of a block of `before` bytes: first that is given back. */
void *moved(long before, void *p)
{
    change(-before);
    return took(p);
}

void c_functions()
{
    volatile size_t too_much = SIZE_MAX / 2;
    void *p = took(malloc(100000));
    free(gives(p));
    p = took(calloc(300, 333));
    long before = size_of(p);
    p = moved(before, realloc(p, 400000));
    before = size_of(p);
    p = moved(before, realloc(p, 200));
    before = size_of(p);
    p = moved(before, reallocarray(p, 1000, 70));
    if (reallocarray(p, too_much, 4) || errno != ENOMEM || malloc(too_much) || realloc(p, too_much))
        abort();
    free(gives(p));
    p = took(realloc(nullptr, 65000));
    free(gives(p));
    free(nullptr);
    if (posix_memalign(&p, 4096, 12345))
        abort();
    free(gives(took(p)));
    free(gives(took(aligned_alloc(256, 2560))));
    free(gives(took(memalign(512, 1000))));
    free(gives(took(valloc(5000))));
    p = took(strdup("a text that strdup() copies"));
    free(gives(p));
    for (size_t size = 1; size < 1 << 20; size = size * 3 + 1)
        free(gives(took(malloc(size))));
}

/* Called by name: a compiler may leave out pairs of new and delete. */
void operators()
{
    const std::align_val_t far{128};
    const std::nothrow_t &quiet = std::nothrow;
    operator delete(gives(took(operator new(1000))));
    operator delete[](gives(took(operator new[](2000))));
    operator delete(gives(took(operator new(3000))), static_cast<size_t>(3000));
    operator delete[](gives(took(operator new[](4000))), static_cast<size_t>(4000));
    operator delete(gives(took(operator new(5000, quiet))), quiet);
    operator delete[](gives(took(operator new[](6000, quiet))), quiet);
    operator delete(gives(took(operator new(7040, far))), far);
    operator delete[](gives(took(operator new[](8064, far))), far);
    operator delete(gives(took(operator new(9088, far))), static_cast<size_t>(9088), far);
    operator delete[](gives(took(operator new[](9984, far))), static_cast<size_t>(9984), far);
    operator delete(gives(took(operator new(11008, far, quiet))), far, quiet);
    operator delete[](gives(took(operator new[](12032, far, quiet))), far, quiet);
    volatile size_t too_much = SIZE_MAX / 2;
    if (operator new(too_much, quiet))
        abort();
    int caught = 0;
    try {
        took(operator new(too_much));
    } catch (const std::bad_alloc &) {
        caught++;
    }
    if (!caught)
        abort();
}

void print_changes()
{
    for (int i = 0; i < n_changes; i++)
        printf("%ld\n", changes[i]);
}

/* What the start of the process has left is recorded with this. */
void begin()
{
    void *volatile p = malloc(1);
    free(p);
}

void steps(uint64_t)
{
    begin();
    c_functions();
    operators();
    print_changes();
}

uint64_t next(uint64_t *random)
{
    *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
    return *random;
}

/* A size of any magnitude up to a MiB, 0 as well. */
size_t draw_size(uint64_t *random)
{
    uint64_t drawn = next(random);
    return (drawn >> 8) % (size_t{1} << drawn % 21);
}

void *take_drawn(uint64_t *random)
{
    size_t size = draw_size(random), alignment = size_t{16} << next(random) % 9;
    void *p = nullptr;
    switch (next(random) % 8) {
    case 0:
        return took(calloc(size / 7, 7));
    case 1:
        return took(memalign(alignment, size));
    case 2:
        return posix_memalign(&p, alignment, size) ? nullptr : took(p);
    case 3:
        return took(aligned_alloc(alignment, size / alignment * alignment));
    case 4:
        return took(operator new(size));
    case 5:
        return took(operator new[](size, std::nothrow));
    default:
        return took(malloc(size));
    }
}

/* realloc() of 0 bytes gives the block back, or makes a smallest one, as the allocator likes. */
void drawn(uint64_t seed)
{
    enum { HELD = 64, CALLS = 3000 };
    static void *held[HELD];
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    begin();
    for (int i = 0; i < CALLS; i++) {
        void *&block = held[next(&random) % HELD];
        if (!block) {
            block = take_drawn(&random);
        } else if (next(&random) % 3) {
            free(gives(block));
            block = nullptr;
        } else {
            long before = size_of(block);
            block = moved(before, realloc(block, draw_size(&random)));
        }
    }
    print_changes();
}

constexpr int THREADS = 8, SLOTS = 512, CALLS = 40000;

/* ---- as fast as possible ---- */

pthread_barrier_t all_run;

struct racer {
    uint64_t pairs;
    size_t kept; /* bytes */
};

/* One block of 4,099 is kept. The barrier makes all threads be there at once. */
void *race_one(void *data)
{
    enum { SIZES = 1024, EACH = 4099, OLD = 16 };
    auto *self = static_cast<racer *>(data);
    void *volatile old[OLD] = {};
    pthread_barrier_wait(&all_run);
    for (uint64_t i = 0; i < self->pairs; i++) {
        void *p = malloc(i % SIZES);
        if (i % EACH) {
            free(old[i % OLD]);
            old[i % OLD] = p;
        } else {
            self->kept += malloc_usable_size(p);
        }
    }
    for (void *p : old)
        free(p);
    pthread_barrier_wait(&all_run);
    return nullptr;
}

void race(uint64_t pairs)
{
    static racer racers[THREADS];
    pthread_t thread[THREADS];
    timespec begin, end;
    size_t kept = 0;
    pthread_barrier_init(&all_run, nullptr, THREADS);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < THREADS; i++) {
        racers[i].pairs = pairs;
        pthread_create(&thread[i], nullptr, race_one, &racers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], nullptr);
        kept += racers[i].kept;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double us = static_cast<double>(end.tv_sec - begin.tv_sec) * 1e6 +
                static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e3;
    printf("%zu %.1f\n", kept, static_cast<double>(2 * THREADS * pairs) / us);
}

/* ---- blocks of each other ---- */

std::atomic<void *> shared_blocks[SLOTS];

void *churn(void *seed)
{
    uint64_t random = reinterpret_cast<uintptr_t>(seed) * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < CALLS; i++) {
        next(&random);
        size_t size = size_t{1} << (random >> 32) % 17;
        void *block = random & 1 ? malloc(size) : operator new(size);
        /* The next owner may be another thread. */
        free(shared_blocks[random % SLOTS].exchange(block));
    }
    return nullptr;
}

void threads(uint64_t)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], nullptr, churn, reinterpret_cast<void *>(intptr_t{i} + 1));
    for (pthread_t t : thread)
        pthread_join(t, nullptr);
    for (auto &block : shared_blocks)
        free(block.exchange(nullptr));
}

constexpr size_t MIB = size_t{1} << 20;

char *filled(size_t size)
{
    char *block = static_cast<char *>(malloc(size));
    memset(block, 1, size);
    return block;
}

void forks(uint64_t)
{
    char *before = filled(4 * MIB);
    pid_t child = fork();
    if (child == 0) {
        char *more = filled(8 * MIB);
        free(more);
    }
    free(before);
    if (child)
        waitpid(child, nullptr, 0);
}

char *volatile forgotten;

void leak(uint64_t)
{
    char *kept = filled(12 * MIB);
    forgotten = filled(12 * MIB);
    free(kept);
    forgotten = nullptr;
    usleep(200000); // longer than a twentieth of the run, also on a busy machine
}

} // namespace

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(uint64_t number);
    } modes[] = {{"steps", steps},     {"drawn", drawn}, {"race", race},
                 {"threads", threads}, {"fork", forks},  {"leak", leak}};
    for (const auto &mode : modes)
        if (argc > 1 && !strcmp(argv[1], mode.name))
            mode.run(argc > 2 ? strtoull(argv[2], nullptr, 10) : 0);
    return 0;
}
