/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives work to the devices of fake_hip.h in every way, and prints what it gave:
 * `way how-often bytes name`, as tests/lib/device_work.py reads it; and `sdk 1` if rocprofiler-sdk
 * is loaded at the end.
 *
 *   all       every kind of work, on two streams
 *   without   the same; and prints whether rocprofiler-sdk is loaded
 *   streams   kernels on several streams, which overlap
 *   threads   threads that launch kernels at once
 *   devices   work of two devices, and copies between them
 *   graphs    launches that give several kernels
 *   memory    memory of a device is taken and given back; prints what is held, and the most
 *   ranges    what rocTX says: ranges that nest, and that overlap; prints what is to be seen
 *   nobody    kernels of the runtime's own threads
 *   exit      exit() without waiting: the last kernel takes a while
 *   forked    a child of fork() ends by exit(), where its parent has used HIP
 *   killed    SIGKILL, a second after the last work
 *   cut       SIGKILL at once, while the only kernel runs
 *   alarm     a handler of SIGALRM ends the process, while records are handed over
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../device_given.h"
#include "fake_hip.h"

enum { LONG_US = 300000, ROUNDS = 50, THREADS = 4 };

static void kernel(hipStream_t stream, unsigned us, const char *linked, const char *name)
{
    if (hipLaunchKernel(16, 256, 1024, stream, us, linked) != 0)
        exit(2);
    count(KERNEL, name, 1, 0);
}

static void copies(hipStream_t stream)
{
    static const struct {
        const char *name;
        enum way way;
    } kinds[] = {{"", 0},
                 {"copy on host", FILL},
                 {"copy to device", GET},
                 {"copy to host", PUT},
                 {"copy on device", PUT}};
    for (int kind = 1; kind <= 4; kind++) {
        size_t bytes = (size_t)1000 * (size_t)kind;
        if (hipMemcpyAsync(kind, bytes, stream) != 0)
            exit(2);
        count(kinds[kind].way, kinds[kind].name, 1, bytes);
    }
    hipMemcpy(2, 777);
    count(GET, "copy to device", 1, 777);
    hipMemsetAsync(4096, stream);
    count(KERNEL, "__amd_rocclr_fillBufferAligned", 1, 0);
}

static void all(void)
{
    hipStream_t stream;
    hipInit(0);
    hipStreamCreate(&stream);
    for (int i = 0; i < ROUNDS; i++)
        kernel(i % 2 ? stream : NULL, 5, i % 3 ? "even.kd" : "third.kd", i % 3 ? "even" : "third");
    kernel(stream, 5, "_Z4axpyIfEvPT_S1_i.kd", "void axpy<float>(float*, float*, int)");
    copies(stream);
    hipStreamSynchronize(stream);
    hipDeviceSynchronize();
    (void)hipGetLastError();
}

static void without(void)
{
    all();
    void *sdk = dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table");
    printf("rocprofiler-sdk is %s\n", sdk ? "loaded" : "not loaded");
}

static void streams(void)
{
    hipStream_t stream[THREADS];
    for (int i = 0; i < THREADS; i++)
        hipStreamCreate(&stream[i]);
    for (int i = 0; i < ROUNDS; i++)
        kernel(stream[i % THREADS], 100, "overlaps.kd", "overlaps");
    hipDeviceSynchronize();
}

