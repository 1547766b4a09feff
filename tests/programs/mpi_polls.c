/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `mpi_polls ROUNDS MICROSECONDS`: rank 0 polls with MPI_Test and MPI_Iprobe until rank 1 sends,
 * and then with both in turn; it prints how often it did. `mpi_polls FILE`: one process probes for
 * ever, and tests now and then or as often; its PID and the numbers of its calls are in the file.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long tests, probes;

static void probe_for_ever(const char *path)
{
    const size_t bytes = 3 * sizeof(uint64_t);
    int flag, value, fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        exit(1);
    volatile uint64_t *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        exit(1);
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    shared[0] = (uint64_t)getpid();
    for (unsigned every = 1 + (unsigned)getpid() % 5;; shared[1]++) {
        MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (shared[1] % every == 0) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            shared[2]++;
        }
    }
}

static void send_late(useconds_t late)
{
    int value = 1;
    for (int tag = 1; tag <= 3; tag++) {
        usleep(late);
        MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
}

static void receive(void)
{
    int value, flag = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    for (; !flag; tests++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag; probes++)
        MPI_Iprobe(1, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag; tests++, probes++) {
        int other;
        usleep(100);
        MPI_Iprobe(1, 2, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 2)
        probe_for_ever(argv[1]);
    if (argc != 3)
        return 1;
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (rank == 1)
            send_late((useconds_t)atoi(argv[2]));
        else if (rank == 0)
            receive();
    }
    if (rank == 0)
        printf("%ld tests, %ld probes\n", tests, probes);
    MPI_Finalize();
    return 0;
}
