/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI, OpenMP and OpenCL in one program: the threads of each rank give kernels to queues of their
 * own, and the ranks add up what the kernels have counted. Rank 0 prints the sum, which the kernels
 * that were given account for.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl_setup.h"

enum { THREADS = 2, KERNELS = 20, ITEMS = 64 };

static const char source[] = "kernel void count(global int *a) { a[get_global_id(0)] += 1; }";

static long work(void)
{
    int zero[ITEMS] = {0}, result[ITEMS];
    const size_t items = ITEMS;
    cl_int code;
    long sum = 0;
    cl_command_queue queue = queue_of(0);
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &code);
    CHECK(code);
    cl_kernel kernel = kernel_of("count", memory);
    for (int i = 0; i < KERNELS; i++)
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        sum += result[i];
    CHECK(clFinish(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(memory));
    CHECK(clReleaseCommandQueue(queue));
    return sum;
}

int main(int argc, char **argv)
{
    int rank;
    long sum = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_up(source);
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    sum += work();
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", all);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
    MPI_Finalize();
    return 0;
}
