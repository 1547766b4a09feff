/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives work to the devices of fake_cuda.h in every way, and prints the given work:
 * `way how-often bytes name`, as read by tests/lib/device_work.py.
 *
 *   all       every kind of work, by the driver and by the runtime
 *   streams   kernels on several streams, overlapping
 *   threads   threads that launch kernels at once
 *   contexts  two contexts of two devices; one context is destroyed
 *   reset     the device is reset, and used again
 *   graphs    launches that give several kernels
 *   memory    memory of all kinds is taken and given back; prints the held memory, and the peaks
 *   exit      exit() without waiting: the last kernel takes long
 *   fork      a child of fork() uses CUDA; the parent uses CUDA afterwards, but not before
 *   unified   unified memory moves, and faults are told
 *   paused    recording is switched off and on again; prints the work given after the pause
 *   forked    a child of fork() ends by exit(), where its parent has used CUDA
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spur/spur.h>

#include "cuda_given.h"

enum { MEMCPY_KINDS = 10 };

static void forget(void)
{
    memset(given, 0, sizeof given);
}

/* ---- work ---- */

static void wait_for_all(void)
{
    if (cuCtxSynchronize() != 0)
        exit(2);
    count(OTHER, "wait for context", 1, 0);
}

static void copies(CUstream stream)
{
    static const struct {
        const char *name, *pageable;
        enum way way;
    } kinds[MEMCPY_KINDS + 1] = {
        {0},
        {"copy to device", "copy to device (pageable)", GET},
        {"copy to host", "copy to host (pageable)", PUT},
        {"copy to array", "copy to array (pageable)", GET},
        {"copy array to host", "copy array to host (pageable)", PUT},
        {"copy array to array", "", PUT},
        {"copy array to memory", "", PUT},
        {"copy memory to array", "", PUT},
        {"copy on device", "", PUT},
        {"copy on host", "copy on host (pageable)", FILL},
    };
    for (int kind = 1; kind < MEMCPY_KINDS; kind++) {
        size_t bytes = (size_t)1000 * (size_t)kind;
        int is_pageable = kind % 2 && *kinds[kind].pageable;
        if (cuMemcpyAsync(kind, is_pageable, bytes, stream) != 0)
            exit(2);
        count(kinds[kind].way, is_pageable ? kinds[kind].pageable : kinds[kind].name, 1, bytes);
    }
    cuMemcpyPeerAsync(0, NULL, 0, NULL, 4096, stream);
    count(PUT, "copy to another device", 1, 4096);
    cuMemsetD8Async(0, 0, 12345, stream);
    count(FILL, "fill", 1, 12345);
}

static void runtime(void)
{
    cudaLaunchKernel(4, 64, NULL, 20, "runtime_kernel");
    count(KERNEL, "runtime_kernel", 1, 0);
    cudaLaunchKernel(4, 64, NULL, 20, "_Z4axpyIfEvPT_S1_i");
    count(KERNEL, "void axpy<float>(float*, float*, int)", 1, 0);
    cudaMemcpy(1, 777);
    count(GET, "copy to device (pageable)", 1, 777);
    cudaDeviceSynchronize();
    count(OTHER, "wait for context", 1, 0);
    (void)cudaGetLastError();
}

static void all(void)
{
    CUstream stream;
    (void)start(0);
    cuStreamCreate(&stream, 0);
    for (int i = 0; i < ROUNDS; i++)
        kernel(i % 2 ? stream : NULL, 5, i % 3 ? "even" : "third");
    copies(stream);
    cuStreamWaitEvent(stream, NULL, 0);
    count(OTHER, "stream waits for event", 1, 0);
    cuStreamSynchronize(stream);
    count(OTHER, "wait for stream", 1, 0);
    wait_for_all();
    runtime();
}

static void streams(void)
{
    enum { STREAMS = 4 };
    CUstream stream[STREAMS];
    (void)start(0);
    for (int i = 0; i < STREAMS; i++)
        cuStreamCreate(&stream[i], 0);
    for (int i = 0; i < ROUNDS; i++)
        kernel(stream[i % STREAMS], 100, "overlaps");
    wait_for_all();
}

static void *launch(void *context)
{
    CUstream stream;
    cuCtxSetCurrent(context);
    cuStreamCreate(&stream, 0);
    for (int i = 0; i < ROUNDS; i++)
        kernel(stream, 10, "of_thread");
    cuStreamSynchronize(stream);
    count(OTHER, "wait for stream", 1, 0);
    return NULL;
}

static void threads(void)
{
    work_at_once(launch);
}

static void contexts(void)
{
    CUcontext first = start(0), second = start(1);
    for (int i = 0; i < ROUNDS; i++) {
        cuCtxSetCurrent(i % 2 ? first : second);
        kernel(NULL, 10, i % 2 ? "of_first" : "of_second");
    }
    cuCtxDestroy_v2(second);
    cuCtxSetCurrent(first);
    kernel(NULL, 10, "of_first");
    wait_for_all();
}

static void reset(void)
{
    for (int i = 0; i < 2; i++) {
        cudaLaunchKernel(4, 64, NULL, 20, "before_reset");
        count(KERNEL, "before_reset", 1, 0);
        cudaDeviceReset();
    }
}

