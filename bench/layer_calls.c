/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of operations by io_uring, HDF5 and NetCDF, in nanoseconds a call, one line a case:
 * "NAME NS". Compiled and run by bench/layer_calls, bare and traced. The files lie where the second
 * argument says, which may be memory. An operation of io_uring is prepared, submitted and waited
 * for.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <liburing.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/least.h"

enum { N = 512, QUEUE = 8 };

static struct io_uring ring;
static int file, variable, netcdf;
static hid_t dataset, one, one_in_file;
static double data[N];

static void ring_write(void)
{
    struct io_uring_cqe *done;
    io_uring_prep_write(io_uring_get_sqe(&ring), file, data, sizeof data, 0);
    io_uring_submit(&ring);
    if (io_uring_wait_cqe(&ring, &done) == 0)
        io_uring_cqe_seen(&ring, done);
}

static void ring_writes(void)
{
    struct io_uring_cqe *done;
    for (int i = 0; i < QUEUE; i++)
        io_uring_prep_write(io_uring_get_sqe(&ring), file, data, sizeof data, 0);
    io_uring_submit_and_wait(&ring, QUEUE);
    for (int i = 0; i < QUEUE && io_uring_wait_cqe(&ring, &done) == 0; i++)
        io_uring_cqe_seen(&ring, done);
}

static void hdf5_one(void)
{
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, one, one_in_file, H5P_DEFAULT, data);
}

static void hdf5_all(void)
{
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
}

static void netcdf_one(void)
{
    const size_t at = 0;
    nc_put_var1_double(netcdf, variable, &at, data);
}

static void netcdf_all(void)
{
    nc_put_var_double(netcdf, variable, data);
}

static const struct {
    const char *name;
    void (*round)(void);
} cases[] = {{"io_uring,4096", ring_write},      {"io_uring,8*4096", ring_writes},
             {"H5Dwrite,8", hdf5_one},           {"H5Dwrite,4096", hdf5_all},
             {"nc_put_var1_double", netcdf_one}, {"nc_put_var_double,4096", netcdf_all}};

static void open_all(const char *folder)
{
    const hsize_t size = N, count = 1, start = 0;
    char path[256];
    int dimension;
    snprintf(path, sizeof path, "%s/layer_calls.%d", folder, (int)getpid());
    file = open(path, O_RDWR | O_CREAT, 0600);
    unlink(path);
    hid_t of_hdf5 = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    one = H5Screate_simple(1, &count, NULL);
    one_in_file = H5Screate_simple(1, &size, NULL);
    dataset = H5Dcreate2(of_hdf5, "numbers", H5T_NATIVE_DOUBLE, one_in_file, H5P_DEFAULT,
                         H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(one_in_file, H5S_SELECT_SET, &start, NULL, &count, NULL);
    unlink(path);
    if (file < 0 || dataset < 0 || nc_create(path, NC_CLOBBER, &netcdf) != NC_NOERR ||
        nc_def_dim(netcdf, "n", N, &dimension) != NC_NOERR ||
        nc_def_var(netcdf, "numbers", NC_DOUBLE, 1, &dimension, &variable) != NC_NOERR ||
        nc_enddef(netcdf) != NC_NOERR)
        exit(1);
    unlink(path);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000;
    open_all(argc > 2 ? argv[2] : ".");
    int has_ring = io_uring_queue_init(QUEUE, &ring, 0) == 0; /* the kernel may forbid it */
    for (size_t i = has_ring ? 0 : 2; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s %.1f\n", cases[i].name,
               least_ns(CLOCK_THREAD_CPUTIME_ID, cases[i].round, rounds));
    return 0;
}
