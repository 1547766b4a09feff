/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_layers: MPI-IO whose bytes the library moves as they are: each rank's own file "own.RANK",
 * and "data", which all write and read together, a block each. Prints what has been moved, a line
 * `FILE READ WRITTEN` for each file, that of "data" by rank 0 for all. Then "plain.RANK" by POSIX
 * calls of the program, "own.RANK" once more by these, and a file that cannot be opened.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { BLOCK = 4000, BLOCKS = 5 };

static int rank, size;
static char out[BLOCK], in[BLOCK];

static void own(const char *name)
{
    MPI_File file;
    MPI_Offset end;
    EXPECT(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                         &file) == MPI_SUCCESS);
    for (int i = 0; i < BLOCKS; i++)
        EXPECT(MPI_File_write(file, out, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < BLOCKS; i += 2) {
        memset(in, 0, BLOCK);
        EXPECT(MPI_File_read_at(file, (MPI_Offset)i * BLOCK, in, BLOCK, MPI_BYTE,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS);
        EXPECT(memcmp(in, out, BLOCK) == 0);
    }
    EXPECT(MPI_File_set_size(file, 2 * BLOCK) == MPI_SUCCESS);
    EXPECT(MPI_File_get_size(file, &end) == MPI_SUCCESS && end == 2 * BLOCK);
    EXPECT(MPI_File_close(&file) == MPI_SUCCESS);
    printf("%s %d %d\n", name, (BLOCKS + 1) / 2 * BLOCK, BLOCKS * BLOCK);
}

static void together(void)
{
    MPI_File file;
    EXPECT(MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                         &file) == MPI_SUCCESS);
    EXPECT(MPI_File_write_at_all(file, (MPI_Offset)rank * BLOCK, out, BLOCK, MPI_BYTE,
                                 MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(MPI_File_read_at_all(file, (MPI_Offset)rank * BLOCK, in, BLOCK, MPI_BYTE,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(memcmp(in, out, BLOCK) == 0);
    EXPECT(MPI_File_close(&file) == MPI_SUCCESS);
    if (rank == 0)
        printf("data %d %d\n", size * BLOCK, size * BLOCK);
}

static void by_program(const char *name, size_t n)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);
    EXPECT(write(fd, out, n) == (ssize_t)n);
    EXPECT(close(fd) == 0);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(out, 'a' + rank, BLOCK);
    snprintf(name, sizeof name, "own.%d", rank);
    own(name);
    together();
    EXPECT(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
           MPI_SUCCESS);
    by_program(name, BLOCK);
    snprintf(name, sizeof name, "plain.%d", rank);
    by_program(name, 10);
    MPI_Finalize();
    return unexpected;
}