static void graphs(void)
{
    enum { KERNELS = 5 };
    struct fake_graph graph = {KERNELS, "of_graph", 0};
    (void)start(0);
    for (int i = 0; i < ROUNDS; i++) {
        cuGraphLaunch(&graph, NULL);
        count(KERNEL, "of_graph", KERNELS, 0);
        count(GET, "copy to device", 1, 4096);
        count(FILL, "fill", 1, 512);
    }
    wait_for_all();
}

/* ---- memory ---- */

enum { HELD_KINDS = 3, BLOCKS = 12 };
static size_t held[HELD_KINDS], peak[HELD_KINDS];
static unsigned changes;

/* 0: of the device, 1: managed, 2: pinned. */
static void change(int kind, size_t bytes, int is_release)
{
    held[kind] += is_release ? -bytes : bytes;
    if (held[kind] > peak[kind])
        peak[kind] = held[kind];
    changes++;
}

static uint64_t take_memory(int i, size_t bytes)
{
    uint64_t address = 0;
    int error = i % 5 == 0   ? cuMemAlloc_v2(&address, bytes)
                : i % 5 == 1 ? cuMemAllocManaged(&address, bytes, 1)
                : i % 5 == 2 ? cuMemHostAlloc(&address, bytes, 0)
                : i % 5 == 3 ? cuMemAllocAsync(&address, bytes, NULL)
                             : cuArrayCreate_v2(&address, bytes);
    if (error)
        exit(2);
    change(i % 5 == 1 ? 1 : i % 5 == 2 ? 2 : 0, bytes, 0);
    return address;
}

/* Blocks of all kinds, given back in another order; a few blocks are never given back. */
static void memory(void)
{
    uint64_t address[BLOCKS];
    size_t bytes[BLOCKS];
    (void)start(0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            bytes[i] = (size_t)(4096 * (i + 1) + 256 * (round % 7));
            address[i] = take_memory(i, bytes[i]);
        }
        kernel(NULL, 5, "uses_memory");
        wait_for_all();
        for (int i = BLOCKS - 1; i >= 0; i--) {
            if (round == ROUNDS - 1 && i % 4 == 0)
                continue;
            cuMemFree_v2(address[i]);
            change(i % 5 == 1 ? 1 : i % 5 == 2 ? 2 : 0, bytes[i], 1);
        }
    }
    printf("changes %u\n", changes);
    for (int i = 0; i < HELD_KINDS; i++)
        printf("memory %zu %zu\n", held[i], peak[i]);
}

static void leave(void)
{
    (void)start(0);
    for (int i = 0; i < ROUNDS; i++)
        kernel(NULL, 1, "short");
    wait_for_all();
    for (int i = 0; i < ROUNDS; i++)
        kernel(NULL, 1, "short");
    usleep(50000);
    if (fake_launch(1, 1, 0, NULL, LONG_US, "too_long") != 0)
        exit(2);
}

static void child(int is_using)
{
    pid_t pid = fork();
    if (pid == 0) {
        forget();
        if (is_using) {
            (void)start(0);
            kernel(NULL, 5, "of_child");
            wait_for_all();
            print();
        }
        exit(0);
    }
    (void)waitpid(pid, NULL, 0);
}

static void use_a_little(void)
{
    (void)start(0);
    kernel(NULL, 5, "of_parent");
    wait_for_all();
}

static void fork_before(void)
{
    child(1);
    use_a_little();
}

static void fork_after(void)
{
    use_a_little();
    kernel(NULL, 1000, "of_parent");
    child(0);
    wait_for_all();
}

static void touch(int kind, enum way way, const char *name, unsigned from, unsigned to)
{
    for (size_t i = 1; i <= ROUNDS; i++) {
        fake_touch(kind, way == OTHER ? 3 : i * 4096, from, to, 20, 0);
        count(way, name, 1, way == OTHER ? 0 : i * 4096);
    }
}

/* The host is no device: CUPTI's number for the host is no number of a device. */
static void unified(void)
{
    enum { HOST = 2, OF_CPU = 3, REMOTE = 7 };
    (void)start(0);
    kernel(NULL, 5, "touches");
    wait_for_all();
    touch(1, GET, "migrate to device", HOST, 0);
    touch(2, PUT, "migrate to host", 0, HOST);
    touch(4, OTHER, "page fault of device", 0, 0);
    touch(5, OTHER, "thrashing", 1 << 1, 0); /* a set: of device 1 */
    touch(8, PUT, "migrate between devices", 0, 1);
    fake_touch(1, 4096, HOST, 0, 1, getpid() + 1); /* of another process */
    fake_touch(OF_CPU, 4096, HOST, 0, 1, 0);
    fake_touch(REMOTE, 4096, HOST, 0, 1, 0);
}

static void paused(void)
{
    (void)start(0);
    kernel(NULL, 5, "first");
    wait_for_all();
    spur_user_off();
    kernel(NULL, 5, "in_pause");
    wait_for_all();
    forget();
    spur_user_on();
    for (int i = 0; i < ROUNDS; i++)
        kernel(NULL, 5, "after_pause");
    wait_for_all();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*run)(void);
    } modes[] = {{"all", all},           {"streams", streams},  {"threads", threads},
                 {"contexts", contexts}, {"reset", reset},      {"graphs", graphs},
                 {"exit", leave},        {"fork", fork_before}, {"forked", fork_after},
                 {"memory", memory},     {"paused", paused},    {"unified", unified}};
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].word) == 0) {
            modes[i].run();
            print();
            return 0;
        }
    return 2;
}
