/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI, OpenMP and OpenCL in one program: the threads of each rank give kernels to queues of their
 * own, and the ranks add up what the kernels have counted. Rank 0 prints the sum, which the kernels
 * that were given account for.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, KERNELS = 20, ITEMS = 64 };

static const char source[] = "kernel void count(global int *a) { a[get_global_id(0)] += 1; }";

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int result_ = (call);                                                                      \
        if (result_ != 0) {                                                                        \
            fprintf(stderr, "line %d: %s: %d\n", __LINE__, #call, result_);                        \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

static long work(cl_context context, cl_device_id device, cl_program program)
{
    int zero[ITEMS] = {0}, result[ITEMS];
    const size_t items = ITEMS;
    cl_int code;
    long sum = 0;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &code);
    CHECK(code);
    cl_kernel kernel = clCreateKernel(program, "count", &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
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
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    const char *text = source;
    int rank;
    long sum = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    sum += work(context, device, program);
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", all);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
    MPI_Finalize();
    return 0;
}
