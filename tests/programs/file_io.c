/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-IO: every kind of access to a file, with and without statuses, and failing calls. The read
 * bytes are the written bytes. Leaves the file "data.bin". Prints the bytes in statuses.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "expect.h"

enum { N = 25, BLOCK = N * sizeof(int) };

static int rank, size;
static int out[N], in[N];

/* A rank's own part of the n-th row of blocks. */
static MPI_Offset place(int row)
{
    return ((MPI_Offset)row * size + rank) * BLOCK;
}

static void fill(int row)
{
    for (int i = 0; i < N; i++)
        out[i] = (row * size + rank) * N + i;
    memset(in, -1, sizeof in);
}

static int is_equal(void)
{
    return memcmp(out, in, sizeof in) == 0;
}

static int count_of(const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    return count;
}

static void explicit_offsets(MPI_File file)
{
    MPI_Status status;
    fill(0);
    EXPECT(MPI_File_write_at(file, place(0), out, N, MPI_INT, &status) == 0);
    EXPECT(count_of(&status) == N);
    EXPECT(MPI_File_read_at(file, place(0), in, N, MPI_INT, MPI_STATUS_IGNORE) == 0 && is_equal());
    fill(1);
    EXPECT(MPI_File_write_at_all(file, place(1), out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_read_at_all(file, place(1), in, N, MPI_INT, &status) == 0 && is_equal());
    EXPECT(count_of(&status) == N);
}

static void individual_pointers(MPI_File file)
{
    MPI_Offset position = -1;
    fill(2);
    EXPECT(MPI_File_seek(file, place(2), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_write(file, out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_seek(file, -(MPI_Offset)BLOCK, MPI_SEEK_CUR) == 0);
    EXPECT(MPI_File_get_position(file, &position) == 0 && position == place(2));
    EXPECT(MPI_File_read(file, in, N, MPI_INT, MPI_STATUS_IGNORE) == 0 && is_equal());
    fill(3);
    EXPECT(MPI_File_seek(file, place(3), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_seek(file, place(3), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE) == 0 && is_equal());
}

static void requests_at_offsets(MPI_File file)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int flag = 0, index = -1;
    fill(4);
    EXPECT(MPI_File_iwrite_at(file, place(4), out, N, MPI_INT, &request[0]) == 0);
    EXPECT(MPI_Wait(&request[0], MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_iread_at(file, place(4), in, N, MPI_INT, &request[0]) == 0);
    while (!flag)
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    EXPECT(is_equal());
    fill(5);
    EXPECT(MPI_File_iwrite_at_all(file, place(5), out, N, MPI_INT, &request[0]) == 0);
    EXPECT(MPI_Waitany(1, request, &index, &status[0]) == 0 && index == 0);
    EXPECT(count_of(&status[0]) == N);
    /* Two requests under way, of which the second moves nothing at all. */
    EXPECT(MPI_File_iread_at_all(file, place(5), in, N, MPI_INT, &request[0]) == 0);
    EXPECT(MPI_File_iread_at(file, place(5), NULL, 0, MPI_INT, &request[1]) == 0);
    EXPECT(MPI_Waitall(2, request, MPI_STATUSES_IGNORE) == 0 && is_equal());
}

static void requests_at_pointers(MPI_File file)
{
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    fill(6);
    EXPECT(MPI_File_seek(file, place(6), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_iwrite(file, out, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE) == 0);
    EXPECT(MPI_File_seek(file, place(6), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_iread(file, in, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0 && is_equal());
    fill(7);
    EXPECT(MPI_File_seek(file, place(7), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_iwrite_all(file, out, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_seek(file, place(7), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_iread_all(file, in, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0 && is_equal());
}

static void split_collective(MPI_File file)
{
    MPI_Status status;
    fill(8);
    EXPECT(MPI_File_write_at_all_begin(file, place(8), out, N, MPI_INT) == 0);
    EXPECT(MPI_File_write_at_all_end(file, out, &status) == 0 && count_of(&status) == N);
    EXPECT(MPI_File_read_at_all_begin(file, place(8), in, N, MPI_INT) == 0);
    EXPECT(MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE) == 0 && is_equal());
    fill(9);
    EXPECT(MPI_File_seek(file, place(9), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_write_all_begin(file, out, N, MPI_INT) == 0);
    EXPECT(MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_seek(file, place(9), MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_read_all_begin(file, in, N, MPI_INT) == 0);
    EXPECT(MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE) == 0 && is_equal());
}

/* Every second integer of a row: the ranks' parts are interleaved, and the pointers at 0. */
static void views(MPI_File file)
{
    MPI_Datatype comb;
    int got = -1;
    MPI_Status status;
    MPI_Type_vector(N, 1, size, MPI_INT, &comb);
    MPI_Type_commit(&comb);
    EXPECT(MPI_File_set_view(file, (MPI_Offset)10 * size * BLOCK + rank * (MPI_Offset)sizeof(int),
                             MPI_INT, comb, "native", MPI_INFO_NULL) == 0);
    fill(10);
    EXPECT(MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_sync(file) == 0);
    EXPECT(MPI_File_seek(file, -N, MPI_SEEK_CUR) == 0);
    EXPECT(MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE) == 0 && is_equal());
    MPI_Type_free(&comb);
    EXPECT(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == 0);
    /* A single integer lies before the end. */
    EXPECT(MPI_File_seek(file, -(MPI_Offset)sizeof(int), MPI_SEEK_END) == 0);
    EXPECT(MPI_File_read(file, in, N, MPI_INT, &status) == 0);
    MPI_Get_count(&status, MPI_BYTE, &got);
    EXPECT(got == sizeof(int));
}

static void shared_pointers(void)
{
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    EXPECT(MPI_File_open(MPI_COMM_WORLD, "./shared.bin",
                         MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                         &file) == 0);
    fill(0);
    EXPECT(MPI_File_write_shared(file, out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_File_write_ordered(file, out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_seek_shared(file, (MPI_Offset)size * BLOCK, MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_read_ordered(file, in, N, MPI_INT, MPI_STATUS_IGNORE) == 0 && is_equal());
    EXPECT(MPI_File_write_ordered_begin(file, out, N, MPI_INT) == 0);
    EXPECT(MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_seek_shared(file, -(MPI_Offset)size * BLOCK, MPI_SEEK_CUR) == 0);
    EXPECT(MPI_File_read_ordered_begin(file, in, N, MPI_INT) == 0);
    EXPECT(MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE) == 0 && is_equal());
    EXPECT(MPI_File_iwrite_shared(file, out, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == 0);
    EXPECT(MPI_File_read_shared(file, in, N, MPI_INT, &status) == 0 && count_of(&status) == N);
    EXPECT(MPI_File_iread_shared(file, in, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_File_close(&file) == 0);
}

/* A file of each rank, opened three times, and the failing calls of the file. */
static void alone(void)
{
    MPI_File file, missing = MPI_FILE_NULL;
    char name[32];
    snprintf(name, sizeof name, "alone.%d", rank);
    EXPECT(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &missing));
    EXPECT(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL,
                         MPI_INFO_NULL, &file) == 0);
    EXPECT(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL,
                         MPI_INFO_NULL, &missing));
    EXPECT(MPI_File_write(file, out, 2, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_read(file, in, 2, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT(MPI_File_close(&file) == 0);
    EXPECT(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL,
                         &file) == 0);
    EXPECT(MPI_File_write(file, out, 1, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_close(&file) == 0);
    EXPECT(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL,
                         &file) == 0);
    EXPECT(MPI_File_read(file, in, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(in[0] == out[0] && in[1] == out[1] && in[2] == out[0]);
    EXPECT(MPI_File_close(&file) == 0);
    EXPECT(MPI_File_delete(name, MPI_INFO_NULL) == 0);
    EXPECT(MPI_File_delete(name, MPI_INFO_NULL) != 0);
}

/* The twins with large counts; where MPI is older, the plain functions in place of the twins. */
static void large_counts(MPI_File file)
{
    fill(0);
#if MPI_VERSION >= 4
    MPI_Request request;
    EXPECT(MPI_File_write_at_c(file, place(0), out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_iread_at_c(file, place(0), in, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0 && is_equal());
#else
    MPI_Request request;
    EXPECT(MPI_File_write_at(file, place(0), out, N, MPI_INT, MPI_STATUS_IGNORE) == 0);
    EXPECT(MPI_File_iread_at(file, place(0), in, N, MPI_INT, &request) == 0);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0 && is_equal());
#endif
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    EXPECT(MPI_File_open(twin, "data.bin", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file) ==
           0);
    MPI_Comm_free(&twin);
    explicit_offsets(file);
    individual_pointers(file);
    requests_at_offsets(file);
    requests_at_pointers(file);
    split_collective(file);
    views(file);
    large_counts(file);
    EXPECT(MPI_File_set_atomicity(file, 0) == 0);
    EXPECT(MPI_File_close(&file) == 0);
    shared_pointers();
    alone();
    MPI_Finalize();
    return unexpected;
}
