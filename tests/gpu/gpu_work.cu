/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_work MODE: gives work to the first GPU, checks its results, and prints what it gave, as
 * tests/lib/device_work.py reads it: `way how-often bytes name`. Waits are not printed: CUDA waits
 * for more than what a program asks it to. `time ns name` is how long a kernel took by CUDA's events.
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 20, BLOCK = 256, ROUNDS = 50, BYTES = N * (int)sizeof(float) };

/* ---- what was given ---- */

static struct {
    const char *name, *way;
    unsigned long n, bytes;
} given[32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(const char *way, const char *name, unsigned n, size_t bytes)
{
    unsigned i = 0;
    pthread_mutex_lock(&lock);
    while (given[i].name && strcmp(given[i].name, name) != 0)
        i++;
    given[i].name = name;
    given[i].way = way;
    given[i].n += n;
    given[i].bytes += bytes;
    pthread_mutex_unlock(&lock);
}

static void print(void)
{
    for (unsigned i = 0; given[i].name; i++)
        printf("%s %lu %lu %s\n", given[i].way, given[i].n, given[i].bytes, given[i].name);
    fflush(stdout);
}

static void must(int is_good, const char *what, int line)
{
    if (is_good)
        return;
    fprintf(stderr, "gpu_work: line %d: %s: %s\n", line, what, cudaGetErrorString(cudaPeekAtLastError()));
    exit(2);
}
#define MUST(call) must((call) == 0, #call, __LINE__)
#define EXPECT(is_right) must(is_right, #is_right, __LINE__)

/* ---- kernels ---- */

extern "C" __global__ void add(float *sum, const float *x, float more, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = x[i] + more;
}

extern "C" __global__ void empty(void)
{
}

extern "C" __global__ void busy(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}

template <typename T> __global__ void scale(T *x, T by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

static float *on_device(void)
{
    void *memory;
    MUST(cudaMalloc(&memory, BYTES));
    return (float *)memory;
}

static float *pinned(void)
{
    void *memory;
    MUST(cudaMallocHost(&memory, BYTES));
    return (float *)memory;
}

static void give_add(float *sum, const float *x, cudaStream_t stream)
{
    add<<<N / BLOCK, BLOCK, 0, stream>>>(sum, x, 1, N);
    MUST(cudaGetLastError());
    count("kernel", "add", 1, 0);
}

/* ---- modes ---- */

static void all(void)
{
    float *a = on_device(), *b = on_device(), *fast = pinned(), *slow = (float *)calloc(N, sizeof *slow);
    MUST(cudaMemcpy(a, slow, BYTES, cudaMemcpyHostToDevice));
    count("get", "copy to device (pageable)", 1, BYTES);
    for (int i = 0; i < ROUNDS; i++)
        give_add(i % 2 ? a : b, i % 2 ? b : a, NULL);
    MUST(cudaMemcpy(slow, a, BYTES, cudaMemcpyDeviceToHost));
    count("put", "copy to host (pageable)", 1, BYTES);
    EXPECT(slow[0] == ROUNDS && slow[N - 1] == ROUNDS);
    MUST(cudaMemset(a, 0, BYTES));
    count("fill", "fill", 1, BYTES);
    MUST(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
    count("put", "copy on device", 1, BYTES);
    MUST(cudaMemcpy(fast, b, BYTES, cudaMemcpyDeviceToHost));
    count("put", "copy to host", 1, BYTES);
    EXPECT(fast[0] == 0 && fast[N - 1] == 0);
    MUST(cudaMemcpy(b, fast, BYTES, cudaMemcpyHostToDevice));
    count("get", "copy to device", 1, BYTES);
    scale<double><<<N / 2 / BLOCK, BLOCK>>>((double *)a, 2.0, N / 2);
    count("kernel", "void scale<double>(double*, double, int)", 1, 0);
    MUST(cudaDeviceSynchronize());
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFreeHost(fast));
    free(slow);
}

/* Copies and kernels of several streams overlap. */
static void streams(void)
{
    enum { STREAMS = 4 };
    cudaStream_t stream[STREAMS];
    cudaEvent_t event;
    float *host = pinned(), *device[STREAMS];
    MUST(cudaEventCreate(&event));
    for (int i = 0; i < STREAMS; i++) {
        device[i] = on_device();
        MUST(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    }
    for (int i = 0; i < ROUNDS * STREAMS; i++) {
        cudaStream_t at = stream[i % STREAMS];
        MUST(cudaMemcpyAsync(device[i % STREAMS], host, BYTES, cudaMemcpyHostToDevice, at));
        busy<<<1, 1, 0, at>>>(200000);
        MUST(cudaMemsetAsync(device[i % STREAMS], 0, BYTES / 2, at));
        count("get", "copy to device", 1, BYTES);
        count("kernel", "busy", 1, 0);
        count("fill", "fill", 1, BYTES / 2);
    }
    MUST(cudaEventRecord(event, stream[0]));
    MUST(cudaStreamWaitEvent(stream[1], event, 0));
    MUST(cudaEventSynchronize(event));
    for (int i = 0; i < STREAMS; i++)
        MUST(cudaStreamSynchronize(stream[i]));
}

/* Kernels of different lengths, each between two events of CUDA. */
static void times(void)
{
    enum { KERNELS = 20 };
    cudaEvent_t event[KERNELS + 1];
    for (int i = 0; i <= KERNELS; i++)
        MUST(cudaEventCreate(&event[i]));
    busy<<<1, 1>>>(1000);
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(event[0]));
    for (int i = 0; i < KERNELS; i++) {
        busy<<<1, 1>>>(2000000LL * (i + 1));
        MUST(cudaEventRecord(event[i + 1]));
    }
    MUST(cudaDeviceSynchronize());
    count("kernel", "busy", KERNELS + 1, 0);
    for (int i = 0; i < KERNELS; i++) {
        float ms;
        MUST(cudaEventElapsedTime(&ms, event[i], event[i + 1]));
        printf("time %.0f busy\n", ms * 1e6);
    }
}

static void graph(void)
{
    enum { LAUNCHES = 100, KERNELS = 5 };
    cudaGraph_t made;
    cudaGraphExec_t ready;
    cudaStream_t stream;
    float *a = on_device(), *b = on_device(), *host = pinned();
    memset(host, 0, BYTES);
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, stream));
    MUST(cudaMemsetAsync(b, 0, BYTES, stream));
    for (int i = 0; i < KERNELS; i++)
        add<<<N / BLOCK, BLOCK, 0, stream>>>(i % 2 ? a : b, i % 2 ? b : a, 1, N);
    MUST(cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamEndCapture(stream, &made));
    MUST(cudaGraphInstantiate(&ready, made, 0));
    for (int i = 0; i < LAUNCHES; i++)
        MUST(cudaGraphLaunch(ready, stream));
    MUST(cudaStreamSynchronize(stream));
    EXPECT(host[0] == LAUNCHES * KERNELS);
    count("kernel", "add", LAUNCHES * KERNELS, 0);
    count("get", "copy to device", LAUNCHES, (size_t)LAUNCHES * BYTES);
    count("put", "copy to host", LAUNCHES, (size_t)LAUNCHES * BYTES);
    count("fill", "fill", LAUNCHES, (size_t)LAUNCHES * BYTES);
}

