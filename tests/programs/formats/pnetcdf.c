/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PnetCDF: the ranks write a variable together and read it back, also in the background. Rank 0
 * prints of each variable what all have read and written.
 */
#include <mpi.h>
#include <pnetcdf.h>

#include "expect.h"

enum { COLUMNS = 100 };

static int rank, size;
static double numbers[COLUMNS], others[COLUMNS];
static int file, table, line;

static void write_file(void)
{
    int dimensions[2], requests[2], statuses[2];
    EXPECT(ncmpi_create(MPI_COMM_WORLD, "data.nc", NC_CLOBBER, MPI_INFO_NULL, &file) == NC_NOERR);
    ncmpi_def_dim(file, "ranks", size, &dimensions[0]);
    ncmpi_def_dim(file, "columns", COLUMNS, &dimensions[1]);
    ncmpi_def_var(file, "table", NC_DOUBLE, 2, dimensions, &table);
    ncmpi_def_var(file, "line", NC_INT, 1, &dimensions[1], &line);
    EXPECT(ncmpi_enddef(file) == NC_NOERR);
    const MPI_Offset start[] = {rank, 0}, half[] = {1, COLUMNS / 2}, middle[] = {rank, COLUMNS / 2},
                     all[] = {1, COLUMNS};
    EXPECT(ncmpi_put_vara_double_all(file, table, start, all, numbers) == NC_NOERR);
    EXPECT(ncmpi_iput_vara_double(file, table, start, half, numbers, &requests[0]) == NC_NOERR);
    EXPECT(ncmpi_iput_vara_double(file, table, middle, half, numbers + COLUMNS / 2, &requests[1]) ==
           NC_NOERR);
    EXPECT(ncmpi_wait_all(file, 2, requests, statuses) == NC_NOERR);
    EXPECT(ncmpi_begin_indep_data(file) == NC_NOERR);
    if (rank == 0) {
        int ints[COLUMNS] = {1, 2, 3};
        EXPECT(ncmpi_put_var_int(file, line, ints) == NC_NOERR);
    }
    EXPECT(ncmpi_end_indep_data(file) == NC_NOERR);
    EXPECT(ncmpi_close(file) == NC_NOERR);
}

static void read_file(void)
{
    const int other = (rank + 1) % size;
    const MPI_Offset start[] = {other, 0}, all[] = {1, COLUMNS};
    int request;
    EXPECT(ncmpi_open(MPI_COMM_WORLD, "data.nc", NC_NOWRITE, MPI_INFO_NULL, &file) == NC_NOERR);
    EXPECT(ncmpi_get_vara_double_all(file, table, start, all, others) == NC_NOERR);
    EXPECT(others[1] == other * COLUMNS + 1);
    EXPECT(ncmpi_iget_vara_double(file, table, start, all, others, &request) == NC_NOERR);
    EXPECT(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL) == NC_NOERR);
    EXPECT(ncmpi_close(file) == NC_NOERR);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COLUMNS; i++)
        numbers[i] = rank * COLUMNS + i;
    write_file();
    read_file();
    if (rank == 0)
        printf("data.nc:table %d %d\ndata.nc:line 0 %d\n", 2 * size * (int)sizeof numbers,
               2 * size * (int)sizeof numbers, (int)sizeof(int) * COLUMNS);
    MPI_Finalize();
    return unexpected;
}
