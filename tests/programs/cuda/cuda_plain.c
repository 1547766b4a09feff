/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives work to the devices of fake_cuda.h without CUPTI, and prints the given work:
 * `way how-often bytes name`, as read by tests/lib/device_work.py; and `least NAME us`, the least
 * duration of each kernel of the name.
 *
 *   all       kernels, copies, fills and graphs on several streams, by the driver
 *   runtime   by the runtime, which looks the driver up
 *   found     by functions from cuGetProcAddress(), for threads as well
 *   capture   a stream is captured while threads give work and wait for the work
 *   threads   threads that give work at once
 *   contexts  two contexts, with one destroyed; a device that is reset
 *   long      for longer than events are exact
 *   exit      exit() without waiting
 *   fork      a child of fork(), whose parent has used CUDA
 *   straight  prints the callers of the driver, and the owner of cuGetProcAddress()'s function
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_given.h"

enum { PER_THREAD = 2 };

static void copies(CUstream stream)
{
    uint64_t device, pinned;
    char pageable[64];
    cuMemAlloc_v2(&device, 65536);
    cuMemHostAlloc(&pinned, 65536, 0);
    for (size_t i = 1; i <= ROUNDS; i++) {
        cuMemcpyHtoDAsync_v2(device, (void *)pinned, 100 * i, stream);
        count(GET, "copy to device", 1, 100 * i);
        cuMemcpyDtoHAsync_v2(pageable, device, 64, stream);
        count(PUT, "copy to host (pageable)", 1, 64);
        cuMemcpy(device, (uint64_t)(uintptr_t)pageable, 32);
        count(GET, "copy to device (pageable)", 1, 32);
        cuMemcpy(device + 4096, device, 4096);
        count(PUT, "copy on device", 1, 4096);
        cuMemsetD8Async(device, 1, 512, stream);
        count(FILL, "fill", 1, 512);
    }
}

static void all(void)
{
    CUstream stream[3] = {NULL};
    struct fake_graph graph = {5, "of_graph", 0};
    (void)start(0);
    cuStreamCreate(&stream[1], 0);
    cuStreamCreate(&stream[2], 0);
    for (int i = 0; i < ROUNDS; i++) {
        kernel(stream[i % 3], 300, "steady");
        if (fake_launch(4, 64, 0, stream[i % 3], 20, "_Z4axpyIfEvPT_S1_i") != 0)
            exit(2);
        count(KERNEL, "void axpy<float>(float*, float*, int)", 1, 0);
        if (i % 10 == 9)
            cuStreamSynchronize(stream[i % 3]);
    }
    for (int i = 0; i < ROUNDS; i++) {
        cuGraphLaunch(&graph, stream[1]);
        count(OTHER, "graph", 1, 0);
    }
    copies(stream[2]);
    for (int i = 0; i < ROUNDS; i++) {
        cuStreamDestroy_v2(stream[1]);
        cuStreamCreate(&stream[1], 0);
        kernel(stream[1], 100, "on_new_stream");
    }
    cuCtxSynchronize();
    printf("least steady 300\nleast on_new_stream 100\n");
}

static void runtime(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        cudaLaunchKernel(4, 64, NULL, 200, "of_runtime");
        count(KERNEL, "of_runtime", 1, 0);
    }
    cudaDeviceSynchronize();
    (void)cudaGetLastError();
    printf("least of_runtime 200\n");
}

/* A function found by the driver is called through spur, and not found twice. */
static void found(void)
{
    __typeof__(&cuLaunchKernel) launch = NULL;
    __typeof__(&cuGetProcAddress_v2) get = NULL;
    void *address = NULL, *function = NULL, *none;
    unsigned us = 100;
    void *parameters[] = {&us};
    if (cuGetProcAddress_v2("cuGetProcAddress", &address, 12000, 0, NULL) != 0)
        exit(2);
    memcpy(&get, &address, sizeof get);
    if (get("cuNoSuchFunction", &none, 12000, 0, NULL) != 500 || none)
        exit(3);
    (void)start(0);
    cuModuleGetFunction(&function, NULL, "found");
    for (int i = 0; i < ROUNDS; i++) {
        if (get("cuLaunchKernel", &address, 12000, i % 2 ? PER_THREAD : 0, NULL) != 0)
            exit(2);
        memcpy(&launch, &address, sizeof launch);
        if (launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL) != 0)
            exit(2);
        count(KERNEL, "found", 1, 0);
    }
    cuCtxSynchronize();
    printf("least found 100\n");
}

