/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes that share a socket and become one communicator by MPI_Comm_join, N times over the
 * same one: `join N` both are of this job, `join N server` and `join N client` each is alone in its
 * own. The server writes its port number to the file `port`.
 */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "expect.h"

static void write_port(unsigned number)
{
    FILE *file = fopen("port.new", "w");
    fprintf(file, "%u\n", number);
    fclose(file);
    rename("port.new", "port");
}

static unsigned read_port(void)
{
    char line[16] = "";
    FILE *file;
    while (!(file = fopen("port", "r")))
        usleep(10000);
    EXPECT(fgets(line, sizeof line, file));
    fclose(file);
    return (unsigned)strtoul(line, NULL, 10);
}

static int serve(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(bind(door, (struct sockaddr *)&address, bytes) == 0 && listen(door, 1) == 0);
    EXPECT(getsockname(door, (struct sockaddr *)&address, &bytes) == 0);
    write_port(ntohs(address.sin_port));
    int fd = accept(door, NULL, NULL);
    EXPECT(fd >= 0);
    close(door);
    return fd;
}

static int visit(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)read_port()),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

static void talk(MPI_Comm other, int is_server)
{
    int got = -1;
    MPI_Sendrecv(&is_server, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
    EXPECT(got == !is_server);
    MPI_Barrier(other);
}

int main(int argc, char **argv)
{
    int rank, n = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int is_server = argc > 2 ? strcmp(argv[2], "server") == 0 : rank == 0;
    int fd = is_server ? serve() : visit();
    for (int i = 0; i < n; i++) {
        MPI_Comm other;
        MPI_Comm_join(fd, &other);
        talk(other, is_server);
        MPI_Comm_disconnect(&other);
    }
    close(fd);
    MPI_Finalize();
    return unexpected;
}