static void *launch(void *unused)
{
    hipStream_t stream;
    hipStreamCreate(&stream);
    for (int i = 0; i < ROUNDS; i++)
        kernel(stream, 10, "of_thread.kd", "of_thread");
    hipStreamSynchronize(stream);
    return unused;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    hipInit(0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, launch, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static void devices(void)
{
    for (int device = 0; device < FAKE_DEVICES; device++) {
        hipSetDevice(device);
        for (int i = 0; i < ROUNDS; i++)
            kernel(NULL, 5, "of_device.kd", "of_device");
        hipMemcpyPeerAsync(4096, 1 - device, NULL);
        count(PUT, "copy to another device", 1, 4096);
        hipDeviceSynchronize();
    }
}

static void graphs(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        hipGraphLaunch(5, NULL, "of_graph.kd");
        count(KERNEL, "of_graph", 5, 0);
    }
    hipDeviceSynchronize();
}

static void memory(void)
{
    enum { BLOCKS = 12 };
    void *address[BLOCKS], *on_host;
    size_t bytes[BLOCKS], held = 0, peak = 0;
    hipInit(0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            bytes[i] = (size_t)(4096 * (i + 1) + 256 * (round % 7));
            hipMalloc(&address[i], bytes[i]);
            held += bytes[i];
            peak = held > peak ? held : peak;
        }
        hipHostMalloc(&on_host, 1 << 20);
        kernel(NULL, 5, "uses_memory.kd", "uses_memory");
        hipDeviceSynchronize();
        hipFree(on_host);
        for (int i = 0; i < BLOCKS; i++) {
            if (round == ROUNDS - 1 && i % 4 == 0)
                continue;
            hipFree(address[i]);
            held -= bytes[i];
        }
    }
    printf("memory %zu %zu\n", held, peak);
}

static uint64_t overlapping;

static void *stop(void *unused)
{
    roctxRangePushA("of thread");
    roctxRangeStop(overlapping);
    roctxRangePop();
    return unused;
}

static void ranges(void)
{
    pthread_t thread;
    hipInit(0);
    roctxRangePop(); /* nothing is open */
    roctxRangePushA("outer");
    overlapping = roctxRangeStartA("first, step = 7");
    roctxRangePushA("inner");
    roctxMarkA("mark");
    const uint64_t second = roctxRangeStartA("second");
    kernel(NULL, 5, "in_range.kd", "in_range");
    roctxRangePop();
    pthread_create(&thread, NULL, stop, NULL);
    pthread_join(thread, NULL);
    roctxRangeStop(second);
    roctxRangeStop(second);
    roctxRangePop();
    hipDeviceSynchronize();
}

static void nobody(void)
{
    hipInit(0);
    for (int i = 0; i < ROUNDS; i++) {
        fake_kernel_of_nobody("of_nobody.kd");
        count(KERNEL, "of_nobody", 1, 0);
    }
    kernel(NULL, 5, "last.kd", "last");
    hipDeviceSynchronize();
}

static void at_exit(void)
{
    kernel(NULL, 5, "short.kd", "short");
    kernel(NULL, LONG_US, "long.kd", "long");
    print();
    exit(0);
}

static void forked(void)
{
    kernel(NULL, 5, "parent.kd", "parent");
    hipDeviceSynchronize();
    pid_t child = fork();
    if (child == 0)
        exit(3);
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 3)
        exit(2);
    kernel(NULL, 5, "parent.kd", "parent");
    hipDeviceSynchronize();
}

static void killed(void)
{
    for (int i = 0; i < ROUNDS; i++)
        kernel(NULL, 5, "before.kd", "before");
    hipDeviceSynchronize();
    print();
    sleep(1); /* spur's thread asks twice a second */
    kill(getpid(), SIGKILL);
}

static void end_now(int number)
{
    (void)number;
    _exit(0);
}

/* Nothing of the device is known yet. */
static void cut(void)
{
    hipLaunchKernel(1, 64, 0, NULL, LONG_US, "cut.kd");
    kill(getpid(), SIGKILL);
}

/* The alarm comes in a second at the latest. */
static void alarmed(void)
{
    signal(SIGALRM, end_now);
    count(KERNEL, "before", 1, 0);
    print();
    hipLaunchKernel(1, 64, 0, NULL, 5, "before.kd");
    hipDeviceSynchronize();
    alarm(1);
    sleep(20);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"all", all},         {"without", without}, {"streams", streams}, {"threads", threads},
             {"devices", devices}, {"graphs", graphs},   {"memory", memory},   {"ranges", ranges},
             {"nobody", nobody},   {"exit", at_exit},    {"forked", forked},   {"killed", killed},
             {"alarm", alarmed},   {"cut", cut}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, argv[1]) == 0) {
            modes[i].run();
            print();
            return 0;
        }
    return 1;
}