/* Memory that both sides use: it moves by pages. */
static void managed(void)
{
    float *x;
    MUST(cudaMallocManaged((void **)&x, BYTES));
    memset(x, 0, BYTES);
    for (int i = 0; i < 4; i++) {
        give_add(x, x, NULL);
        MUST(cudaDeviceSynchronize());
        EXPECT(x[i] == i + 1 && x[N - 1] == i + 1);
        x[0] += 0;
    }
    printf("managed %zu\n", (size_t)BYTES);
    MUST(cudaFree(x));
}

static void pool(void)
{
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    for (int i = 0; i < ROUNDS; i++) {
        void *memory;
        MUST(cudaMallocAsync(&memory, BYTES, stream));
        give_add((float *)memory, (float *)memory, stream);
        MUST(cudaFreeAsync(memory, stream));
    }
    MUST(cudaStreamSynchronize(stream));
}

/* What is held at most, of each kind; nothing else is taken. */
static void memory(void)
{
    enum { BLOCKS = 5, MORE = 3 };
    void *block[BLOCKS], *pinned_block, *managed_block;
    for (int i = 0; i < BLOCKS; i++)
        MUST(cudaMalloc(&block[i], (size_t)(i + 1) * BYTES));
    MUST(cudaMallocHost(&pinned_block, 3 * BYTES));
    MUST(cudaMallocManaged(&managed_block, 2 * BYTES));
    give_add((float *)block[0], (float *)block[1], NULL);
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS; i++)
        MUST(cudaFree(block[i]));
    MUST(cudaMalloc(&block[0], MORE * BYTES));
    MUST(cudaFree(block[0]));
    MUST(cudaFreeHost(pinned_block));
    MUST(cudaFree(managed_block));
    printf("peak %d Device Memory\npeak %d Device Pinned Memory\npeak %d Device Managed Memory\n",
           BLOCKS * (BLOCKS + 1) / 2 * BYTES, 3 * BYTES, 2 * BYTES);
}

