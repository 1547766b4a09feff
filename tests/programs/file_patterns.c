/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_patterns: what benchmarks of parallel file systems do, as IOR does it. Ranks write and read
 * back what another rank has written: each a file of its own, then one file for all. There a rank
 * has a block in each segment (segmented), or every SIZEth transfer (strided); by POSIX calls and
 * by MPI-IO, each rank for itself and together, with places in the calls and with a view of the
 * file. Rank 0 prints of each file a line `LAYER FILE READS READ WRITES WRITTEN`, bytes of all
 * ranks.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum {
    TRANSFER = 4000,
    TRANSFERS = 4 /* of a block */,
    SEGMENTS = 3,
    MOVES = TRANSFERS * SEGMENTS
};

static int rank, size;
static char data[TRANSFER];
static long counts[4]; /* of a file, by this rank: reads, their bytes, writes, their bytes */

/* What a rank writes there is told by the place. */
static void fill(long place)
{
    for (int i = 0; i < TRANSFER; i++)
        data[i] = (char)((place + i) * 7 % 251);
}

static void is_right(long place)
{
    for (int i = 0; i < TRANSFER; i++)
        EXPECT(data[i] == (char)((place + i) * 7 % 251));
}

static void count(int is_write, long bytes)
{
    counts[2 * is_write]++;
    counts[2 * is_write + 1] += bytes;
}

static void tell(const char *layer, const char *file, MPI_Comm comm)
{
    long all[4];
    MPI_Reduce(counts, all, 4, MPI_LONG, MPI_SUM, 0, comm);
    memset(counts, 0, sizeof counts);
    if (rank == 0)
        printf("%s %s %ld %ld %ld %ld\n", layer, file, all[0], all[1], all[2], all[3]);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- where the moves of a rank are ---- */

static long own_place(int owner, int move)
{
    (void)owner;
    return (long)move * TRANSFER;
}

static long segmented_place(int owner, int move)
{
    int segment = move / TRANSFERS, transfer = move % TRANSFERS;
    return (((long)segment * size + owner) * TRANSFERS + transfer) * TRANSFER;
}

static long strided_place(int owner, int move)
{
    return ((long)move * size + owner) * TRANSFER;
}

/* ---- by POSIX calls ---- */

static void posix_moves(int fd, int is_write, int owner, long (*place_of)(int, int), int seeks)
{
    for (int move = 0; move < MOVES; move++) {
        long place = place_of(owner, move), done;
        if (is_write)
            fill(place);
        if (seeks) {
            EXPECT(lseek(fd, place, SEEK_SET) == place);
            done = is_write ? write(fd, data, TRANSFER) : read(fd, data, TRANSFER);
        } else {
            done = is_write ? pwrite(fd, data, TRANSFER, place) : pread(fd, data, TRANSFER, place);
        }
        EXPECT(done == TRANSFER);
        count(is_write, done);
        if (!is_write)
            is_right(place);
    }
}

static void by_posix(const char *name, const char *others, int owner, long (*place_of)(int, int),
                     int seeks)
{
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    EXPECT(fd >= 0);
    posix_moves(fd, 1, rank, place_of, seeks);
    EXPECT(fsync(fd) == 0);
    EXPECT(close(fd) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(others, O_RDONLY);
    EXPECT(fd >= 0);
    posix_moves(fd, 0, owner, place_of, seeks);
    EXPECT(close(fd) == 0);
}

/* Behind its end there is less than what is asked for. */
static void reads_past_end(const char *name)
{
    int fd = open(name, O_RDONLY);
    long end = (long)size * MOVES * TRANSFER;
    count(0, pread(fd, data, TRANSFER, end - 10));
    count(0, pread(fd, data, TRANSFER, end));
    EXPECT(counts[1] == 10 + (long)MOVES * TRANSFER);
    close(fd);
}

/* ---- by MPI-IO ---- */

static int move_at(MPI_File file, int is_write, int is_together, long place, MPI_Status *status)
{
    if (is_write)
        return is_together ? MPI_File_write_at_all(file, place, data, TRANSFER, MPI_BYTE, status)
                           : MPI_File_write_at(file, place, data, TRANSFER, MPI_BYTE, status);
    return is_together ? MPI_File_read_at_all(file, place, data, TRANSFER, MPI_BYTE, status)
                       : MPI_File_read_at(file, place, data, TRANSFER, MPI_BYTE, status);
}

static void by_mpi(const char *name, long (*place_of)(int, int), int is_together)
{
    MPI_File file;
    EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                         &file) == MPI_SUCCESS);
    for (int is_write = 1; is_write >= 0; is_write--) {
        int owner = is_write ? rank : (rank + 1) % size;
        for (int move = 0; move < MOVES; move++) {
            long place = place_of(owner, move);
            MPI_Status status;
            int done;
            if (is_write)
                fill(place);
            EXPECT(move_at(file, is_write, is_together, place, &status) == MPI_SUCCESS);
            MPI_Get_count(&status, MPI_BYTE, &done);
            EXPECT(done == TRANSFER);
            count(is_write, done);
            if (!is_write)
                is_right(place);
        }
        EXPECT(MPI_File_sync(file) == MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT(MPI_File_sync(file) == MPI_SUCCESS);
    }
    EXPECT(MPI_File_close(&file) == MPI_SUCCESS);
    tell("MPI-IO", name, MPI_COMM_WORLD);
}

/* All transfers of a rank in one call, each where the view has it. */
static void by_view(const char *name)
{
    static char all[MOVES * TRANSFER];
    MPI_Datatype every;
    MPI_File file;
    MPI_Type_vector(MOVES, TRANSFER, size * TRANSFER, MPI_BYTE, &every);
    MPI_Type_commit(&every);
    EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                         &file) == MPI_SUCCESS);
    EXPECT(MPI_File_set_view(file, (MPI_Offset)rank * TRANSFER, MPI_BYTE, every, "native",
                             MPI_INFO_NULL) == MPI_SUCCESS);
    for (int move = 0; move < MOVES; move++) {
        fill(strided_place(rank, move));
        memcpy(all + (long)move * TRANSFER, data, TRANSFER);
    }
    EXPECT(MPI_File_write_all(file, all, sizeof all, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    count(1, sizeof all);
    memset(all, 0, sizeof all);
    EXPECT(MPI_File_seek(file, 0, MPI_SEEK_SET) == MPI_SUCCESS);
    EXPECT(MPI_File_read_all(file, all, sizeof all, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    count(0, sizeof all);
    for (int move = 0; move < MOVES; move++) {
        memcpy(data, all + (long)move * TRANSFER, TRANSFER);
        is_right(strided_place(rank, move));
    }
    EXPECT(MPI_File_close(&file) == MPI_SUCCESS);
    MPI_Type_free(&every);
    tell("MPI-IO", name, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char name[32], other[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size;
    snprintf(name, sizeof name, "each.%d", rank);
    snprintf(other, sizeof other, "each.%d", next);
    by_posix(name, other, next, own_place, 1);
    tell("POSIX", "each", MPI_COMM_WORLD);
    by_posix("segmented", "segmented", next, segmented_place, 0);
    tell("POSIX", "segmented", MPI_COMM_WORLD);
    by_posix("strided", "strided", next, strided_place, 1);
    reads_past_end("strided");
    tell("POSIX", "strided", MPI_COMM_WORLD);
    by_mpi("alone.segmented", segmented_place, 0);
    by_mpi("together.segmented", segmented_place, 1);
    by_mpi("together.strided", strided_place, 1);
    by_view("view.strided");
    MPI_Finalize();
    return unexpected;
}
