/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel HDF5: the ranks write a dataset together, each a band of its rows, and read another
 * band back. Leaves the file "data.h5" and prints the sum of what was read.
 */
#include <hdf5.h>
#include <mpi.h>

#include "expect.h"

enum { ROWS = 64, COLUMNS = 100 }; /* of each rank */

static int rank, size;
static double band[ROWS][COLUMNS];

static hid_t create_or_open(int is_new)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file = is_new ? H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access)
                        : H5Fopen("data.h5", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

/* Transfer the band of rank `owner`, all ranks together; 0 when it went well. */
static int transfer(hid_t set, int owner, int is_write)
{
    const hsize_t count[] = {ROWS, COLUMNS}, start[] = {(hsize_t)owner * ROWS, 0};
    hid_t memory = H5Screate_simple(2, count, NULL), space = H5Dget_space(set);
    hid_t together = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    int failed = is_write ? H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, together, band)
                          : H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, together, band);
    H5Pclose(together);
    H5Sclose(space);
    H5Sclose(memory);
    return failed;
}

static double value(int owner, int row, int column)
{
    return (owner * ROWS + row) * COLUMNS + column;
}

static void write_file(void)
{
    const hsize_t all[] = {(hsize_t)size * ROWS, COLUMNS};
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            band[row][column] = value(rank, row, column);
    hid_t file = create_or_open(1);
    hid_t space = H5Screate_simple(2, all, NULL);
    hid_t timeless = H5Pcreate(H5P_DATASET_CREATE); /* two runs make the same file */
    H5Pset_obj_track_times(timeless, 0);
    hid_t set =
        H5Dcreate2(file, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, timeless, H5P_DEFAULT);
    H5Pclose(timeless);
    EXPECT(transfer(set, rank, 1) == 0);
    H5Dclose(set);
    H5Sclose(space);
    EXPECT(H5Fclose(file) == 0);
}

static double read_file(void)
{
    double sum = 0;
    int owner = (rank + 1) % size, wrong = 0;
    hid_t file = create_or_open(0);
    hid_t set = H5Dopen2(file, "numbers", H5P_DEFAULT);
    EXPECT(transfer(set, owner, 0) == 0);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            sum += band[row][column];
            wrong += band[row][column] != value(owner, row, column);
        }
    EXPECT(wrong == 0);
    H5Dclose(set);
    EXPECT(H5Fclose(file) == 0);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    write_file();
    double sum = read_file(), total = 0;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.0f\n", total);
    MPI_Finalize();
    return unexpected;
}