static void *thread(void *unused)
{
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 10 * ROUNDS; i++) {
        empty<<<1, 1, 0, stream>>>();
        count("kernel", "empty", 1, 0);
    }
    MUST(cudaStreamSynchronize(stream));
    return unused;
}

static void in_threads(int n, void *(*routine)(void *))
{
    pthread_t made[8];
    for (int i = 0; i < n; i++)
        pthread_create(&made[i], NULL, routine, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(made[i], NULL);
}

static void threads(void)
{
    in_threads(8, thread);
}

/* Far more work than is read at once, and nobody waits. */
static void *give_many(void *unused)
{
    enum { MANY = 150000 };
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < MANY; i++)
        empty<<<1, 1, 0, stream>>>();
    count("kernel", "empty", MANY, 0);
    return unused;
}

static void many(void)
{
    in_threads(2, give_many);
    MUST(cudaDeviceSynchronize());
}

/* Launches of other kinds. */
static void launches(void)
{
    void *none[1] = {NULL};
    cudaFunction_t function;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    MUST(cudaFree(NULL));
    MUST(cudaGetFuncBySymbol(&function, (const void *)empty));
    for (int i = 0; i < ROUNDS; i++) {
        MUST(cudaLaunchKernel((const void *)empty, dim3(1), dim3(1), none, 0, NULL));
        MUST(cudaLaunchKernelExC(&config, (const void *)empty, none));
        MUST(cudaLaunchCooperativeKernel((const void *)empty, dim3(1), dim3(1), none, 0, NULL));
        MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, none, NULL));
    }
    count("kernel", "empty", 4 * ROUNDS, 0);
    MUST(cudaDeviceSynchronize());
}

static void some(void)
{
    float *x = on_device();
    for (int i = 0; i < ROUNDS; i++)
        give_add(x, x, NULL);
    MUST(cudaDeviceSynchronize());
}

static void end_quickly(void)
{
    some();
    print();
    _exit(0);
}

static void end_by_kill(void)
{
    some();
    print();
    sleep(3);
    kill(getpid(), SIGKILL);
}

static void end_by_exec(void)
{
    some();
    print();
    execl("/bin/true", "true", (char *)NULL);
}

/* The last kernel is at work when the program ends. */
static void end_early(void)
{
    some();
    print();
    busy<<<1, 1>>>(2000000000LL);
    exit(0);
}

static void reset(void)
{
    some();
    MUST(cudaDeviceReset());
    some();
}

static void child(void)
{
    int status = 0;
    pid_t made = fork();
    if (made > 0)
        waitpid(made, &status, 0);
    EXPECT(status == 0);
    some();
}

/* What a launch costs: ns, the least mean of many batches. */
static void cost(void)
{
    enum { BATCHES = 200, LAUNCHES = 500 };
    double least = 1e9;
    empty<<<1, 1>>>();
    for (int i = 0; i < BATCHES; i++) {
        struct timespec begin, end;
        MUST(cudaDeviceSynchronize());
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int j = 0; j < LAUNCHES; j++)
            empty<<<1, 1>>>();
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ns = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / LAUNCHES;
        least = ns < least ? ns : least;
    }
    MUST(cudaDeviceSynchronize());
    count("kernel", "empty", BATCHES * LAUNCHES + 1, 0);
    printf("cost %.0f\n", least);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"all", all},           {"streams", streams},   {"times", times},       {"graph", graph},
    {"managed", managed},   {"pool", pool},         {"threads", threads},   {"launches", launches},
    {"quick", end_quickly}, {"killed", end_by_kill}, {"exec", end_by_exec}, {"early", end_early},
    {"reset", reset},       {"child", child},       {"cost", cost},         {"many", many},
    {"memory", memory},
};

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            modes[i].run();
            print();
            return 0;
        }
    fprintf(stderr, "usage: gpu_work MODE\n");
    return 2;
}