static unsigned rounds = ROUNDS;

static void *work(void *context)
{
    CUstream stream;
    cuCtxSetCurrent(context);
    cuStreamCreate(&stream, 0);
    for (unsigned i = 0; i < rounds; i++) {
        kernel(stream, 10, "of_thread");
        if (i % 5 == 0)
            cuStreamSynchronize(stream);
    }
    cuStreamSynchronize(stream);
    return NULL;
}

static void threads(void)
{
    work_at_once(work);
}

static void capture(void)
{
    pthread_t thread;
    CUstream stream;
    struct fake_graph *graph;
    CUcontext context = start(0);
    cuStreamCreate(&stream, 0);
    if (cuStreamBeginCapture_v2(stream, 0) != 0)
        exit(2);
    rounds = 10 * ROUNDS;
    count(KERNEL, "beside", 0, 0); /* printed first */
    pthread_create(&thread, NULL, work, context);
    for (int i = 0; i < ROUNDS; i++) {
        if (fake_launch(1, 1, 0, stream, 10, "captured") != 0)
            exit(2);
        kernel(NULL, 10, "beside");
        usleep(1000);
    }
    pthread_join(thread, NULL);
    if (cuStreamEndCapture(stream, &graph) != 0 || graph->kernels != ROUNDS || graph->events)
        exit(4);
    cuGraphLaunch(graph, stream);
    count(OTHER, "graph", 1, 0);
    cuCtxSynchronize();
    free(graph);
}

static void contexts(void)
{
    CUcontext first = start(0), second = start(1);
    for (int i = 0; i < ROUNDS; i++) {
        cuCtxSetCurrent(i % 2 ? first : second);
        kernel(NULL, 10, i % 2 ? "of_first" : "of_second");
    }
    cuCtxSetCurrent(second);
    cuCtxSynchronize();
    cuCtxSetCurrent(first);
    cuCtxDestroy_v2(second);
    kernel(NULL, 10, "of_first");
    cuCtxSynchronize();
    for (int i = 0; i < 2; i++) {
        cudaLaunchKernel(4, 64, NULL, 20, "before_reset");
        count(KERNEL, "before_reset", 1, 0);
        cudaDeviceSynchronize();
        cudaDeviceReset();
    }
}

static void for_long(void)
{
    (void)start(0);
    for (int i = 0; i < ROUNDS; i++) {
        kernel(NULL, 1000, "steady");
        cuCtxSynchronize();
        usleep(70000);
    }
    printf("least steady 1000\n");
}

static void leave(void)
{
    (void)start(0);
    kernel(NULL, 1000, "short");
    cuCtxSynchronize();
    if (fake_launch(1, 1, 0, NULL, LONG_US, "too_long") != 0)
        exit(2);
}

static void fork_after(void)
{
    (void)start(0);
    kernel(NULL, 1000, "of_parent");
    pid_t pid = fork();
    if (pid == 0) {
        (void)cuCtxSynchronize();
        exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    cuCtxSynchronize();
}

static void print_object(const char *what, const void *address)
{
    Dl_info info = {.dli_fname = "?"};
    (void)dladdr(address, &info);
    const char *slash = strrchr(info.dli_fname, '/');
    printf("%s %s\n", what, slash ? slash + 1 : info.dli_fname);
}

static void straight(void)
{
    void *address = NULL;
    (void)start(0);
    cuCtxSynchronize();
    cuCtxSynchronize();
    print_object("called by", fake_waited_from());
    if (cuGetProcAddress_v2("cuCtxSynchronize", &address, 12000, 0, NULL) != 0)
        exit(2);
    print_object("found", address);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*run)(void);
    } modes[] = {{"all", all},          {"runtime", runtime}, {"found", found},
                 {"capture", capture},  {"threads", threads}, {"contexts", contexts},
                 {"long", for_long},    {"exit", leave},      {"fork", fork_after},
                 {"straight", straight}};
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].word) == 0) {
            modes[i].run();
            print();
            return 0;
        }
    return 2;
}
